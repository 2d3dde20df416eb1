// The signature behind a stored program. The file before it is what it is without one, so readers
// that trust every file need not know it.
//
//   file (file_frame.h)  magic (8)  version (8)  public key (32)  signature (64)  checksum (8)
//
// The checksum covers the rest of this part, so that readers that verify no signature notice damage.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/file_frame.h"
#include "support/signing.h"

namespace litz::artifact {

struct FileSignature {
  PublicKey key;  ///< Who is said to have signed.
  // Not the signature of a program (artifact/signature.h).
  litz::Signature signature{};
};

struct SignedFile {
  std::span<const std::byte> file;         ///< Without the signature.
  std::optional<FileSignature> signature;  ///< Not verified.
};

/// Tells a file from its signature. Reads no more than the size that the frame states. Throws
/// Error{corrupt} for a damaged signature, and Error{unsupported} for one of another version; leaves
/// other bytes behind the file to unframed().
SignedFile split_signature(const FileKind& kind, std::span<const std::byte> bytes);

/// What follows a signed file.
std::vector<std::byte> signature_bytes(std::span<const std::byte> file, const SecretKey& key);

/// True if the key that is said to have signed did so, and nothing has changed since.
bool is_genuine(const SignedFile& file);

/// Throws Error{untrusted} unless one of the keys signed the file.
void require_signed_by(const SignedFile& file, std::span<const PublicKey> trusted);

}  // namespace litz::artifact
