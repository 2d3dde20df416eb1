// Compiled kernels as bytes, for files that outlive a process.
//
//   "litz-k03"  key (16 bytes)  payload size (8)  checksum (8)  payload
//
// The payload does not depend on the process: symbols are stored by name, expressions as text, and
// the key names the entry points. Files may be damaged: every length is checked against the bytes
// that are left, and the checksum detects any damaged byte. It does not protect against an attacker
// who wants to run other code; the reader must know the origin of its files.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "artifact/kernel_code.h"
#include "expr/expr.h"

namespace litz::artifact {

/// Identifies what was compiled, how, and for which target.
struct KernelKey {
  uint64_t high = 0;
  uint64_t low = 0;

  bool operator==(const KernelKey&) const = default;
};

/// 32 hexadecimal digits.
std::string to_string(const KernelKey& key);
/// The prefix of the names of a stored kernel's entry points; their number follows.
std::string symbol_prefix(const KernelKey& key);

/// Encodes a kernel without its name and the names of its entry points.
std::vector<std::byte> kernel_payload(const KernelCode& code, const ExprPool& pool);
/// Decodes it for a program whose symbols are in `pool`, and adds none. Throws Error{corrupt} for
/// anything that kernel_payload does not write, and what parse_expr throws.
KernelCode parse_kernel_payload(std::span<const std::byte> payload, const KernelKey& key,
                                ExprPool& pool);

/// Adds a header that proves that the payload is complete and belongs to the key.
std::vector<std::byte> seal(std::span<const std::byte> payload, const KernelKey& key);
/// Returns the payload of sealed bytes. Throws Error{corrupt} if they are damaged or have another
/// key.
std::span<const std::byte> unseal(std::span<const std::byte> bytes, const KernelKey& key);

}  // namespace litz::artifact
