// Passes, lowering and preparation run once; binding, running and writing back run on every call.

#include "compiler/executable.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "compiler/backend.h"
#include "compiler/build_program.h"
#include "compiler/collective_agreement.h"
#include "compiler/empty_sizes.h"
#include "compiler/execution/graph_function.h"
#include "compiler/execution/plan_runner.h"
#include "compiler/execution/region_set.h"
#include "compiler/execution/step_modes.h"
#include "compiler/execution/step_timer.h"
#include "compiler/kernels/kernel_cache.h"
#include "compiler/missing_functions.h"
#include "compiler/phase_log.h"
#include "compiler/placement.h"
#include "compiler/program_passes.h"
#include "compiler/program_signature.h"
#include "compiler/report/compile_report.h"
#include "compiler/report/sources.h"
#include "compiler/stored_program.h"
#include "ir/placement.h"
#include "lowering/expand_calls.h"
#include "lowering/lower.h"
#include "machine/cpu_targets.h"
#include "machine/executors.h"
#include "ops/random_streams.h"
#include "passes/pass_driver.h"
#include "runtime/placement.h"
#include "runtime/program/collective_starts.h"
#include "runtime/program/device_stream.h"
#include "runtime/program/output_memory.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"
#include "support/file_watch.h"
#include "support/log.h"

namespace litz::compiler {
namespace {

std::vector<passes::Region> outline(ir::Graph& main, const Options& options) {
  if (options.regional) return passes::outline_regions(main);
  if (!options.cuda_graphs) return {};
  // CUDA graphs record operators unchanged.
  const passes::RegionKey key{
      .config = {{"executor", "\"cpu\""}, {"fuse", "false"}, {"optimize", "false"}}};
  return passes::outline_recordable(main, {.device = DeviceKind::cpu}, key);
}

/// Interpreted programs also run on processors without a target.
std::shared_ptr<const Backend> backend_of(const Options& options) {
  if (options.executor == ExecutorKind::interpreter) return nullptr;
  return backend_for(options.target);
}

}  // namespace

/// Data that only `report` needs.
struct Remembered {
  std::vector<passes::PassStatistics> passes;
  fusion::FusionReport fusion;
  std::vector<StepOrigin> origins;
  std::shared_ptr<const Backend> backend;
};

struct Executable::Impl {
  PhaseLog phases;
  std::vector<Device> exported_on;
  std::optional<SymbolId> seed;                       ///< Set if the program draws random numbers.
  mutable std::atomic<int64_t> steps_to_failure = 0;  ///< For test modes.
  std::optional<ir::Program> program;                 ///< Nothing for one that was compiled before.
  artifact::Signature own_signature;                  ///< For a program that runs from its plans.
  std::optional<ThreadPool> pool;
  std::optional<PlanRunner> runner;        ///< Nothing for a program that was compiled before.
  std::shared_ptr<const Backend> backend;  ///< Null: nothing is compiled.
  std::shared_ptr<runtime::GraphDevice> device;
  /// Runs a program that could be built; otherwise the plans run, through `own_calls`.
  std::unique_ptr<runtime::ProgramRunner> built;
  /// It as a function of Options::graphs.
  std::unique_ptr<GraphFunction> graph_function;
  std::unique_ptr<runtime::ProgramCalls> own_calls;
  std::vector<StepOfLaunch> step_of_launch;  ///< Indexed by list of the built program.
  std::optional<Remembered> remembered;
  std::optional<RegionSet> regions;
  std::optional<EmptySizes> empty_sizes;
  Options options;
  std::unique_ptr<KernelCache> cache;       ///< Used only while preparing, like
  std::optional<KernelTable> region_codes;  ///< this table, which equal regions share.

  void prepare(const Options& given, const Surroundings& surroundings);
  void prepare_region(const Options& given, size_t i);
  void open(const Options& given, const Surroundings& surroundings);
  void load(artifact::Program compiled, const Options& given);
  void place_program();
  KernelSetOptions kernel_options(const Surroundings& surroundings);

  void begin_phase(std::string_view name) {
    if (options.on_phase) options.on_phase(name);
    phases.begin(name);
  }

  RunRegion prepare_regions(const lowering::LoweredProgram& lowered,
                            std::span<const passes::Region> outlined,
                            const KernelSetOptions& kernels);
  void rewrite(lowering::LoweredProgram& lowered, std::vector<passes::PassStatistics> statistics);
  void build(artifact::Signature signature, ThreadPool* threads);
  void describe(artifact::Program& made, artifact::Signature signature) const;
  artifact::Program present_part(const std::string& name);
  std::vector<std::byte> bytes_of_list();
  std::vector<std::byte> bytes_with_regions();

