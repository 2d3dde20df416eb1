// Converts numbers, texts and blocks to bytes and back, for files of this machine's byte order.
// Input is not trusted: every length is checked against the bytes that are left.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/check.h"

namespace litz::artifact {

class ByteWriter {
 public:
  template <typename T>

  requires std::is_arithmetic_v<T>

  void number(T value) { bytes(std::as_bytes(std::span(&value, 1))); }

  void bytes(std::span<const std::byte> from) {
    const size_t begin = out_.size();
    out_.resize(begin + from.size());
    if (!from.empty()) std::memcpy(out_.data() + begin, from.data(), from.size());
  }

  /// Writes the length before the bytes.
  void block(std::span<const std::byte> from) {
    number<uint64_t>(from.size());
    bytes(from);
  }

  void text(std::string_view from) { block(std::as_bytes(std::span(from))); }

  void zeros(size_t count) { out_.resize(out_.size() + count); }

  size_t size() const { return out_.size(); }

  std::vector<std::byte> take() { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
};

/// Throws Error{corrupt} if the bytes end too early or are invalid; `what` names them in messages:
/// "a stored kernel".
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, const char* what) : left_(bytes), what_(what) {}

  std::span<const std::byte> bytes(uint64_t count) {
    require(count <= left_.size(), ErrorCode::corrupt, what_, "must not end early:", count,
            "bytes wanted,", left_.size(), "left");
    const auto taken = left_.first(static_cast<size_t>(count));
    left_ = left_.subspan(static_cast<size_t>(count));
    return taken;
  }

  template <typename T>

  requires std::is_arithmetic_v<T> T number() {
    T value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }

  std::span<const std::byte> block() { return bytes(number<uint64_t>()); }

  std::string_view text() {
    const std::span<const std::byte> content = block();
    return {reinterpret_cast<const char*>(content.data()), content.size()};
  }

  /// A number of entries that each start with a length. It is checked against the bytes left, so
  /// memory is bounded by the file's size.
  size_t count() {
    const auto entries = number<uint64_t>();
    require(entries <= left_.size() / sizeof(uint64_t), ErrorCode::corrupt, what_,
            "must hold what it counts:", entries);
    return static_cast<size_t>(entries);
  }

  /// A number of entries of at least one byte each.
  size_t entries() {
    const auto entries = number<uint64_t>();
    require(entries <= left_.size(), ErrorCode::corrupt, what_,
            "must hold what it counts:", entries);
    return static_cast<size_t>(entries);
  }

  bool at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  const char* what_;
};

}  // namespace litz::artifact
