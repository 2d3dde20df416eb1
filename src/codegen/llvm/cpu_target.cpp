// What LLVM finds out about the host, reduced to what the emitter decides by.

#include "codegen/llvm/cpu_target.h"

#include <algorithm>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include "support/check.h"

namespace litz::codegen {
namespace {

constexpr const char* kX86Linux = "x86_64-pc-linux-gnu";
constexpr const char* kAvx2 = "+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe";
constexpr const char* kAvx512 =
    "+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe,+avx512f,+avx512bw,+avx512dq,"
    "+avx512vl,+avx512cd,-prefer-256-bit";

CpuTarget avx2() { return {"avx2", kX86Linux, "x86-64-v3", kAvx2, 32, false}; }

CpuTarget avx512() { return {"avx512", kX86Linux, "x86-64-v4", kAvx512, 64, true}; }

CpuTarget neon() { return {"neon", "aarch64-unknown-linux-gnu", "generic", "+neon", 16, false}; }

}  // namespace

CpuTarget CpuTarget::host() {
#if defined(__aarch64__)
  CpuTarget target = neon();
#else
  const llvm::StringMap<bool> found = llvm::sys::getHostCPUFeatures();
  const auto has = [&](const char* feature) { return found.lookup(feature); };
  const bool has_avx512 = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  require(has("avx2") && has("fma"), ErrorCode::unsupported,
          "compiled code needs a processor with AVX2 and FMA; run with --executor interpreter");
  CpuTarget target = has_avx512 ? avx512() : avx2();
#endif
  target.name = "host";
  return target;
}

std::vector<std::string_view> CpuTarget::names() { return {"host", "avx2", "avx512", "neon"}; }

CpuTarget CpuTarget::named(std::string_view name) {
  if (name == "host") return host();
  if (name == "avx2") return avx2();
  if (name == "avx512") return avx512();
  if (name == "neon") return neon();
  fail(ErrorCode::invalid_argument, "the target must be host, avx2, avx512 or neon:", name);
}

}  // namespace litz::codegen
