#include "ir/streams.h"

#include <optional>
#include <string>

#include "support/check.h"
#include "support/text.h"

namespace litz::ir {

int64_t stream_of(const Node& node) {
  const auto found = node.annotations().find(kStreamAnnotation);
  if (found == node.annotations().end()) return 0;
  const std::optional<int64_t> stream = parse_int(found->second);
  require(stream.has_value() && *stream > 0 && *stream < int64_t{1} << 60,
          "a stream of random numbers must be a number from 1 to 2^60:", found->second);
  return *stream;
}

void set_stream(Node* node, int64_t stream) {
  Annotations annotations = node->annotations();
  if (stream == 0) {
    if (annotations.erase(std::string(kStreamAnnotation)) == 0) return;
  } else {
    annotations.insert_or_assign(std::string(kStreamAnnotation), std::to_string(stream));
  }
  node->graph().set_annotations(node, std::move(annotations));
}

int64_t part_of_stream(int64_t stream, int64_t part) {
  constexpr int64_t kMostParts = 1024;
  check(part < kMostParts, "a node stands for few draws:", part);
  if (part == 0) return stream;
  // The low half is the node's number; the high half identifies the part, including nested parts.
  const int64_t outer = stream >> 32;
  return (stream & UINT32_MAX) | ((outer * kMostParts + part) << 32);
}

}  // namespace litz::ir
