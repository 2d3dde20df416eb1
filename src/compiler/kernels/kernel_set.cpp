// Scheduling builds expressions, so it runs on one thread; code generation does not, and runs on
// all threads. Kernels with equal texts share their code.

#include "compiler/kernels/kernel_set.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_map>
#include <utility>

#include "artifact/kernel_abi.h"
#include "artifact/kernel_file.h"
#include "compiler/backend.h"
#include "compiler/kernels/kernel_cache.h"
#include "loops/canonical.h"
#include "loops/clone.h"
#include "loops/interpreter.h"
#include "runtime/cpu/elf_object.h"
#include "runtime/cpu/imports.h"
#include "runtime/cpu/object_code.h"
#include "schedule/schedule.h"
#include "support/check.h"
#include "support/log.h"

namespace litz::compiler {
namespace {

/// A compiled kernel with its functions in loaded code.
struct CompiledKernel {
  artifact::KernelCode code;                        ///< Has its object if objects are kept.
  std::vector<artifact::KernelFunction> functions;  ///< Indexed by phase.
  std::optional<artifact::KernelKey> key;           ///< Set if there is a cache.
  bool is_stored = false;                           ///< The cache had the code.
  size_t code_bytes = 0;                            ///< The size of the instructions.
};

/// A kernel that is not compiled yet.
struct Job {
  size_t compiled = 0;  ///< Indexes Impl::compiled.
  schedule::Schedule schedule;
};

struct PreparedEntry {
  std::string reason;  ///< Why it is interpreted.
  std::unique_ptr<loops::PreparedKernel> interpreted;
  std::vector<TensorType> scratch;  ///< Needed by the interpreter besides bound buffers.
  size_t compiled = 0;              ///< Indexes Impl::compiled otherwise.
};

void require_type(const Tensor& tensor, const TensorType& type, const Bindings& bindings,
                  const std::string& kernel) {
  check(tensor.dtype() == type.dtype && tensor.sizes() == evaluate(type.sizes, bindings) &&
            tensor.strides() == evaluate(type.strides, bindings),
        "a buffer must have the type that its kernel was compiled for:", kernel);
}

size_t instruction_bytes(std::span<const std::byte> object) {
  size_t bytes = 0;
  for (const runtime::ObjectSection& section : runtime::ElfObject::parse(object).sections) {
    if (section.is_code) bytes += section.bytes.size();
  }
  return bytes;
}

/// Sets what compiling does not.
void describe(const loops::Kernel& kernel, artifact::KernelCode& code) {
  code.name = kernel.name;
  for (size_t i = 0; i < schedule::bound_buffers(kernel); ++i) {
    const loops::Buffer& buffer = kernel.buffers[i];
    code.buffers.push_back({buffer.type, buffer.role != loops::BufferRole::input});
  }
}

int64_t most_elements(const loops::Kernel& kernel) {
  int64_t most = 0;
  for (const loops::Buffer& buffer : kernel.buffers) {
    most = std::max(most, buffer.type.numel().maybe_constant().value_or(Interval::kMax));
  }
  return most;
}

}  // namespace

struct KernelSet::Impl {
  KernelSetOptions options;
  const ExprPool* pool = nullptr;
  std::vector<PreparedEntry> entries;
  std::vector<CompiledKernel> compiled;
  std::vector<Job> jobs;
  std::shared_ptr<const Backend> backend;  ///< Null: every kernel is interpreted.
  runtime::LoadedCode code;
  size_t first_epilogue = 0;                                     ///< Indexes entries.
  std::vector<std::optional<fusion::TileSymbols>> tile_symbols;  ///< Indexed by epilogue.

  /// Finds or schedules every kernel; without a cache, schedules them all.
  void prepare(std::span<const loops::Kernel* const> kernels, KernelStore* cache);
  void compile();
  void load();

  void report(const char* what, size_t done, size_t total) const {
    if (!options.on_phase) return;
    options.on_phase(what + std::to_string(done) + " of " + std::to_string(total));
  }

