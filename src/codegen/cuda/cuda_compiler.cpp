#include "codegen/cuda/cuda_compiler.h"

#include <algorithm>

#include "codegen/cuda/kernel_text.h"
#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/prelude.h"
#include "loops/instrs.h"
#include "schedule/complex_parts.h"
#include "schedule/computed_sizes.h"

namespace litz::codegen {
namespace {

/// What a block has without asking for more.
constexpr int64_t kMostShared = 40 << 10;

/// Sorts compare all pairs of keys, which are in the memory of a block.
constexpr int64_t kMostSorted = 2048;

std::optional<std::string> reason_of_sort(const loops::Instr& instr) {
  if (instr.kind != loops::InstrKind::sort || bounds(instr.vars[0].extent).hi <= kMostSorted) {
    return std::nullopt;
  }
  return "a sort of more than " + std::to_string(kMostSorted) + " elements";
}

/// True if a sort is inside of what the threads of a team divide, each of which is then alone.
bool has_divided_sort(const loops::Block& block, bool is_divided = false) {
  return std::ranges::any_of(block.instrs, [&](const loops::Instr& instr) {
    const bool is_sort = instr.kind == loops::InstrKind::sort;
    if (is_sort && is_divided) return true;
    const bool divides = is_divided || is_sort || instr.kind == loops::InstrKind::reduce ||
                         loops::is_combining(instr);
    return std::ranges::any_of(instr.blocks, [&](const std::unique_ptr<loops::Block>& nested) {
      return has_divided_sort(*nested, divides);
    });
  });
}

std::optional<std::string> reason_of_scratch(const loops::Kernel& kernel) {
  int64_t shared = 0;
  loops::for_each_instr(kernel.body, [&](const loops::Instr& instr) {
    if (instr.kind != loops::InstrKind::sort) return;
    shared += std::min(bounds(instr.vars[0].extent).hi, kMostSorted) * 8;
  });
  for (const loops::Buffer& buffer : kernel.buffers) {
    if (buffer.role != loops::BufferRole::scratch) continue;
    const auto elements = buffer.type.numel().maybe_constant();
    if (!elements) return "rows of sizes that only a call knows";
    shared += *elements * item_size(buffer.type.dtype);
  }
  if (shared > kMostShared) return "rows longer than the memory of a block";
  return std::nullopt;
}

std::string whole_text(const KernelText& kernel) {
  std::string text(cuda_prelude());
  if (kernel.has_complex()) text += cuda_complex_prelude();
  if (kernel.has_attention()) text += cuda_attention_prelude();
  return text + "\n" + kernel.text();
}

}  // namespace

std::optional<std::string> reason_not_compiled_for_cuda(const loops::Kernel& kernel) {
  if (schedule::has_complex(kernel) && !schedule::in_parts(kernel)) return "complex numbers";
  if (has_divided_sort(kernel.body)) return "a sort inside of another loop that threads divide";
  std::optional<std::string> reason = reason_of_scratch(kernel);
  loops::for_each_instr(kernel.body, [&](const loops::Instr& instr) {
    if (auto own = reason_of_sort(instr)) reason = std::move(own);
  });
  if (auto own = schedule::function_not_compiled(kernel)) reason = std::move(own);
  return reason;
}

std::string cuda_text(const schedule::Schedule& schedule, const std::string& prefix) {
  std::vector<artifact::KernelCheck> checks;
  KernelText kernel(schedule, checks);
  for (size_t i = 0; i < schedule.phases.size(); ++i) {
    kernel.add_phase(schedule.phases[i], prefix + std::to_string(i));
  }
  return whole_text(kernel);
}

artifact::KernelCode compile_for_cuda(const schedule::Schedule& schedule, const std::string& prefix,
                                      std::string_view architecture) {
  artifact::KernelCode code;
  code.name = schedule.kernel.name;
  code.scalars = schedule.scalars;
  KernelText kernel(schedule, code.checks);
  for (const schedule::Phase& phase : schedule.phases) {
    artifact::KernelPhase entry;
    entry.symbol = prefix + std::to_string(code.phases.size());
    entry.iterations = phase.iterations;
    entry.grain = phase.grain;
    entry.threads = phase.block.threads;
    entry.cost = phase.cost;
    kernel.add_phase(phase, entry.symbol);
    code.phases.push_back(std::move(entry));
  }
  code.object = Nvrtc::instance().compile(whole_text(kernel), architecture);
  return code;
}

}  // namespace litz::codegen
