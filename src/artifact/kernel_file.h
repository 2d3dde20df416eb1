// Compiled kernels as bytes, for files that outlive a process.
//
//   "litz-k02"  key (16 bytes)  payload size (8)  checksum (8)  payload
//
// Nothing in the payload depends on the process: symbols are stored by name, expressions as text,
// and entry points are named by the key. Files are not trusted to be whole: every length is checked
// against what is left, and a damaged byte anywhere is noticed. The checksum does not resist
// somebody who wants to run other code; whoever reads files must know whose they are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "artifact/kernel_code.h"
#include "expr/expr.h"

namespace litz::artifact {

/// Names what was compiled, how and for what.
struct KernelKey {
  uint64_t high = 0;
  uint64_t low = 0;

  bool operator==(const KernelKey&) const = default;
};

/// 32 hexadecimal digits.
std::string to_string(const KernelKey& key);
/// What the names of a stored kernel's entry points begin with; their number follows.
std::string symbol_prefix(const KernelKey& key);

/// Everything of a kernel but its name and the names of its entry points.
std::vector<std::byte> kernel_payload(const KernelCode& code, const ExprPool& pool);
/// Reads it back for a program whose symbols are in `pool`; none are added. Throws Error{corrupt}
/// for anything that kernel_payload does not write, and as parse_expr does.
KernelCode parse_kernel_payload(std::span<const std::byte> payload, const KernelKey& key,
                                ExprPool& pool);

/// The payload with what proves that it is whole and belongs to the key.
std::vector<std::byte> seal(std::span<const std::byte> payload, const KernelKey& key);
/// The payload in sealed bytes. Throws Error{corrupt} when they are damaged or another key's.
std::span<const std::byte> unseal(std::span<const std::byte> bytes, const KernelKey& key);

}  // namespace litz::artifact