  bool is_elsewhere() const {
    return options.device.has_value() && options.device->kind != DeviceKind::cpu;
  }

  void make_device(ThreadPool* threads);
  void take_device_of_graphs();
  std::unique_lock<std::recursive_mutex> hold_graphs() const;

  /// Calls `work`, as a call of the context if there is one.
  template <typename Work>
  void run_in_turn(std::span<const Leaf> given, const Work& work) {
    if (graph_function == nullptr) return work();
    graph_function->call(given, [&]() -> std::vector<Leaf> {
      work();
      return {};
    });
  }

  runtime::RunnerOptions runner_options() const;

  const artifact::Signature& signature() const {
    return built ? built->program().signature : own_signature;
  }

  runtime::ProgramCalls& calls() const { return built ? built->calls() : *own_calls; }

  std::vector<Leaf> run(runtime::ProgramCalls& own, std::span<const Leaf> given, int64_t key,
                        Profile* profile);
  static std::vector<Leaf> run_empty(Executable& variant, runtime::ProgramCalls& own,
                                     std::span<const Leaf> given, int64_t key);
  std::vector<Leaf> run_built(std::span<const Leaf> given, int64_t key, Profile& profile);
  std::vector<Leaf> run_plans(runtime::ProgramCalls& own, std::span<const Leaf> given, int64_t key,
                              Profile* profile);
};

ExecutorKind parse_executor(std::string_view text) {
  const auto* const found =
      std::ranges::find(machine::kExecutors, text, &machine::ExecutorRow::name);
  require(found != machine::kExecutors.end(), "the executor must be one of",
          machine::executor_list() + ", got", text);
  return static_cast<ExecutorKind>(found - machine::kExecutors.begin());
}

Executable::Executable(ir::Program program, const Options& options,
                       const Surroundings& surroundings)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = std::move(program);
  // Passes and libraries compute with the weights.
  FileWatches files;
  for (const ir::InputSpec& input : impl_->program->inputs) {
    if (input.data.defined()) files.add(input.data.address());
  }
  impl_->prepare(options, surroundings);
  files.require_unchanged();
}

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::shared_ptr<Executable> Executable::compile_region(ir::Program program, const Options& options,
                                                       size_t i) {
  auto impl = std::make_unique<Impl>();
  impl->program = std::move(program);
  impl->prepare_region(options, i);
  // The region uses threads of the program around it.
  const std::shared_ptr<Executable> around(new Executable(std::move(impl)));
  return {around, around->region(i).get()};
}

Executable::Executable(artifact::Program program, const Options& options)
    : impl_(std::make_unique<Impl>()) {
  impl_->load(std::move(program), options);
}

KernelSetOptions Executable::Impl::kernel_options(const Surroundings& surroundings) {
  KernelSetOptions kernels;
  kernels.compile = options.executor != ExecutorKind::interpreter;
  kernels.target = options.target;
  kernels.keep_objects = options.keep_code;
  kernels.pool = surroundings.pool != nullptr ? surroundings.pool : options.pool.get();
  kernels.on_phase = options.on_phase;
  if (kernels.pool == nullptr && options.threads != 1) {
    pool.emplace(options.threads);
    kernels.pool = &*pool;
  }
  kernels.cache = surroundings.kernels;
  if (kernels.cache == nullptr && options.use_cache && kernels.compile) {
    CacheSettings settings = CacheSettings::from_environment();
    if (!options.cache_directory.empty()) settings.directory = options.cache_directory;
    if (options.cache_bytes > 0) settings.most_bytes = options.cache_bytes;
    cache = KernelCache::open(settings);
    kernels.cache = cache.get();
  }
  if (outlines_regions(options)) {
    region_codes.emplace(kernels.cache);
    kernels.cache = &*region_codes;
  }
  return kernels;
}

RunRegion Executable::Impl::prepare_regions(const lowering::LoweredProgram& lowered,
                                            std::span<const passes::Region> outlined,
                                            const KernelSetOptions& kernels) {
  regions.emplace(*program, lowered, outlined, options,
                  Surroundings{.pool = kernels.pool, .kernels = kernels.cache});
  return [this](ir::GraphRef body, std::span<const Leaf> operands, const Bindings& bindings) {
    return regions->run(body, operands, bindings);
  };
}

