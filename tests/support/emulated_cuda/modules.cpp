// Modules of the emulated card: shared objects that the emulated NVRTC has made.

#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <numeric>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

#include "fibers.h"
#include "machine.h"

namespace emulated {

/// What a module says about a kernel; kernel_shim.inc declares the same.
struct KernelFacts {
  void (*run)(void** arguments);
  size_t count;
  const size_t* bytes;
  unsigned most_threads;
};

struct ModuleObject {
  void* library = nullptr;
  char* shared_begin = nullptr;  ///< Its shared memory.
  char* shared_end = nullptr;
  std::vector<const FunctionObject*> functions;

  int file = -1;  ///< Open as long as the library, which is known by its number.

  ~ModuleObject() {
    if (library != nullptr) ::dlclose(library);
    ::close(file);
  }
};

struct FunctionObject {
  std::string name;
  const KernelFacts* facts = nullptr;
  const ModuleObject* module = nullptr;
};

namespace {

Handles<ModuleObject>& modules() {
  static auto* const only = new Handles<ModuleObject>("module");
  return *only;
}

Handles<FunctionObject>& functions() {
  static auto* const only = new Handles<FunctionObject>("function");
  return *only;
}

const char* running = "";

// A kernel that touches memory that is not the card's ends here.
void report_fault(int /*signal*/, siginfo_t* info, void* /*context*/) {
  char text[400];
  const int length = std::snprintf(text, sizeof text,
                                   "emulated CUDA: kernel %s touches %p, thread %u of block %u\n",
                                   running, info->si_addr, hooks.thread.x, hooks.block.x);
  if (length > 0 && ::write(2, text, static_cast<size_t>(length)) < 0) ::_exit(1);
  ::_exit(134);
}

/// Reports faults of kernels while it lives.
class FaultReport {
 public:
  explicit FaultReport(const char* kernel) {
    running = kernel;
    static char stack[64 << 10];
    const stack_t alternate{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
    ::sigaltstack(&alternate, &old_stack_);
    struct sigaction action = {};
    action.sa_sigaction = report_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGSEGV, &action, &old_action_);
  }

  ~FaultReport() {
    ::sigaction(SIGSEGV, &old_action_, nullptr);
    ::sigaltstack(&old_stack_, nullptr);
  }

  FaultReport(const FaultReport&) = delete;
  FaultReport& operator=(const FaultReport&) = delete;

 private:
  stack_t old_stack_ = {};
  struct sigaction old_action_ = {};
};

/// The bytes of a shared object, whose length its section headers tell.
size_t object_bytes(const void* image) {
  const auto* const bytes = static_cast<const unsigned char*>(image);
  if (std::memcmp(bytes, "\177ELF\2\1", 6) != 0) return 0;
  uint64_t sections = 0;
  uint16_t section_bytes = 0;
  uint16_t section_count = 0;
  std::memcpy(&sections, bytes + 40, sizeof sections);
  std::memcpy(&section_bytes, bytes + 58, sizeof section_bytes);
  std::memcpy(&section_count, bytes + 60, sizeof section_count);
  return sections + size_t{section_bytes} * section_count;
}

void open_object(ModuleObject& module, const void* image, size_t bytes) {
  const int file = module.file = ::memfd_create("emulated_module", 0);
  if (file < 0) misuse("no file in memory for a module");
  size_t done = 0;
  while (done < bytes) {
    const ssize_t written = ::write(file, static_cast<const char*>(image) + done, bytes - done);
    if (written <= 0) misuse("a module could not be written");
    done += static_cast<size_t>(written);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  module.library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module.library == nullptr) {
    misuse(std::string("a module could not be opened: ") + ::dlerror());
  }
}

}  // namespace

KernelRun kernel_run(const litz::runtime::cuda::KernelNode& node) {
  const FunctionObject& function = functions().get(node.function);
  const std::string who = "kernel " + function.name;
  const auto& [grid, block] = std::tie(node.grid, node.block);
  const bool has_one_dimension =
      grid[1] == 1 && grid[2] == 1 && block[1] == 1 && block[2] == 1 && node.shared_bytes == 0;
  if (!has_one_dimension) misuse(who + ": grids and blocks must have one dimension");
  if (grid[0] == 0 || grid[0] > 0x7fffffff) misuse(who + ": a grid of no or too many blocks");
  if (block[0] == 0 || block[0] > 1024) misuse(who + ": a block of no or too many threads");
  if (function.facts->most_threads != 0 && block[0] > function.facts->most_threads) {
    misuse(who + ": more threads than its __launch_bounds__");
  }
  if (node.extra != nullptr) misuse(who + ": extra options");
  KernelRun run{&function, grid[0], block[0], {}};
  for (size_t i = 0; i < function.facts->count; ++i) {
    const void* const value = node.parameters[i];
    if (value == nullptr) misuse(who + ": no value for a parameter");
    const auto* const first = static_cast<const std::byte*>(value);
    run.arguments.emplace_back(first, first + function.facts->bytes[i]);
  }
  return run;
}

void run_kernel(const KernelRun& run) {
  const FunctionObject& function = *run.function;
  const FaultReport report(function.name.c_str());
  std::vector<void*> arguments;
  for (const std::vector<std::byte>& value : run.arguments) {
    arguments.push_back(const_cast<std::byte*>(value.data()));
  }
  hooks.grid_size = {run.blocks, 1, 1};
  hooks.block_size = {run.threads, 1, 1};
  // Blocks run in some order: a walk whose step has no factor in common with their number.
  uint64_t step = machine().random() % run.blocks;
  while (std::gcd(step, uint64_t{run.blocks}) != 1) ++step;
  uint64_t at = machine().random() % run.blocks;
  for (unsigned i = 0; i < run.blocks; ++i) {
    hooks.block = {static_cast<unsigned>(at), 0, 0};
    const ModuleObject& module = *function.module;
    if (module.shared_begin != module.shared_end) {
      std::memset(module.shared_begin, 0xff,
                  static_cast<size_t>(module.shared_end - module.shared_begin));
    }
    run_block(function.facts->run, arguments.data(), run.threads, machine().random());
    at = (at + step) % run.blocks;
  }
}

size_t live_modules() { return modules().count(); }

}  // namespace emulated

