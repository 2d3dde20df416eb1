// The processors that code is made for by name. Everything that lists targets reads this table.

#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace litz::machine {

/// The machine that compiles, as the best of the targets that it is.
inline constexpr std::string_view kHostTarget = "host";

struct CpuTargetRow {
  std::string_view name;
  std::string_view triple;
  std::string_view cpu;       ///< The code generator's name of the processor.
  std::string_view features;  ///< Of it: "+avx2,+fma".
  int vector_bytes = 0;
  bool has_masks = false;  ///< Loads and stores under a mask are single instructions for any type.
};

std::span<const CpuTargetRow> cpu_targets();

/// Null for an unknown name, and for "host".
const CpuTargetRow* find_cpu_target(std::string_view name);

/// "host" and the names of all targets.
std::vector<std::string_view> target_names();

/// The same for people: "host, avx2, avx512, neon".
std::string target_list();

}  // namespace litz::machine