void Executable::Impl::place_program() {
  exported_on = ir::devices_of(*program->module);
  place(*program);
  const bool is_told = options.device.has_value() || !log_enabled(LogLevel::warning);
  if (is_told || std::ranges::count(exported_on, Device{}) == std::ssize(exported_on)) return;
  log(LogLevel::warning, "the program was exported on " + ir::to_string(exported_on) +
                             " and runs on " + to_string(Device{}));
}

void require_thread_count(const Options& options) {
  require(options.threads >= 0 && options.threads <= ThreadPool::kMostThreads,
          "the number of threads must be 0, for one for each CPU, or at most",
          ThreadPool::kMostThreads, "but is", options.threads);
}

/// Checks what does not depend on the passes, and chooses the back end.
void Executable::Impl::open(const Options& given, const Surroundings& surroundings) {
  options = given;
  options.on_phase = nullptr;  // Programs for empty sizes are compiled during later calls.
  empty_sizes.emplace(*program, options, surroundings);
  options.on_phase = given.on_phase;
  require_thread_count(options);
  require(!options.cuda_graphs || !options.regional,
          "either annotations or what can be recorded tell regions apart, not both");
  require(!options.cuda_graphs || options.executor == ExecutorKind::cpu,
          "parts are recorded with compiled kernels, not by the interpreter");
  require(!program->weights_missing, ErrorCode::not_found,
          "the archive has no weights, so the program can be inspected but not run");
  place_program();
  const bool is_on_card = options.device.has_value() && options.device->kind == DeviceKind::cuda;
  if (is_on_card && options.target == machine::kHostTarget) {
    options.target = runtime::target_of_card(*options.device);
  }
  backend = backend_of(options);
  require(backend == nullptr || backend->runs_on_host() || !outlines_regions(options),
          ErrorCode::unsupported, "regions are compiled for the host only, not for",
          options.target);
}

/// The main graph is lowered, which finds the symbols of regions, but not compiled.
void Executable::Impl::prepare_region(const Options& given, size_t i) {
  Options how = given;
  how.regional = true;
  open(how, {});
  const KernelSetOptions kernels = kernel_options({});
  run_passes(*program, options, backend.get(), kernels);
  const std::vector<passes::Region> outlined = outline(program->graph(), options);
  require(!outlined.empty(),
          "a region is compiled of a program with regions, but no annotation marks any");
  if (ops::draws(*program->module)) ops::seed_symbol(*program->module);
  regions.emplace(*program, lowering::lower(*program), outlined, options,
                  Surroundings{.pool = kernels.pool, .kernels = kernels.cache}, i);
  const size_t count = regions->reports().size();
  require(i < count, "a region must be a number from 0 to", count - 1, "here, got", i,
          "- see `litz explain --regions`");
  region_codes.reset();
  cache.reset();
}

void Executable::Impl::prepare(const Options& given, const Surroundings& surroundings) {
  open(given, surroundings);
  if (!options.regional && !options.keep_report) require_functions(*program);
  const KernelSetOptions kernels = kernel_options(surroundings);
  std::vector<passes::PassStatistics> statistics;
  phases.begin("passes");
  if (!surroundings.passes_ran) statistics = run_passes(*program, options, backend.get(), kernels);
  if (options.communicator != nullptr && options.communicator->world() > 1 &&
      !surroundings.passes_ran) {
    distributed::require_agreement(collective_starts(program->graph()), *options.communicator);
  }
  check(program->inputs.size() == program->graph().input_count() &&
            program->outputs.size() == program->graph().outputs().size(),
        "a program must describe every input and output of its graph:", program->inputs.size(),
        program->outputs.size());
  const std::vector<passes::Region> outlined = outline(program->graph(), options);
  if (outlines_regions(options) && outlined.empty()) {
    log(LogLevel::info, options.regional ? "no inductor marked nodes found" : "nothing to record");
  }
  if (ops::draws(*program->module)) seed = ops::seed_symbol(*program->module).symbol();
  artifact::Signature signature = signature_of(*program);
  begin_phase("lowering");
  lowering::LoweredProgram lowered = lowering::lower(*program);
  RunRegion run_region;
  if (outlines_regions(options)) run_region = prepare_regions(lowered, outlined, kernels);
  begin_phase("fusing");
  rewrite(lowered, std::move(statistics));
  phases.begin("kernels");
  runner.emplace(std::move(lowered), program->module->exprs(), kernels, std::move(run_region));
  if (options.communicator != nullptr) runner->join(options.communicator);
  begin_phase("building the program");
  build(std::move(signature), kernels.pool);
  phases.end();
  options.on_phase = nullptr;
  steps_to_failure = options.test_modes.fail_call;
  region_codes.reset();
  cache.reset();
}

