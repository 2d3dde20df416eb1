// Ed25519 keys and signatures. What is signed may be large: its BLAKE2b hash is signed, under a name
// that keeps signatures of one purpose from counting for another.
//
// A signature says who vouches for bytes. It hides nothing.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace litz {

struct PublicKey {
  std::array<std::byte, 32> bytes{};

  bool operator==(const PublicKey&) const = default;
};

/// Whoever has it can sign.
struct SecretKey {
  std::array<std::byte, 32> seed{};
  PublicKey public_key;  ///< Follows from the seed.
};

using Signature = std::array<std::byte, 64>;

/// Makes a key from random bytes of the operating system.
SecretKey new_secret_key();

Signature sign(const SecretKey& key, std::string_view purpose, std::span<const std::byte> content);

/// True if the key made the signature, for this purpose and this content.
bool is_signed_by(const PublicKey& key, const Signature& signature, std::string_view purpose,
                  std::span<const std::byte> content);

/// The key in 64 hexadecimal digits.
std::string to_string(const PublicKey& key);

/// The line of a key file: what it is, the key, and a comment, such as the key's name.
std::string to_line(const PublicKey& key, std::string_view comment);
std::string to_line(const SecretKey& key, std::string_view comment);

/// Reads what to_line wrote, or to_string. Throws Error{invalid_argument} for other text, and says so
/// if it is a secret key, which must not be handed out.
PublicKey parse_public_key(std::string_view text);
/// Reads what to_line wrote. Throws Error{invalid_argument} for other text.
SecretKey parse_secret_key(std::string_view text);

}  // namespace litz
