#include "runtime/program/program_loader.h"

#include <cstring>
#include <set>

#include "artifact/file_signature.h"
#include "artifact/list_bounds.h"
#include "artifact/program_file.h"
#include "kernels/library.h"
#include "support/check.h"
#include "support/mapped_file.h"

namespace litz::runtime {
namespace {

/// Raise this when a function that programs call takes other arguments, or the calling convention
/// of kernels changes.
constexpr int kProgramAbi = 1;

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool has_avx512() {
#if defined(__x86_64__)
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
#else
  return false;
#endif
}

bool has_neon() {
#if defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

}  // namespace

std::string build_name() {
  return std::string(LITZ_VERSION) + " abi " + std::to_string(kProgramAbi);
}

bool is_compiled_program(std::span<const std::byte> bytes) {
  return artifact::is_file_of(bytes, artifact::kProgramFile);
}

std::string reason_not_runnable(const artifact::CodeTarget& target) {
  const bool runs = (target.name == "avx2" && has_avx2()) ||
                    (target.name == "avx512" && has_avx512()) ||
                    (target.name == "neon" && has_neon());
  const bool is_for_card = target.triple == artifact::kCudaTriple;
  return runs || is_for_card ? "" : "code for " + target.name + " (" + target.triple + ")";
}

namespace {

/// True for zip archives, as exported programs are.
bool is_archive(std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic = "PK\x03\x04";
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

/// The functions that a program calls, each once.
std::set<std::string> functions_of(const artifact::Program& program) {
  std::set<std::string> names;
  for (const artifact::Program& part : program.parts) names.merge(functions_of(part));
  for (const artifact::LaunchList& list : program.lists) {
    for (const artifact::Launch& launch : list.launches) {
      const auto* const work = std::get_if<artifact::LibraryLaunch>(&launch.work);
      if (work != nullptr) names.insert(work->function);
    }
  }
  for (const artifact::Routine& routine : program.routines) {
    for (const artifact::Step& step : routine.steps) {
      const auto* const work = std::get_if<artifact::LibraryStep>(&step.work);
      if (work != nullptr) names.insert(work->function);
    }
  }
  return names;
}

void require_functions(const artifact::Program& program) {
  std::string missing;
  for (const std::string& name : functions_of(program)) {
    if (kernels::find_library_entry(name) != nullptr) continue;
    missing += (missing.empty() ? "" : ", ") + name;
  }
  require(missing.empty(), ErrorCode::unsupported,
          "every operator must have a function to be run; nobody knows", missing,
          "- register it with `--operators FILE.so` or litz::register_operators "
          "(docs/operators.md)");
}

void add_bounds(artifact::Program& program) {
  for (artifact::LaunchList& list : program.lists) artifact::add_bounds(list, program.kernels);
}

}  // namespace

artifact::Program load_program(std::span<const std::byte> bytes,
                               const std::shared_ptr<const void>& keeper,
                               std::span<const PublicKey> trusted) {
  require(
      !is_archive(bytes), ErrorCode::unsupported,
      "an exported program (.pt2) is not a compiled one: open it with `litz run` or litz::load, or "
      "compile it with `litz compile`");
  if (!trusted.empty() && is_compiled_program(bytes)) {
    artifact::require_signed_by(artifact::split_signature(artifact::kProgramFile, bytes), trusted);
  }
  artifact::Program program = artifact::read_program_file(bytes, keeper, build_name());
  std::string reason = reason_not_runnable(program.target);
  for (const artifact::Program& part : program.parts) {
    if (reason.empty()) reason = reason_not_runnable(part.target);
  }
  require(reason.empty(), ErrorCode::unsupported,
          "a compiled program must be made for this processor; compile it again here, or with "
          "--target:",
          reason);
  require_functions(program);
  add_bounds(program);
  for (artifact::Program& part : program.parts) add_bounds(part);
  return program;
}

artifact::Program load_program(const std::string& path, std::span<const PublicKey> trusted,
                               bool copies) {
  auto file = std::make_shared<MappedFile>(trusted.empty() && !copies ? MappedFile::open(path)
                                                                      : MappedFile::read(path));
  const std::span<const std::byte> bytes = file->bytes();
  try {
    return file->reading([&] { return load_program(bytes, file, trusted); });
  } catch (Error& error) {
    error.add_note("while loading " + path);
    throw;
  }
}

}  // namespace litz::runtime
