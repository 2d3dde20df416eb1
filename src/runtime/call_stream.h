// Streams of callers: what a thread's calls add their work to instead of a stream of the device.

#pragma once

#include <optional>

namespace litz::runtime {

/// A stream of a card: a CUstream of the driver, null for the default stream.
struct CallStream {
  int card = 0;
  void* handle = nullptr;
};

/// Makes a stream that of this thread's calls on its card while it lives.
class CallsOnStream {
 public:
  explicit CallsOnStream(const CallStream& stream);
  CallsOnStream(const CallsOnStream&) = delete;
  CallsOnStream& operator=(const CallsOnStream&) = delete;
  ~CallsOnStream();

 private:
  friend std::optional<CallStream> current_call_stream(int card);

  CallStream stream_;
  const CallsOnStream* outer_;
};

/// The caller's stream of this thread for a card; nothing: the thread has none.
std::optional<CallStream> current_call_stream(int card);

}  // namespace litz::runtime
