#include "artifact/file_signature.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::artifact {
namespace {

using testing::HasSubstr;

constexpr FileKind kKind{.magic = "litztest", .format = 5};

const SecretKey& key() {
  static const SecretKey key = new_secret_key();
  return key;
}

std::vector<std::byte> unsigned_file() {
  const std::vector<Tensor> tensors{Tensor::of<float>(DType::f32, {2}, {1, 2})};
  const std::vector<std::byte> body(13, std::byte{7});
  return framed(kKind, body, TensorTableWriter(tensors));
}

std::vector<std::byte> signed_file(const SecretKey& by = key()) {
  std::vector<std::byte> bytes = unsigned_file();
  const std::vector<std::byte> signature = signature_bytes(bytes, by);
  bytes.insert(bytes.end(), signature.begin(), signature.end());
  return bytes;
}

std::string refusal(std::span<const std::byte> bytes, std::span<const PublicKey> trusted) {
  try {
    require_signed_by(split_signature(kKind, bytes), trusted);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::untrusted) << error.what();
    return error.what();
  }
}

TEST(FileSignature, IsToldFromTheFile) {
  const std::vector<std::byte> bytes = signed_file();
  const SignedFile parts = split_signature(kKind, bytes);
  EXPECT_EQ(parts.file.size(), unsigned_file().size());
  ASSERT_TRUE(parts.signature.has_value());
  EXPECT_EQ(parts.signature->key, key().public_key);
  EXPECT_TRUE(is_genuine(parts));
  EXPECT_EQ(unframed(kKind, parts.file).body.size(), 13U);
  const std::vector<std::byte> plain = unsigned_file();
  EXPECT_FALSE(split_signature(kKind, plain).signature.has_value());
  EXPECT_EQ(split_signature(kKind, plain).file.size(), plain.size());
}

TEST(FileSignature, SaysWhoIsTrusted) {
  const std::vector<std::byte> bytes = signed_file();
  const PublicKey other = new_secret_key().public_key;
  EXPECT_EQ(refusal(bytes, std::array{other, key().public_key}), "");
  EXPECT_THAT(refusal(bytes, std::array{other}),
              HasSubstr("names the key " + to_string(key().public_key)));
  EXPECT_NE(refusal(bytes, {}), "");
  EXPECT_THAT(refusal(unsigned_file(), std::array{key().public_key}), HasSubstr("is not signed"));
}

// Every byte, with the checksums of file and signature as they should be.
TEST(FileSignature, FitsNoOtherFile) {
  const std::vector<std::byte> bytes = unsigned_file();
  const std::vector<std::byte> signature = signature_bytes(bytes, key());
  constexpr size_t kHeader = 32;
  for (size_t i = kHeader; i < bytes.size(); ++i) {
    std::vector<std::byte> content(bytes.begin() + kHeader, bytes.end());
    content[i - kHeader] ^= std::byte{1};
    std::vector<std::byte> forged = frame_content(kKind, content);
    forged.insert(forged.end(), signature.begin(), signature.end());
    EXPECT_THAT(refusal(forged, std::array{key().public_key}), HasSubstr("changed after")) << i;
    EXPECT_FALSE(is_genuine(split_signature(kKind, forged)));
  }
  const std::vector<std::byte> others = signed_file(new_secret_key());
  SignedFile forged = split_signature(kKind, others);
  forged.signature->key = key().public_key;
  EXPECT_FALSE(is_genuine(forged));
}

// Without keys too, and if nobody verifies.
TEST(FileSignature, DamageIsNoticed) {
  const std::vector<std::byte> bytes = signed_file();
  const size_t begin = unsigned_file().size();
  const auto is_refused = [](std::span<const std::byte> damaged) {
    try {
      unframed(kKind, split_signature(kKind, damaged).file);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_FALSE(is_refused(bytes));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{0x15};
    EXPECT_TRUE(is_refused(damaged)) << i;
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    // What ends where the signature begins is an unsigned file.
    EXPECT_EQ(is_refused(std::span(bytes).first(size)), size != begin) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_TRUE(is_refused(longer));
  std::vector<std::byte> twice = bytes;
  twice.insert(twice.end(), bytes.begin() + static_cast<ptrdiff_t>(begin), bytes.end());
  EXPECT_TRUE(is_refused(twice));
}

}  // namespace
}  // namespace litz::artifact
