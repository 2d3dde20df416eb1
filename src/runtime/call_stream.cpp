#include "runtime/call_stream.h"

namespace litz::runtime {
namespace {

thread_local const CallsOnStream* innermost = nullptr;

}  // namespace

CallsOnStream::CallsOnStream(const CallStream& stream) : stream_(stream), outer_(innermost) {
  innermost = this;
}

CallsOnStream::~CallsOnStream() { innermost = outer_; }

std::optional<CallStream> current_call_stream(int card) {
  for (const CallsOnStream* at = innermost; at != nullptr; at = at->outer_) {
    if (at->stream_.card == card) return at->stream_;
  }
  return std::nullopt;
}

}  // namespace litz::runtime
