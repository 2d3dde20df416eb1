// A program as its callers see it: inputs, outputs and buffers, with names and ranges of sizes.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "artifact/signature.h"
#include "runtime/program/program_calls.h"

namespace litz::runtime {

enum class EntryKind : uint8_t { none, tensor, integer, real, boolean, text };

struct EntrySize {
  int64_t least = 0;
  int64_t most = 0;  ///< INT64_MAX if nothing bounds it.
  std::string text;  ///< "8", "s0", "2*s0 + 1": in one call, sizes of equal text are equal.
};

struct Entry {
  std::string name;  ///< "x", "opts['k']", "cache.keys"; "out0" for an output without a name.
  EntryKind kind = EntryKind::none;
  DType dtype = DType::f32;      ///< Tensors only.
  std::vector<EntrySize> sizes;  ///< Tensors only.
  /// The value that the program was exported with and that calls must pass: a number, text in quotes,
  /// or None. Empty for inputs that calls choose.
  std::string constant;
};

/// The inputs that calls pass, in order.
std::vector<Entry> input_entries(const artifact::Signature& signature);
/// The results of calls, in order.
std::vector<Entry> output_entries(const artifact::Signature& signature);
/// The weights that calls change.
std::vector<Entry> buffer_entries(const artifact::Signature& signature, const ProgramCalls& calls);

/// The input that is the buffer of this name. Throws Error{not_found} that lists the buffers.
size_t buffer_named(const artifact::Signature& signature, const ProgramCalls& calls,
                    const std::string& name);

}  // namespace litz::runtime
