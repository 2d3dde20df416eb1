// litz doctor: the features of this machine and this build.

#include <cstdio>
#include <fstream>
#include <memory>
#include <sys/utsname.h>
#include <unistd.h>
#include <variant>

#include "codegen/cuda/nvrtc.h"
#include "compiler/backend.h"
#include "compiler/kernels/kernel_cache.h"
#include "distributed/mpi/mpi_library.h"
#include "litz/commands.h"
#include "machine/cpu_targets.h"
#include "machine/executors.h"
#include "ops/op_table.h"
#include "runtime/cuda/blas_lt.h"
#include "runtime/cuda/dnn.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/nccl.h"
#include "runtime/program/program_loader.h"
#include "support/json_writer.h"
#include "support/text.h"
#include "support/thread_pool.h"

namespace litz::tools {
namespace {

struct Finding {
  std::string name;
  std::variant<std::string, int64_t> value;
  std::string text = {};  ///< For people, if it differs from the value.
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  }
  return "unknown";
}

std::string vector_units() {
#if defined(__x86_64__)
  std::string units = "sse2";
  if (__builtin_cpu_supports("avx2")) units += " avx2";
  if (__builtin_cpu_supports("fma")) units += " fma";
  if (__builtin_cpu_supports("avx512f")) units += " avx512f";
  if (__builtin_cpu_supports("avx512bw")) units += " avx512bw";
  if (__builtin_cpu_supports("avx512dq")) units += " avx512dq";
  if (__builtin_cpu_supports("avx512vl")) units += " avx512vl";
  if (__builtin_cpu_supports("avx512cd")) units += " avx512cd";
  return units;
#elif defined(__aarch64__)
  return "neon";
#else
  return "none known";
#endif
}

std::string system_name() {
  utsname names = {};
  if (::uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

/// The memory that programs can still get, or 0 where the system does not tell.
int64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t kilobytes = 0;
  for (std::string rest; file >> key >> kilobytes; std::getline(file, rest)) {
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

/// What a container allows, in the words of its file; empty without a limit.
std::string container_limit(const char* file_name) {
  std::ifstream file(std::string("/sys/fs/cgroup/") + file_name);
  std::string text;
  std::getline(file, text);
  return text.starts_with("max") ? "" : text;
}

std::string container_limits() {
  std::string limits;
  const std::string cpu = container_limit("cpu.max");  // "QUOTA PERIOD", in microseconds.
  const std::string memory = container_limit("memory.max");
  if (!cpu.empty()) limits = "cpu.max " + cpu;
  if (!memory.empty()) limits += (limits.empty() ? "memory.max " : ", memory.max ") + memory;
  return limits.empty() ? "none" : limits;
}

/// The targets whose code runs here.
std::string runnable_targets() {
  std::string names;
  for (const machine::CpuTargetRow& row : machine::cpu_targets()) {
    const std::string name(row.name);
    if (!runtime::reason_not_runnable({name, std::string(row.triple), ""}).empty()) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "none" : names;
}

/// The directory of compiled kernels and how full it is, or why there is none.
std::string cache_state() {
  const compiler::CacheSettings settings = compiler::CacheSettings::from_environment();
  std::string reason;
  const auto cache = compiler::KernelCache::open(settings, &reason);
  if (cache == nullptr) {
    return "none (" + (settings.directory.empty() ? reason : settings.directory + ": " + reason) +
           ")";
  }
  const compiler::CacheUsage usage = cache->usage();
  return settings.directory + ", " + human_bytes(usage.bytes) + " of at most " +
         human_bytes(settings.most_bytes);
}

/// NVIDIA's libraries, which are opened only where they are needed.
std::string cuda_libraries() {
  const std::string compiler = codegen::Nvrtc::reason_missing();
  std::string text = compiler.empty() ? "NVRTC " + codegen::Nvrtc::instance().version()
                                      : std::string("no NVRTC, so no code for cards");
  text += runtime::cuda::BlasLt::reason_missing().empty() ? ", cuBLASLt" : ", no cuBLASLt";
  text += runtime::cuda::Dnn::reason_missing().empty() ? ", cuDNN" : ", no cuDNN";
  text += ", " + runtime::cuda::describe_nccl();
  return text;
}

std::vector<Finding> findings() {
  const int64_t free = free_memory();
  const int64_t memory = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return {
      {"version", LITZ_VERSION},
      {"build", LITZ_BUILD ", compiler " __VERSION__},
      {"system", system_name()},
      {"processor", processor_name()},
      {"cores", int64_t{::sysconf(_SC_NPROCESSORS_ONLN)}},
      {"threads", int64_t{ThreadPool::available_cpus()}},
      {"container", container_limits()},
      {"vector units", vector_units()},
      {"memory", memory, human_bytes(static_cast<uint64_t>(memory))},
      {"free memory", free, human_bytes(static_cast<uint64_t>(free))},
      {"code", compiler::has_code_generator() ? "LLVM " LITZ_LLVM_VERSION
                                              : "none: programs are interpreted"},
      {"makes code for", compiler::has_code_generator() ? machine::target_list() : "none"},
      {"runs code for", runnable_targets()},
      {"runs files of", runtime::build_name()},
      {"executors", join(machine::executor_names(), ", ")},
      {"kernel cache", cache_state()},
      {"cuda", runtime::cuda::describe_cards()},
      {"cuda libraries", cuda_libraries()},
      {"mpi", distributed::mpi::describe_mpi()},
      {"operators", static_cast<int64_t>(ops::standard_ops()->all().size())},
  };
}

std::string text_of(const Finding& finding) {
  if (!finding.text.empty()) return finding.text;
  if (const auto* number = std::get_if<int64_t>(&finding.value)) return std::to_string(*number);
  return std::get<std::string>(finding.value);
}

int doctor(bool json) {
  const std::vector<Finding> list = findings();
  if (!json) {
    for (const Finding& finding : list) {
      std::printf("%-14s %s\n", finding.name.c_str(), text_of(finding).c_str());
    }
    return kSuccess;
  }
  JsonWriter out;
  out.begin_object();
  for (const Finding& finding : list) {
    std::visit([&](const auto& value) { out.member(finding.name, value); }, finding.value);
  }
  std::printf("%s\n", out.end_object().take().c_str());
  return kSuccess;
}

// Names that no program could use; tools/list_operators.py asks for PyTorch's whole list.
int name_unknown(const std::vector<std::string>& names) {
  const auto table = ops::standard_ops();
  for (const std::string& name : names) {
    if (table->find(name) == nullptr) std::printf("%s\n", name.c_str());
  }
  return kSuccess;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Tell what this machine and build can do");
  CLI::Option* const as_json = command->add_flag("--json", *json, "print one JSON object");
  auto names = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("--unknown", *names,
                   "print which of these operators are not known (aten.add.Tensor ...)")
      ->excludes(as_json);
  command->callback(
      [json, names, &status] { status = names->empty() ? doctor(*json) : name_unknown(*names); });
}

}  // namespace litz::tools