  void run_phase(const CompiledKernel& kernel, size_t phase,
                 const artifact::KernelArguments& arguments, const Bindings& bindings) const;
};

void KernelSet::Impl::prepare(std::span<const loops::Kernel* const> kernels, KernelStore* cache) {
  entries.clear();
  compiled.clear();
  jobs.clear();
  entries.resize(kernels.size());
  std::unordered_map<std::string, size_t> known;
  for (size_t i = 0; i < kernels.size(); ++i) {
    PreparedEntry& entry = entries[i];
    pool = kernels[i]->pool;
    if (i % 64 == 0) report("scheduling kernel ", i, kernels.size());
    if (backend == nullptr) {
      entry.reason = "--executor interpreter";
    } else if (auto reason = backend->reason_not_compiled(*kernels[i])) {
      entry.reason = *reason;
    } else if (options.compile_above > 0 && most_elements(*kernels[i]) < options.compile_above) {
      entry.reason = "too small to compile for one run";
    }
    if (!entry.reason.empty()) {
      entry.interpreted = std::make_unique<loops::PreparedKernel>(*kernels[i]);
      for (size_t b = schedule::bound_buffers(*kernels[i]); b < kernels[i]->buffers.size(); ++b) {
        entry.scratch.push_back(kernels[i]->buffers[b].type);
      }
      continue;
    }
    loops::Kernel kernel = loops::clone(*kernels[i]);
    loops::canonicalize(kernel);
    const auto [found, is_new] = known.emplace(loops::to_string(kernel), compiled.size());
    entry.compiled = found->second;
    if (!is_new) continue;
    CompiledKernel& result = compiled.emplace_back();
    if (options.cache != nullptr) result.key = kernel_key(kernel, found->first, *backend);
    if (cache != nullptr && result.key) {
      if (auto stored = cache->find(*result.key, *kernels[i]->pool)) {
        result.code = std::move(*stored);
        result.is_stored = true;
      }
    }
    if (!result.is_stored) {
      jobs.push_back({found->second, backend->schedule(std::move(kernel))});
    }
    describe(*kernels[i], result.code);
  }
}

void KernelSet::Impl::compile() {
  std::atomic<size_t> done = 0;
  const auto compile_block = [&](size_t begin, size_t end) {
    const std::unique_ptr<Backend::Compiler> compiler = backend->make_compiler();
    for (size_t i = begin; i < end; ++i) {
      CompiledKernel& result = compiled[jobs[i].compiled];
      artifact::KernelCode known = std::move(result.code);
      const std::string prefix = result.key ? artifact::symbol_prefix(*result.key)
                                            : "k" + std::to_string(jobs[i].compiled) + "_";
      report("compiling kernel ", done++, jobs.size());
      result.code = compiler->compile(jobs[i].schedule, prefix);
      result.code.name = std::move(known.name);
      result.code.buffers = std::move(known.buffers);
    }
  };
  if (jobs.empty()) return;
  const size_t count = jobs.size();
  const int64_t blocks = options.pool != nullptr ? std::min<int64_t>(options.pool->threads(),
                                                                     static_cast<int64_t>(count))
                                                 : 1;
  if (blocks <= 1) return compile_block(0, count);
  options.pool->parallel(blocks, [&](int64_t block) {
    const auto b = static_cast<size_t>(block);
    const auto n = static_cast<size_t>(blocks);
    compile_block(count * b / n, count * (b + 1) / n);
  });
}

void KernelSet::Impl::load() {
  if (compiled.empty() || !backend->runs_on_host()) return;
  std::vector<std::span<const std::byte>> objects;
  for (const CompiledKernel& kernel : compiled) objects.emplace_back(kernel.code.object);
  code = runtime::LoadedCode::load(objects, runtime::find_import);
  for (CompiledKernel& kernel : compiled) {
    for (const artifact::KernelPhase& phase : kernel.code.phases) {
      kernel.functions.push_back(code.find(phase.symbol));
      check(kernel.functions.back() != nullptr, "code must define its phases:", phase.symbol);
    }
  }
}

KernelSet::KernelSet(std::span<const loops::Kernel* const> given,
                     std::span<const loops::Kernel* const> epilogues,
                     const KernelSetOptions& options)
    : impl_(std::make_unique<Impl>()) {
  Impl& impl = *impl_;
  impl.options = options;
  if (options.compile) impl.backend = backend_for(options.target);
  impl.first_epilogue = given.size();
  std::vector<const loops::Kernel*> kernels(given.begin(), given.end());
  std::vector<loops::Kernel> tile_kernels;  // Pointers to elements must stay valid.
  tile_kernels.reserve(epilogues.size());
  for (const loops::Kernel* epilogue : epilogues) {
    std::optional<fusion::TileSymbols>& symbols = impl.tile_symbols.emplace_back();
    kernels.push_back(epilogue);
    const bool runs_once = options.compile_above > 0;
    if (impl.backend == nullptr || runs_once || impl.backend->reason_not_compiled(*epilogue)) {
      continue;
    }
    fusion::TileKernel tile = fusion::make_tile_kernel(*epilogue);
    symbols = std::move(tile.symbols);
    tile_kernels.push_back(std::move(tile.kernel));
    kernels.back() = &tile_kernels.back();
  }
  impl.prepare(kernels, options.cache);
  impl.compile();
  try {
    impl.load();
  } catch (const std::exception&) {
    // A stored file can be whole and still not hold loadable code; compile it again.
    if (std::ranges::none_of(impl.compiled, &CompiledKernel::is_stored)) throw;
    impl.prepare(kernels, nullptr);
    impl.compile();
    impl.load();
  }
  if (log_enabled(LogLevel::debug) && !impl.compiled.empty()) {
    log(LogLevel::debug, std::to_string(kernels.size()) + " kernels, " +
                             std::to_string(impl.compiled.size()) + " different, " +
                             std::to_string(impl.compiled.size() - impl.jobs.size()) +
                             " from the cache");
  }
  if (options.cache != nullptr) {
    for (const Job& job : impl.jobs) {
      const CompiledKernel& kernel = impl.compiled[job.compiled];
      if (kernel.key) options.cache->store(*kernel.key, kernel.code, *impl.pool);
    }
  }
  impl.jobs.clear();
  impl.options.on_phase = nullptr;
  const bool on_host = impl.backend == nullptr || impl.backend->runs_on_host();
  for (CompiledKernel& kernel : impl.compiled) {
    kernel.code_bytes = on_host ? instruction_bytes(kernel.code.object) : kernel.code.object.size();
    if (options.keep_objects) {
      kernel.code.digest = artifact::digest_of(kernel.code, *impl.pool);
    } else if (on_host) {
      kernel.code.object = {};
    }
  }
}

KernelSet::~KernelSet() = default;
KernelSet::KernelSet(KernelSet&&) noexcept = default;
KernelSet& KernelSet::operator=(KernelSet&&) noexcept = default;

void KernelSet::Impl::run_phase(const CompiledKernel& kernel, size_t index,
                                const artifact::KernelArguments& arguments,
                                const Bindings& bindings) const {
  const artifact::KernelPhase& phase = kernel.code.phases[index];
  const artifact::KernelFunction function = kernel.functions[index];
  const int64_t iterations = evaluate(phase.iterations, bindings);
  if (iterations <= 0) return;
  const auto run = [&](int64_t begin, int64_t end) {
    artifact::KernelFailure failure;
    artifact::KernelArguments own = arguments;
    own.failure = &failure;
    if (function(&own, begin, end) == 0) return;
    artifact::throw_failure(kernel.code.checks.at(static_cast<size_t>(failure.check)),
                            failure.value, failure.extent);
  };
  const int64_t grains = (iterations + phase.grain - 1) / phase.grain;
  const double total =
      static_cast<double>(iterations) * static_cast<double>(evaluate(phase.cost, bindings)) / 1000;
  const int64_t tasks = std::min(grains, ThreadPool::worthwhile_tasks(options.pool, total));
  if (tasks <= 1) return run(0, iterations);
  options.pool->parallel(tasks, [&](int64_t task) {
    const int64_t begin = chunk_begin(grains, tasks, task) * phase.grain;
    const int64_t end = std::min(iterations, chunk_begin(grains, tasks, task + 1) * phase.grain);
    if (begin < end) run(begin, end);
  });
}

namespace {

void interpret(const PreparedEntry& entry, std::span<const Tensor> buffers,
               const Bindings& bindings) {
  if (entry.scratch.empty()) return entry.interpreted->run(buffers, bindings);
  std::vector<Tensor> all(buffers.begin(), buffers.end());
  for (const TensorType& type : entry.scratch) {
    all.push_back(Tensor::empty(type.dtype, evaluate(type.sizes, bindings)));
  }
  entry.interpreted->run(all, bindings);
}

}  // namespace

void KernelSet::run(size_t index, std::span<const Tensor> buffers, const Bindings& bindings) const {
  const PreparedEntry& entry = impl_->entries[index];
  if (entry.interpreted != nullptr) return interpret(entry, buffers, bindings);
  const CompiledKernel& kernel = impl_->compiled[entry.compiled];
  check(buffers.size() == kernel.code.buffers.size(),
        "a kernel must get one tensor per buffer:", kernel.code.name, buffers.size());
  std::vector<void*> pointers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    require_type(buffers[i], kernel.code.buffers[i].type, bindings, kernel.code.name);
    // The ABI has one kind of pointer; kernels write only to outputs.
    pointers.push_back(const_cast<std::byte*>(buffers[i].data()));
  }
  std::vector<int64_t> scalars;
  for (const SymbolId symbol : kernel.code.scalars) {
    scalars.push_back(artifact::scalar_bits(impl_->pool->symbol_expr(symbol), bindings));
  }
  const artifact::KernelArguments arguments{pointers.data(), scalars.data(), nullptr};
  for (size_t phase = 0; phase < kernel.code.phases.size(); ++phase) {
    impl_->run_phase(kernel, phase, arguments, bindings);
  }
}

