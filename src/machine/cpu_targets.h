// The named processors that code is generated for. All code that lists targets reads this table.

#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace litz::machine {

/// The machine that compiles, as the best matching target.
inline constexpr std::string_view kHostTarget = "host";

struct CpuTargetRow {
  std::string_view name;
  std::string_view triple;
  std::string_view cpu;       ///< The code generator's name for the processor.
  std::string_view features;  ///< Its feature string: "+avx2,+fma".
  int vector_bytes = 0;
  bool has_masks = false;  ///< Masked loads and stores are single instructions for any type.
};

std::span<const CpuTargetRow> cpu_targets();

/// Returns null for an unknown name, and for "host".
const CpuTargetRow* find_cpu_target(std::string_view name);

/// "host" and the names of all targets.
std::vector<std::string_view> target_names();

/// The names for people: "host, avx2, avx512, neon".
std::string target_list();

}  // namespace litz::machine