using namespace emulated;

extern "C" {

Result cuModuleLoadData(void** handle, const void* image) {
  return enter("cuModuleLoadData", true, [&] {
    const size_t bytes = object_bytes(image);
    if (bytes == 0) return kInvalidImage;
    auto module = std::make_unique<ModuleObject>();
    open_object(*module, image, bytes);
    auto** const own_hooks = static_cast<Hooks**>(::dlsym(module->library, "litz_emulated"));
    if (own_hooks == nullptr) return kInvalidImage;
    *own_hooks = &hooks;
    const auto shared = reinterpret_cast<void (*)(char**, char**)>(
        ::dlsym(module->library, "litz_emulated_shared"));
    shared(&module->shared_begin, &module->shared_end);
    *handle = modules().add(std::move(module));
    return kSuccess;
  });
}

Result cuModuleUnload(void* handle) {
  return enter("cuModuleUnload", true, [&] {
    const ModuleObject& module = modules().get(handle);
    if (has_work_here()) misuse("cuModuleUnload while work waits");
    for (const FunctionObject* const function : module.functions) functions().remove(function);
    modules().remove(handle);
    return kSuccess;
  });
}

Result cuModuleGetFunction(void** function, void* handle, const char* name) {
  return enter("cuModuleGetFunction", true, [&] {
    ModuleObject& module = modules().get(handle);
    const std::string symbol = "litz_kernel_" + std::string(name);
    const void* const facts = ::dlsym(module.library, symbol.c_str());
    if (facts == nullptr) return kNotFound;
    auto made = std::make_unique<FunctionObject>();
    *made = {name, static_cast<const KernelFacts*>(facts), &module};
    FunctionObject* const added = functions().add(std::move(made));
    module.functions.push_back(added);
    *function = added;
    return kSuccess;
  });
}

Result cuFuncGetParamInfo(void* function, size_t index, size_t* offset, size_t* bytes) {
  return enter("cuFuncGetParamInfo", true, [&] {
    const KernelFacts& facts = *functions().get(function).facts;
    if (index >= facts.count) return kInvalidValue;
    *bytes = facts.bytes[index];
    *offset = 0;
    for (size_t i = 0; i < index; ++i) *offset += facts.bytes[i];
    return kSuccess;
  });
}

Result cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                      void* stream, void** parameters, void** extra) {
  return enter("cuLaunchKernel", true, [&] {
    const litz::runtime::cuda::KernelNode node{
        .function = static_cast<litz::runtime::cuda::Function>(function),
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared_bytes = shared_bytes,
        .parameters = parameters,
        .extra = extra};
    give(stream, [run = kernel_run(node)] { run_kernel(run); });
    return kSuccess;
  });
}

}  // extern "C"