/// Fuses steps, and records what a report says about it.
void Executable::Impl::rewrite(lowering::LoweredProgram& lowered,
                               std::vector<passes::PassStatistics> statistics) {
  std::vector<StepOrigin> origins;
  if (options.keep_report) origins = step_origins(lowered);
  fusion::FusionReport fused;
  if (options.fuse && !outlines_regions(options)) {
    fusion::FusionOptions choices = fusion_options(backend.get(), options.verify);
    choices.kept_before = lowering::kept_before_waits(program->graph());
    fusion::fuse(lowered, choices, fused);
  } else {
    lowering::expand_calls(lowered);
  }
  if (!options.keep_report) return;
  remembered.emplace(Remembered{std::move(statistics), std::move(fused), std::move(origins),
                                backend != nullptr ? backend : backend_for(options.target)});
}

/// Creates what runs calls: the program as the runtime knows it or, for the interpreter and
/// regions, the plans.
void Executable::Impl::build(artifact::Signature signature, ThreadPool* threads) {
  const lowering::LoweredProgram& lowered = runner->program();
  const ExprPool& symbols = program->module->exprs();
  const bool interprets = options.executor == ExecutorKind::interpreter;
  require(!interprets || !is_elsewhere(), "the interpreter runs on the host only");
  if (interprets || reason_not_built(lowered)) {
    device = runtime::make_host_device(std::nullopt, threads);
    own_signature = std::move(signature);
    own_calls = std::make_unique<runtime::ProgramCalls>(
        own_signature, symbols, *device, lowering::updated_inputs(lowered.plans[0]), seed,
        runtime::CallOptions{.seed = options.seed, .enforce_guards = options.enforce_guards});
    return;
  }
  make_device(threads);
  BuiltProgram made =
      build_program(lowered, runner->kernels(), runtime::constant_inputs(signature), seed);
  describe(made.program, std::move(signature));
  step_of_launch = std::move(made.steps);
  runtime::RunnerOptions how = runner_options();
  how.calls_supplied = std::move(made.calls);
  how.symbols = &symbols;
  const std::unique_lock<std::recursive_mutex> turn = hold_graphs();
  how.kernels = options.runs ? runner->kernels().add_to(*device)
                             : std::vector<runtime::KernelId>(runner->kernels().codes().size());
  built = std::make_unique<runtime::ProgramRunner>(std::move(made.program), how);
  built->fail_call(options.test_modes.fail_call);
  if (options.graphs) {
    graph_function = std::make_unique<GraphFunction>(options.graphs, built->program());
  }
}

/// Adds what the steps do not tell.
void Executable::Impl::describe(artifact::Program& made, artifact::Signature signature) const {
  made.name = program->graph().name();
  made.source = program->torch_version;
  made.target = backend->target();
  made.exported_on = exported_on;
  made.signature = std::move(signature);
}

/// A program of a context runs on its device.
void Executable::Impl::take_device_of_graphs() {
  require(!options.test_modes.any(), ErrorCode::unsupported,
          "test modes are for programs alone, and this one shares a context of graphs");
  device = options.graphs->device();
  require(
      device->device() == options.device.value_or(Device{}),
      "a program must run on the device of its context of graphs:", to_string(device->device()));
}

/// Keeps calls of other programs out while this changes what they share.
std::unique_lock<std::recursive_mutex> Executable::Impl::hold_graphs() const {
  return options.graphs ? options.graphs->hold() : std::unique_lock<std::recursive_mutex>();
}

void Executable::Impl::make_device(ThreadPool* threads) {
  if (options.graphs && options.runs) return take_device_of_graphs();
  device = backend != nullptr && options.runs ? backend->make_device(options.device, threads)
                                              : runtime::make_host_device(std::nullopt, threads);
  device->set_modes(runtime::device_modes(options.test_modes));
}

