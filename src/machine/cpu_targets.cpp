#include "machine/cpu_targets.h"

#include <algorithm>

#include "support/text.h"

namespace litz::machine {
namespace {

constexpr std::string_view kX86Linux = "x86_64-pc-linux-gnu";

constexpr std::array kTargets{
    CpuTargetRow{"avx2", kX86Linux, "x86-64-v3",
                 "+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe", 32, false},
    CpuTargetRow{"avx512", kX86Linux, "x86-64-v4",
                 "+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe,+avx512f,+avx512bw,"
                 "+avx512dq,+avx512vl,+avx512cd,-prefer-256-bit",
                 64, true},
    CpuTargetRow{"neon", "aarch64-unknown-linux-gnu", "generic", "+neon", 16, false},
};

}  // namespace

std::span<const CpuTargetRow> cpu_targets() { return kTargets; }

const CpuTargetRow* find_cpu_target(std::string_view name) {
  const auto* const found = std::ranges::find(kTargets, name, &CpuTargetRow::name);
  return found == kTargets.end() ? nullptr : found;
}

std::vector<std::string_view> target_names() {
  std::vector<std::string_view> names{kHostTarget};
  for (const CpuTargetRow& target : kTargets) names.push_back(target.name);
  return names;
}

std::string target_list() { return join(target_names(), ", "); }

}  // namespace litz::machine
