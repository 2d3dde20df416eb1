#include "artifact/file_signature.h"

#include <algorithm>
#include <string_view>

#include "artifact/byte_stream.h"
#include "support/check.h"
#include "support/hash.h"

namespace litz::artifact {
namespace {

constexpr std::string_view kMagic = "litzsign";
constexpr uint64_t kVersion = 1;
constexpr std::string_view kPurpose = "litz stored program, signature 1";
constexpr const char* kWhat = "the signature of a stored program";

template <size_t N>
void read_into(ByteReader& in, std::array<std::byte, N>& bytes) {
  std::ranges::copy(in.bytes(N), bytes.begin());
}

FileSignature parse_signature(std::span<const std::byte> bytes) {
  ByteReader in(bytes.subspan(kMagic.size()), kWhat);
  const auto version = in.number<uint64_t>();
  require(version == kVersion, ErrorCode::unsupported, kWhat,
          "must have a version that this build reads:", version, "instead of", kVersion);
  FileSignature signature;
  read_into(in, signature.key.bytes);
  read_into(in, signature.signature);
  const size_t checked = kMagic.size() + sizeof version + sizeof signature;
  require(in.number<uint64_t>() == hash_bytes(bytes.first(checked), kVersion), ErrorCode::corrupt,
          kWhat, "must be undamaged");
  require(in.at_end(), ErrorCode::corrupt, kWhat, "must end the file");
  return signature;
}

}  // namespace

SignedFile split_signature(const FileKind& kind, std::span<const std::byte> bytes) {
  const uint64_t size = stated_size(kind, bytes);
  if (size >= bytes.size()) return {bytes, std::nullopt};
  const std::span<const std::byte> rest = bytes.subspan(static_cast<size_t>(size));
  if (!is_file_of(rest, {.magic = kMagic})) return {bytes, std::nullopt};
  return {bytes.first(static_cast<size_t>(size)), parse_signature(rest)};
}

std::vector<std::byte> signature_bytes(std::span<const std::byte> file, const SecretKey& key) {
  ByteWriter out;
  out.bytes(std::as_bytes(std::span(kMagic)));
  out.number(kVersion);
  out.bytes(key.public_key.bytes);
  out.bytes(sign(key, kPurpose, file));
  std::vector<std::byte> bytes = out.take();
  ByteWriter checksum;
  checksum.number(hash_bytes(bytes, kVersion));
  for (const std::byte byte : checksum.take()) bytes.push_back(byte);
  return bytes;
}

bool is_genuine(const SignedFile& file) {
  return file.signature.has_value() &&
         is_signed_by(file.signature->key, file.signature->signature, kPurpose, file.file);
}

void require_signed_by(const SignedFile& file, std::span<const PublicKey> trusted) {
  constexpr const char* kRule = "a compiled program must be signed by a trusted key:";
  require(file.signature.has_value(), ErrorCode::untrusted, kRule, "it is not signed");
  require(std::ranges::find(trusted, file.signature->key) != trusted.end(), ErrorCode::untrusted,
          kRule, "it names the key", to_string(file.signature->key));
  require(is_genuine(file), ErrorCode::untrusted, kRule,
          "it was changed after it was signed, or the signature is forged");
}

}  // namespace litz::artifact
