#include "artifact/file_frame.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr FileKind kKind{.magic = "litztest", .format = 5};

std::vector<std::byte> example() {
  const std::vector<Tensor> tensors{Tensor::of<float>(DType::f32, {2}, {1, 2})};
  const std::vector<std::byte> body(13, std::byte{7});
  return framed(kKind, body, TensorTableWriter(tensors));
}

ErrorCode refusal(std::span<const std::byte> bytes) {
  try {
    unframed(kKind, bytes);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(FileFrame, PartsComeBack) {
  const std::vector<std::byte> bytes = example();
  ASSERT_TRUE(is_file_of(bytes, kKind));
  const FileParts parts = unframed(kKind, bytes);
  EXPECT_EQ(parts.body.size(), 13U);
  EXPECT_EQ(parts.body[12], std::byte{7});
  EXPECT_EQ((parts.data.data() - bytes.data()) % 64, 0);
  EXPECT_EQ(parts.data.size(), 64U);
}

TEST(FileFrame, AnythingElseIsRefused) {
  const std::vector<std::byte> bytes = example();
  EXPECT_EQ(refusal({}), ErrorCode::corrupt);
  EXPECT_EQ(refusal(std::span(bytes).first(bytes.size() - 1)), ErrorCode::corrupt);
  std::vector<std::byte> changed = bytes;
  changed.back() ^= std::byte{1};
  EXPECT_EQ(refusal(changed), ErrorCode::corrupt);
  changed = bytes;
  changed[8] = std::byte{6};  // The format.
  EXPECT_EQ(refusal(changed), ErrorCode::unsupported);
  changed = bytes;
  changed[0] = std::byte{'L'};
  EXPECT_EQ(refusal(changed), ErrorCode::corrupt);
}

}  // namespace
}  // namespace litz::artifact
