// litz doctor: the features of this machine and this build.

#include <cstdio>
#include <fstream>
#include <memory>
#include <unistd.h>
#include <variant>

#include "compiler/backend.h"
#include "compiler/kernels/kernel_cache.h"
#include "litz/commands.h"
#include "machine/executors.h"
#include "ops/op_table.h"
#include "support/json_writer.h"
#include "support/text.h"

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
  return units;
#elif defined(__aarch64__)
  return "neon";
#else
  return "none known";
#endif
}

/// The directory of compiled kernels, or why there is none.
std::string cache_state() {
  const compiler::CacheSettings settings = compiler::CacheSettings::from_environment();
  std::string reason;
  if (compiler::KernelCache::open(settings, &reason) != nullptr) return settings.directory;
  return "none (" + (settings.directory.empty() ? reason : settings.directory + ": " + reason) +
         ")";
}

std::vector<Finding> findings() {
  const int64_t memory = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return {
      {"version", LITZ_VERSION},
      {"processor", processor_name()},
      {"cores", int64_t{::sysconf(_SC_NPROCESSORS_ONLN)}},
      {"vector units", vector_units()},
      {"memory", memory, human_bytes(static_cast<uint64_t>(memory))},
      {"code", compiler::has_code_generator() ? "LLVM" : "none: programs are interpreted"},
      {"executors", join(machine::executor_names(), ", ")},
      {"kernel cache", cache_state()},
      {"cuda", "not built in"},
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
  command->add_flag("--json", *json, "print one JSON object");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("--unknown", *names,
                      "print which of these operators are not known (aten.add.Tensor ...)");
  command->callback(
      [json, names, &status] { status = names->empty() ? doctor(*json) : name_unknown(*names); });
}

}  // namespace litz::tools