runtime::RunnerOptions Executable::Impl::runner_options() const {
  runtime::RunnerOptions how;
  how.device = device;
  how.communicator = options.communicator;
  how.calls.seed = options.seed;
  how.calls.enforce_guards = options.enforce_guards;
  how.calls.results = options.results;
  how.calls.always_waits = options.graphs != nullptr && !options.graphs->lets_programs_run_ahead();
  how.memory = options.graphs.get();
  how.keeps_graphs = options.keeps_graphs;
  return how;
}

void Executable::Impl::load(artifact::Program compiled, const Options& given) {
  options = given;
  require_thread_count(options);
  if (options.pool == nullptr && options.threads != 1) pool.emplace(options.threads);
  exported_on = compiled.exported_on;
  ThreadPool* const threads = options.pool != nullptr ? options.pool.get()
                              : pool                  ? &*pool
                                                      : nullptr;
  if (options.graphs) {
    take_device_of_graphs();
    runtime::require_runs_on(compiled.target, device->device());
  } else {
    device = runtime::make_device_for(compiled.target, options.device, threads);
    device->set_modes(runtime::device_modes(options.test_modes));
  }
  const std::unique_lock<std::recursive_mutex> turn = hold_graphs();
  built = std::make_unique<runtime::ProgramRunner>(std::move(compiled), runner_options());
  if (options.communicator != nullptr && options.communicator->world() > 1) {
    distributed::require_agreement(runtime::collective_starts(built->program()),
                                   *options.communicator);
  }
  built->fail_call(options.test_modes.fail_call);
  if (options.graphs) {
    graph_function = std::make_unique<GraphFunction>(options.graphs, built->program());
  }
}

Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;

const std::vector<Device>& Executable::exported_on() const { return impl_->exported_on; }

const artifact::Signature& Executable::signature() const { return impl_->signature(); }

const ir::Program* Executable::program() const {
  return impl_->program ? &*impl_->program : nullptr;
}

const artifact::Program* Executable::compiled() const {
  return impl_->built ? &impl_->built->program() : nullptr;
}

LaunchCounts Executable::launch_counts() const {
  LaunchCounts counts;
  if (!impl_->runner) {
    for (const artifact::LaunchList& list : impl_->built->program().lists) {
      for (const artifact::Launch& launch : list.launches) {
        const bool is_library = std::holds_alternative<artifact::LibraryLaunch>(launch.work);
        ++(is_library ? counts.library_calls : counts.kernels);
      }
    }
    return counts;
  }
  for (const lowering::Step& step : impl_->runner->program().plans[0].steps) {
    if (std::holds_alternative<lowering::KernelStep>(step.work)) {
      const auto kernel = static_cast<size_t>(counts.kernels++);
      if (!impl_->runner->kernels().reason_interpreted(kernel).empty()) ++counts.interpreted;
    } else if (std::holds_alternative<lowering::LibraryStep>(step.work)) {
      ++counts.library_calls;
    }
  }
  return counts;
}

Tensor Executable::on_device(const Tensor& tensor) const {
  runtime::GraphDevice& device = *impl_->device;
  Tensor copy = runtime::copied(tensor, tensor.strides(), {device, {}});
  device.synchronize({});
  return copy;
}

Device Executable::device() const { return impl_->device->device(); }

void Executable::finish() const { impl_->device->finish(); }

runtime::DeviceMemoryUse Executable::memory_use() const { return impl_->device->memory_use(); }

std::vector<Leaf> Executable::run(std::span<const Leaf> given) {
  return run(impl_->calls(), given);
}

std::vector<Leaf> Executable::run(runtime::ProgramCalls& calls, std::span<const Leaf> given) {
  return impl_->run(calls, given, calls.next_key(), nullptr);
}

void Executable::run_into(runtime::ProgramCalls& calls, std::span<const Leaf> given,
                          std::span<Leaf> into) {
  const int64_t key = calls.next_key();
  const bool is_usual = !impl_->empty_sizes || impl_->empty_sizes->for_inputs(given) == nullptr;
  if (impl_->built && is_usual) {
    return impl_->run_in_turn(given, [&] { impl_->built->run_into(calls, given, key, into); });
  }
  runtime::require_apart(into);
  std::vector<Leaf> results = impl_->run(calls, given, key, nullptr);
  runtime::copy_outputs(results, into);
}

std::unique_ptr<runtime::ProgramCalls> Executable::new_calls() const {
  return std::make_unique<runtime::ProgramCalls>(impl_->calls());
}

runtime::ProgramCalls& Executable::calls() const { return impl_->calls(); }

