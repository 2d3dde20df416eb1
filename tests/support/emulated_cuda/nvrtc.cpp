// NVRTC for the emulated card: the system's C++ compiler makes shared objects of CUDA text.
//
// A header with the names of CUDA stands before the text, and a description of each kernel behind
// it. Results are kept in the folder LITZ_EMULATED_CUDA_CACHE, if it is set.

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

extern char** environ;

namespace emulated {
namespace {

constexpr const char* kShim =
#include "kernel_shim.inc"
    ;

enum NvrtcResult : int {
  kNvrtcSuccess = 0,
  kNvrtcInvalidInput = 3,
  kNvrtcInvalidProgram = 4,
  kNvrtcInvalidOption = 5,
  kNvrtcCompilation = 6,
};

struct Program {
  std::string text;
  std::string log;
  std::string object;
  bool is_compiled = false;
};

struct Programs {
  std::mutex mutex;
  Handles<Program> live{"program"};
};

Programs& programs() {
  static auto* const only = new Programs;
  return *only;
}

/// Describes the kernels of a text to the driver.
std::string descriptions_of(const std::string& text) {
  static const std::regex kernel(
      R"(__global__\s+void\s+(?:__launch_bounds__\s*\(([^)]*)\)\s*)?(\w+)\s*\()");
  std::string lines;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kernel);
       at != std::sregex_iterator(); ++at) {
    const std::string bounds = (*at)[1];
    const std::string most = bounds.empty() ? "0" : bounds.substr(0, bounds.find(','));
    lines += "LITZ_EMULATED_KERNEL(" + std::string((*at)[2]) + ", (" + most + "))\n";
  }
  return lines;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Runs the compiler; returns its exit status. Its messages go to `log`.
int compile(const std::string& source, const std::string& object, const std::string& log,
            const std::vector<std::string>& definitions) {
  std::vector<std::string> words{"c++",
                                 "-std=c++20",
                                 "-O1",
                                 "-w",
                                 "-march=native",
                                 "-ffp-contract=off",
                                 "-fPIC",
                                 "-fno-strict-aliasing",
                                 "-fno-exceptions",
                                 "-fvisibility=hidden",
                                 "-fno-gnu-unique",
                                 "-shared",
                                 "-o",
                                 object,
                                 source};
  words.insert(words.end() - 1, definitions.begin(), definitions.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    misuse(std::string("the C++ compiler could not be started: ") + std::strerror(failed));
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::string folder() {
  const char* const cache = std::getenv("LITZ_EMULATED_CUDA_CACHE");
  if (cache != nullptr && *cache != '\0') return cache;
  const char* const temporary = std::getenv("TMPDIR");
  return temporary != nullptr ? temporary : "/tmp";
}

NvrtcResult compile(Program& program, const std::vector<std::string>& definitions) {
  const std::string whole = std::string(kShim) + "\n#line 1 \"kernels.cu\"\n" + program.text +
                            "\n" + descriptions_of(program.text);
  std::string key = whole;
  for (const std::string& definition : definitions) key += definition;
  const bool is_cached = std::getenv("LITZ_EMULATED_CUDA_CACHE") != nullptr;
  char name[40];
  std::snprintf(name, sizeof name, "emulated_%016zx%08zx", std::hash<std::string>()(key),
                key.size());
  const std::string kept = folder() + "/" + name + ".so";
  if (is_cached) program.object = read_file(kept);
  program.is_compiled = true;
  if (!program.object.empty()) return kNvrtcSuccess;
  static std::atomic<int> number{0};
  const std::string base =
      folder() + "/" + name + "_" + std::to_string(::getpid()) + "_" + std::to_string(++number);
  write_file(base + ".cpp", whole);
  const int status = compile(base + ".cpp", base + ".so", base + ".log", definitions);
  program.log = read_file(base + ".log");
  program.object = status == 0 ? read_file(base + ".so") : "";
  if (is_cached && status == 0) ::rename((base + ".so").c_str(), kept.c_str());
  for (const char* const end : {".cpp", ".so", ".log"}) ::unlink((base + end).c_str());
  return status == 0 ? kNvrtcSuccess : kNvrtcCompilation;
}

}  // namespace

size_t live_programs() { return programs().live.count(); }

}  // namespace emulated

using namespace emulated;

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return kNvrtcSuccess;
}

const char* nvrtcGetErrorString(int result) {
  return result == kNvrtcSuccess       ? "NVRTC_SUCCESS"
         : result == kNvrtcCompilation ? "NVRTC_ERROR_COMPILATION"
                                       : "NVRTC_ERROR";
}

int nvrtcCreateProgram(void** program, const char* text, const char* /*name*/, int headers,
                       const char* const* /*texts*/, const char* const* /*names*/) {
  if (text == nullptr || headers != 0) return kNvrtcInvalidInput;
  const std::lock_guard lock(programs().mutex);
  auto made = std::make_unique<Program>();
  made->text = text;
  *program = programs().live.add(std::move(made));
  return kNvrtcSuccess;
}

int nvrtcDestroyProgram(void** program) {
  const std::lock_guard lock(programs().mutex);
  programs().live.remove(*program);
  *program = nullptr;
  return kNvrtcSuccess;
}

int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  Program* own = nullptr;
  {
    const std::lock_guard lock(programs().mutex);
    own = &programs().live.get(program);
  }
  std::vector<std::string> definitions;
  bool has_target = false;
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i];
    if (option.empty() || option[0] != '-') return kNvrtcInvalidOption;
    has_target = has_target || option.rfind("--gpu-architecture=sm_", 0) == 0 ||
                 option.rfind("-arch=sm_", 0) == 0;
    if (option.rfind("-D", 0) == 0) definitions.push_back(option);
  }
  if (!has_target) return kNvrtcInvalidOption;  // Without one, NVRTC makes no cubin.
  return compile(*own, definitions);
}

int nvrtcGetCUBINSize(void* program, size_t* bytes) {
  const std::lock_guard lock(programs().mutex);
  const Program& own = programs().live.get(program);
  *bytes = own.object.size();
  return own.object.empty() ? kNvrtcInvalidProgram : kNvrtcSuccess;
}

int nvrtcGetCUBIN(void* program, char* object) {
  const std::lock_guard lock(programs().mutex);
  const Program& own = programs().live.get(program);
  std::memcpy(object, own.object.data(), own.object.size());
  return own.object.empty() ? kNvrtcInvalidProgram : kNvrtcSuccess;
}

int nvrtcGetProgramLogSize(void* program, size_t* bytes) {
  const std::lock_guard lock(programs().mutex);
  *bytes = programs().live.get(program).log.size() + 1;
  return kNvrtcSuccess;
}

int nvrtcGetProgramLog(void* program, char* log) {
  const std::lock_guard lock(programs().mutex);
  const Program& own = programs().live.get(program);
  std::memcpy(log, own.log.c_str(), own.log.size() + 1);
  return kNvrtcSuccess;
}

}  // extern "C"
