// Queries the host through LLVM, and reduces the answer to what the emitter needs.

#include "codegen/llvm/cpu_target.h"

#include <algorithm>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include "machine/cpu_targets.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

CpuTarget target_of(const machine::CpuTargetRow& row) {
  return {std::string(row.name),     std::string(row.triple), std::string(row.cpu),
          std::string(row.features), row.vector_bytes,        row.has_masks};
}

}  // namespace

CpuTarget CpuTarget::host() {
#if defined(__aarch64__)
  CpuTarget target = named("neon");
#else
  const llvm::StringMap<bool> found = llvm::sys::getHostCPUFeatures();
  const auto has = [&](const char* feature) { return found.lookup(feature); };
  const bool has_avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  require(has("avx2") && has("fma"), ErrorCode::unsupported,
          "compiled code needs a processor with AVX2 and FMA; run with --executor interpreter");
  CpuTarget target = named(has_avx512 ? "avx512" : "avx2");
#endif
  target.name = machine::kHostTarget;
  return target;
}

CpuTarget CpuTarget::named(std::string_view name) {
  if (name == machine::kHostTarget) return host();
  const machine::CpuTargetRow* const row = machine::find_cpu_target(name);
  require(row != nullptr, "the target must be one of", machine::target_list() + ", not", name);
  return target_of(*row);
}

}  // namespace litz::codegen