std::vector<Leaf> Executable::run_profiled(std::span<const Leaf> given, Profile& profile) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Leaf> outputs =
      impl_->run(impl_->calls(), given, impl_->calls().next_key(), &profile);
  profile.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++profile.calls;
  return outputs;
}

std::vector<std::string> Executable::run_timed(std::span<const Leaf> given,
                                               std::vector<double>& seconds) {
  require(impl_->built && impl_->built->program().routines.empty(), ErrorCode::unsupported,
          "launches are timed in programs that run as one list: without control flow, sizes from "
          "data, regions and the interpreter");
  impl_->run_in_turn(given,
                     [&] { impl_->built->run_timed(given, impl_->calls().next_key(), seconds); });
  std::vector<std::string> labels;
  for (const artifact::Launch& launch : impl_->built->program().lists[0].launches) {
    labels.push_back(launch.label);
  }
  return labels;
}

std::vector<Leaf> Executable::run_under_key(std::span<const Leaf> given, int64_t key) {
  return impl_->run(impl_->calls(), given, key, nullptr);
}

void Executable::prepare(std::span<const Leaf> given) {
  const std::unique_lock<std::recursive_mutex> turn = impl_->hold_graphs();
  if (impl_->built) impl_->built->prepare(given);
}

void Executable::fail_call(int64_t n) {
  require(impl_->options.test_modes.fault, "calls fail in the test mode `fault` only");
  impl_->steps_to_failure = n;
  if (impl_->built) impl_->built->fail_call(n);
  for (size_t i = 0; i < regions().size(); ++i) region(i)->fail_call(n);
}

std::span<const ReportedRegion> Executable::regions() const {
  return impl_->regions ? impl_->regions->reports() : std::span<const ReportedRegion>();
}

std::shared_ptr<Executable> Executable::region(size_t i) const {
  require(i < regions().size(), ErrorCode::out_of_range,
          "a program must have the region that is asked for:", i, "of", regions().size());
  return impl_->regions->executable(i);
}

void Executable::pack_constants() {
  const std::unique_lock<std::recursive_mutex> turn = impl_->hold_graphs();
  for (size_t i = 0; i < regions().size(); ++i) region(i)->pack_constants();
  if (impl_->built && impl_->options.target == "host") impl_->built->pack_constants();
}

/// The program that `built` runs with its present contents. The module's symbols, which it refers to,
/// live as long as this.
artifact::Program Executable::Impl::present_part(const std::string& name) {
  require(built != nullptr && program, ErrorCode::unsupported,
          "a region must be compiled to be saved:", name);
  artifact::Program part = built->program();
  part.name = name;
  part.symbols = {std::shared_ptr<void>(), &program->module->exprs()};
  part.packed = built->packed_constants();
  const std::vector<Tensor> weights = calls().weights_on_host();
  for (size_t i = 0; i < weights.size(); ++i) part.signature.inputs[i].data = weights[i];
  return part;
}

/// With every region as a part.
std::vector<std::byte> Executable::Impl::bytes_with_regions() {
  require(options.executor != ExecutorKind::interpreter, ErrorCode::unsupported,
          "an interpreted program has no code to save");
  require(options.keep_code, "a program with regions must keep its code to be saved");
  BuiltProgram made = build_program(
      runner->program(), runner->kernels(), runtime::constant_inputs(own_signature), seed,
      [&](const lowering::RegionBody& body, std::vector<artifact::Operand> given) {
        return regions->step_of(body, std::move(given));
      });
  describe(made.program, own_signature);
  for (size_t i = 0; i < regions->reports().size(); ++i) {
    made.program.parts.push_back(
        regions->executable(i)->impl_->present_part(regions->reports()[i].name));
  }
  const std::unique_lock<std::mutex> mine = calls().hold_weights();
  return store_program(made.program, program->module->exprs(), calls().weights_on_host(), {});
}

std::vector<std::byte> Executable::Impl::bytes_of_list() {
  require(built != nullptr, ErrorCode::unsupported, "an interpreted program has no code to save");
  const std::unique_lock<std::mutex> mine = calls().hold_weights();
  const std::vector<Tensor> weights = calls().weights_on_host();
  const std::vector<artifact::PackedConstant> packed = built->packed_constants();
  if (options.keep_code || !program) {
    return store_program(built->program(), built->symbols(), weights, packed);
  }
  return store_program(*program, weights, packed, options);
}