size_t KernelSet::compiled_index(size_t kernel) const { return impl_->entries[kernel].compiled; }

size_t KernelSet::epilogue(size_t i) const { return impl_->first_epilogue + i; }

const fusion::TileSymbols* KernelSet::tile_symbols(size_t kernel) const {
  if (kernel < impl_->first_epilogue) return nullptr;
  const auto& symbols = impl_->tile_symbols[kernel - impl_->first_epilogue];
  return symbols ? &*symbols : nullptr;
}

artifact::KernelFunction KernelSet::function(size_t kernel) const {
  const std::vector<artifact::KernelFunction>& functions =
      impl_->compiled[impl_->entries[kernel].compiled].functions;
  check(functions.size() == 1, "the kernel must have one phase:", functions.size());
  return functions[0];
}

const artifact::KernelCode& KernelSet::code(size_t kernel) const {
  return impl_->compiled[impl_->entries[kernel].compiled].code;
}

std::vector<artifact::KernelCode> KernelSet::codes() const {
  std::vector<artifact::KernelCode> codes;
  for (const CompiledKernel& kernel : impl_->compiled) codes.push_back(kernel.code);
  return codes;
}

std::vector<runtime::KernelId> KernelSet::add_to(runtime::GraphDevice& given) const {
  auto* const host = dynamic_cast<runtime::HostCodeDevice*>(&given);
  if (host == nullptr) return given.load(codes());
  runtime::HostCodeDevice& device = *host;
  std::vector<runtime::KernelId> ids;
  for (const CompiledKernel& kernel : impl_->compiled) {
    runtime::HostKernel known{.name = kernel.code.name, .phases = {}, .checks = kernel.code.checks};
    for (size_t i = 0; i < kernel.functions.size(); ++i) {
      const artifact::KernelPhase& phase = kernel.code.phases[i];
      known.phases.push_back({kernel.functions[i], phase.grain});
    }
    ids.push_back(device.add_kernel(std::move(known)));
  }
  return ids;
}

const std::string& KernelSet::reason_interpreted(size_t kernel) const {
  return impl_->entries[kernel].reason;
}

size_t KernelSet::compiled_count() const {
  return static_cast<size_t>(std::ranges::count_if(
      impl_->entries, [](const PreparedEntry& entry) { return entry.reason.empty(); }));
}

size_t KernelSet::code_bytes(size_t kernel) const {
  const PreparedEntry& entry = impl_->entries[kernel];
  return entry.reason.empty() ? impl_->compiled[entry.compiled].code_bytes : 0;
}

bool KernelSet::was_cached(size_t kernel) const {
  const PreparedEntry& entry = impl_->entries[kernel];
  return entry.reason.empty() && impl_->compiled[entry.compiled].is_stored;
}

}  // namespace litz::compiler
