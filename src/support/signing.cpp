#include "support/signing.h"

#include <algorithm>
#include <sodium.h>

#include "support/check.h"
#include "support/text.h"

namespace litz {
namespace {

constexpr std::string_view kPublic = "litz-public-key-1";
constexpr std::string_view kSecret = "litz-secret-key-1";

static_assert(sizeof(PublicKey) == crypto_sign_PUBLICKEYBYTES);
static_assert(sizeof(SecretKey::seed) == crypto_sign_SEEDBYTES);
static_assert(sizeof(Signature) == crypto_sign_BYTES);

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

/// Before the first use of the library; it may be called again, by any thread.
void start() {
  require(sodium_init() >= 0, ErrorCode::io,
          "random numbers of the operating system must be available");
}

using Digest = std::array<unsigned char, crypto_generichash_BYTES_MAX>;

Digest digest_of(std::string_view purpose, std::span<const std::byte> content) {
  Digest digest{};
  // The purpose is the hash's key. No purpose is as long as keys may be.
  check(!purpose.empty() && purpose.size() <= crypto_generichash_KEYBYTES_MAX,
        "a purpose must have 1 to 64 characters:", purpose);
  crypto_generichash(digest.data(), digest.size(), raw(content.data()), content.size(),
                     reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size());
  return digest;
}

/// The library's form of a secret key: the seed, then the public key.
using LibraryKey = std::array<unsigned char, crypto_sign_SECRETKEYBYTES>;

LibraryKey library_key(SecretKey& key) {
  LibraryKey both{};
  crypto_sign_seed_keypair(raw(key.public_key.bytes.data()), both.data(), raw(key.seed.data()));
  return both;
}

std::string digits_of(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<size_t>(byte) >> 4];
    text += kDigits[std::to_integer<size_t>(byte) & 15];
  }
  return text;
}

/// The value of a digit; 16 for other characters.
int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return 16;
}

bool read_digits(std::string_view text, std::span<std::byte> bytes) {
  if (text.size() != 2 * bytes.size()) return false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = value_of(text[2 * i]);
    const int low = value_of(text[2 * i + 1]);
    if (high > 15 || low > 15) return false;
    bytes[i] = static_cast<std::byte>(high << 4 | low);
  }
  return true;
}

std::string line_of(std::string_view kind, std::span<const std::byte> key,
                    std::string_view comment) {
  std::string line = std::string(kind) + " " + digits_of(key);
  if (!comment.empty()) line += " " + std::string(comment);
  return line + "\n";
}

/// Cuts the first word off.
std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

SecretKey new_secret_key() {
  start();
  SecretKey key;
  randombytes_buf(key.seed.data(), key.seed.size());
  library_key(key);
  return key;
}

Signature sign(const SecretKey& key, std::string_view purpose, std::span<const std::byte> content) {
  start();
  SecretKey copy = key;
  const LibraryKey both = library_key(copy);
  const Digest digest = digest_of(purpose, content);
  Signature signature{};
  crypto_sign_detached(raw(signature.data()), nullptr, digest.data(), digest.size(), both.data());
  return signature;
}

bool is_signed_by(const PublicKey& key, const Signature& signature, std::string_view purpose,
                  std::span<const std::byte> content) {
  start();
  const Digest digest = digest_of(purpose, content);
  return crypto_sign_verify_detached(raw(signature.data()), digest.data(), digest.size(),
                                     raw(key.bytes.data())) == 0;
}

std::string to_string(const PublicKey& key) { return digits_of(key.bytes); }

std::string to_line(const PublicKey& key, std::string_view comment) {
  return line_of(kPublic, key.bytes, comment);
}

std::string to_line(const SecretKey& key, std::string_view comment) {
  return line_of(kSecret, key.seed, comment);
}

PublicKey parse_public_key(std::string_view text) {
  std::string_view word = take_word(text);
  // The text itself stays out of the message.
  require(word != kSecret, "a secret key is only for signing: give the public key here");
  if (word == kPublic) word = take_word(text);
  PublicKey key;
  require(read_digits(word, key.bytes),
          "a public key must be the text that `litz key new` writes to NAME.pub, or its 64 "
          "hexadecimal digits, not",
          quote(word.substr(0, 80)));
  return key;
}

SecretKey parse_secret_key(std::string_view text) {
  start();
  const std::string_view word = take_word(text);
  require(word != kPublic, "a public key cannot sign: give the secret key, NAME.key");
  SecretKey key;
  require(word == kSecret && read_digits(take_word(text), key.seed),
          "a secret key must be the text that `litz key new` writes to NAME.key");
  library_key(key);
  return key;
}

}  // namespace litz