std::vector<std::byte> Executable::to_bytes() const {
  std::vector<std::byte> bytes =
      regions().empty() ? impl_->bytes_of_list() : impl_->bytes_with_regions();
  impl_->calls().require_unchanged_files();
  return bytes;
}

CompileReport Executable::report(std::span<const Leaf> given, const Profile* profile) const {
  check(impl_->remembered.has_value(), "a report must be asked for when compiling");
  const Remembered& known = *impl_->remembered;
  const bool is_one_list = impl_->built && impl_->built->program().routines.empty();
  CompileReport report = make_report(
      {.program = *impl_->program,
       .lowered = impl_->runner->program(),
       .kernels = impl_->runner->kernels(),
       .passes = known.passes,
       .fusion = known.fusion,
       .origins = known.origins,
       .backend = *known.backend,
       .seed = impl_->seed,
       .list = is_one_list ? &impl_->built->lists()[0] : nullptr,
       .packed_bytes = impl_->built ? impl_->built->packed_bytes() : impl_->runner->packed_bytes(),
       .bindings = impl_->calls().inputs().bind(given),
       .profile = profile});
  report.regions.assign(regions().begin(), regions().end());
  return report;
}

/// A call with sizes of 0: `variant` computes it with the buffers of `own`, and its changes of them
/// are the call's. A call that fails changes none.
std::vector<Leaf> Executable::Impl::run_empty(Executable& variant, runtime::ProgramCalls& own,
                                              std::span<const Leaf> given, int64_t key) {
  if (!own.changes_any()) return variant.run_under_key(given, key);
  const std::unique_ptr<runtime::ProgramCalls> calls = variant.new_calls();
  const std::unique_lock<std::mutex> mine = own.hold_weights();
  calls->take_weights(own);
  std::vector<Leaf> results = variant.impl_->run(*calls, given, key, nullptr);
  own.take_weights(*calls);
  return results;
}

std::vector<Leaf> Executable::Impl::run(runtime::ProgramCalls& own, std::span<const Leaf> given,
                                        int64_t key, Profile* profile) {
  Executable* const other = empty_sizes ? empty_sizes->for_inputs(given) : nullptr;
  if (other != nullptr) return run_empty(*other, own, given, key);
  if (!built) return run_plans(own, given, key, profile);
  const auto work = [&] {
    return profile == nullptr ? built->run_under_key(own, given, key)
                              : run_built(given, key, *profile);
  };
  return graph_function == nullptr ? work() : graph_function->call(given, work);
}

/// Measures the seconds of each step if the program is one list; a program of several lists is
/// measured step by step.
std::vector<Leaf> Executable::Impl::run_built(std::span<const Leaf> given, int64_t key,
                                              Profile& profile) {
  check(runner.has_value(), "only a program that was compiled here is profiled");
  if (!built->program().routines.empty()) return run_plans(calls(), given, key, &profile);
  std::vector<double> launches;
  std::vector<Leaf> outputs = built->run_timed(given, key, launches);
  const std::vector<lowering::Step>& steps = runner->program().plans[0].steps;
  if (profile.step_seconds.empty()) profile.step_seconds.resize(1);
  profile.step_seconds[0].resize(steps.size());
  for (size_t i = 0; i < launches.size(); ++i) {
    const auto step = static_cast<size_t>(step_of_launch[0][i] - steps.data());
    profile.step_seconds[0][step] += launches[i];
  }
  return outputs;
}

std::vector<Leaf> Executable::Impl::run_plans(runtime::ProgramCalls& own,
                                              std::span<const Leaf> given, int64_t key,
                                              Profile* profile) {
  const auto compute = [&](const runtime::InputOf& input_of, Bindings& bindings,
                           runtime::StreamId /*stream*/, std::span<const Tensor> /*into*/,
                           std::vector<Leaf>& results) {
    std::vector<Leaf> inputs(signature().inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor* const tensor = input_of(i);
      if (tensor != nullptr && tensor->defined()) inputs[i] = *tensor;
    }
    if (profile != nullptr) {
      StepTimer timer(*profile);
      results = runner->run(std::move(inputs), bindings, timer);
    } else if (options.test_modes.any()) {
      StepModes modes(options.test_modes, steps_to_failure);
      results = runner->run(std::move(inputs), bindings, modes);
    } else {
      results = runner->run(std::move(inputs), bindings);
    }
  };
  return own.run(given, key, compute);
}

}  // namespace litz::compiler
