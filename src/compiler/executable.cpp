// Passes, lowering, preparation, once; binding, running and writing back, every call.

#include "compiler/executable.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "codegen/llvm/cpu_target.h"
#include "compiler/call_inputs.h"
#include "compiler/compile_report.h"
#include "compiler/empty_sizes.h"
#include "compiler/fusion_options.h"
#include "compiler/kernel_cache.h"
#include "compiler/laid_out.h"
#include "compiler/missing_functions.h"
#include "compiler/placement.h"
#include "compiler/plan_runner.h"
#include "compiler/planned_executor.h"
#include "compiler/region_set.h"
#include "compiler/report_sources.h"
#include "compiler/run_graph.h"
#include "compiler/step_modes.h"
#include "compiler/step_timer.h"
#include "compiler/stored_program.h"
#include "compiler/weights.h"
#include "ir/placement.h"
#include "lowering/expand_calls.h"
#include "lowering/lower.h"
#include "ops/random_streams.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "support/log.h"

namespace litz::compiler {
namespace {

using ir::is_mutation;
using ir::is_user_output;
using ir::OutputKind;

/// Elements that take the interpreter as long as a kernel takes to be compiled, some milliseconds.
constexpr int64_t kWorthCompilingForOneRun = int64_t{1} << 16;

/// Whether parts of the program become programs of their own and the rest runs operator by operator.
bool outlines_regions(const Options& options) {
  return options.regional || options.executor == ExecutorKind::cudagraphs;
}

std::vector<passes::Region> outline(ir::Graph& main, const Options& options) {
  if (options.regional) return passes::outline_regions(main);
  if (options.executor != ExecutorKind::cudagraphs) return {};
  // Recorded as they are.
  const passes::RegionKey key{
      .config = {{"executor", "\"cpu\""}, {"fuse", "false"}, {"optimize", "false"}}};
  return passes::outline_recordable(main, {.device = DeviceKind::cpu}, key);
}

/// What passes did, in order.
std::vector<passes::PassStatistics> run_passes(ir::Program& program, const Options& options,
                                               const KernelSetOptions& kernels) {
  KernelSetOptions once = kernels;
  once.compile_above = kWorthCompilingForOneRun;
  passes::PassContext context{.program = &program};
  context.evaluate = [&](ir::Graph& graph, std::span<const Tensor> inputs) {
    return run_graph_as(graph, inputs, once);
  };
  passes::DriverOptions driver = options.passes;
  driver.verify_each = driver.verify_each || options.verify;
  std::vector<passes::PassStatistics> statistics =
      passes::run_pipeline(passes::import_pipeline(), *program.module, context,
                           {.verify_each = driver.verify_each,
                            .before_pass = driver.before_pass,
                            .after_pass = driver.after_pass,
                            .keep_text = driver.keep_text,
                            .on_failure = driver.on_failure});
  if (!options.optimize || outlines_regions(options)) return statistics;
  const std::vector<passes::PassStatistics> more =
      passes::run_pipeline(passes::inference_pipeline(), *program.module, context, driver);
  statistics.insert(statistics.end(), more.begin(), more.end());
  return statistics;
}

bool overlap(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage()) return false;
  const auto bytes = [](const Tensor& tensor) {
    return storage_span(tensor.sizes(), tensor.strides(), 0) *
           static_cast<int64_t>(item_size(tensor.dtype()));
  };
  return a.data() < b.data() + bytes(b) && b.data() < a.data() + bytes(a);
}

bool is_same_memory(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.offset() == b.offset() && a.strides() == b.strides() &&
         a.dtype() == b.dtype();
}

}  // namespace

/// Copies that stand for inputs in one call.
using Parted = std::vector<std::pair<size_t, Tensor>>;

/// What `report` needs and nothing else does.
struct Remembered {
  std::vector<passes::PassStatistics> passes;
  fusion::FusionReport fusion;
  std::vector<StepOrigin> origins;
  codegen::CpuTarget target;
};

struct Executable::Impl {
  std::atomic<uint64_t> calls = 0;
  std::vector<Device> exported_on;
  std::optional<SymbolId> seed;                       ///< Where the program draws random numbers.
  mutable std::atomic<int64_t> steps_to_failure = 0;  ///< Of test modes.
  bool enforce_guards = true;
  ir::Program program;
  std::optional<Weights> weights;
  std::optional<CallInputs> call_inputs;
  std::optional<ThreadPool> pool;
  std::optional<PlanRunner> runner;
  std::optional<PlannedExecutor> planned;  ///< The main plan, where it can be bound.
  std::optional<Remembered> remembered;
  std::optional<RegionSet> regions;
  std::optional<EmptySizes> empty_sizes;
  std::vector<size_t> updated;  ///< Inputs that the main plan writes.
  bool changes_weights = false;
  std::mutex turn;  ///< Of calls of programs that change weights, and of who reads those.
  Options options;
  std::unique_ptr<KernelCache> cache;       ///< While preparing only, as
  std::optional<KernelTable> region_codes;  ///< what equal regions share.

  void prepare(const Options& given, const Surroundings& surroundings);
  void place_program();
  KernelSetOptions kernel_options(const Surroundings& surroundings);
  RunRegion prepare_regions(const lowering::LoweredProgram& lowered,
                            std::span<const passes::Region> outlined,
                            const KernelSetOptions& kernels);
  void prepare_updates(const lowering::Plan& main);
  std::vector<Tensor> constant_weights() const;

  int64_t next_key();
  std::vector<Leaf> run(std::span<const Leaf> given, int64_t key, Profile* profile);
  void check_writable(std::span<const Leaf> given) const;
  const Tensor* input_of(size_t input, std::span<const Leaf> given) const;
  Parted part_updated(std::span<const Leaf> given) const;
  std::vector<Leaf> run_plan(std::span<const Leaf> given, Bindings& bindings,
                             Profile* profile) const;
  const Tensor& target_of(const ir::OutputSpec& mutation, std::span<const Leaf> given) const;
  bool is_input_memory(const Tensor& tensor, std::span<const Leaf> given) const;
  void part_outputs(std::span<const Leaf> given, std::vector<Leaf>& results) const;
  void write_back(std::span<const Leaf> given, std::vector<Leaf>& results);
};

ExecutorKind parse_executor(std::string_view text) {
  if (text == "interpreter") return ExecutorKind::interpreter;
  if (text == "cudagraphs") return ExecutorKind::cudagraphs;
  require(text == "cpu", "the executor must be cpu, interpreter or cudagraphs, got", text);
  return ExecutorKind::cpu;
}

Executable::Executable(ir::Program program, const Options& options,
                       const Surroundings& surroundings)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = std::move(program);
  impl_->prepare(options, surroundings);
}

KernelSetOptions Executable::Impl::kernel_options(const Surroundings& surroundings) {
  KernelSetOptions kernels;
  kernels.compile = options.executor != ExecutorKind::interpreter;
  kernels.target = options.target;
  kernels.only_stored = surroundings.only_stored;
  kernels.pool = surroundings.pool;
  if (kernels.pool == nullptr && options.threads != 1) {
    pool.emplace(options.threads);
    kernels.pool = &*pool;
  }
  kernels.cache = surroundings.kernels;
  if (kernels.cache == nullptr && options.use_cache && kernels.compile) {
    cache = KernelCache::open(CacheSettings::from_environment());
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
  regions.emplace(program, lowered, outlined, options,
                  Surroundings{.pool = kernels.pool, .kernels = kernels.cache});
  return [this](ir::GraphRef body, std::span<const Leaf> operands, const Bindings& bindings) {
    return regions->run(body, operands, bindings);
  };
}

void Executable::Impl::place_program() {
  exported_on = ir::devices_of(*program.module);
  place(program, options.device);
  const bool is_told = options.device.has_value() || !log_enabled(LogLevel::warning);
  if (is_told || std::ranges::count(exported_on, Device{}) == std::ssize(exported_on)) return;
  log(LogLevel::warning, "the program was exported on " + ir::to_string(exported_on) +
                             " and runs on " + to_string(Device{}));
}

void Executable::Impl::prepare(const Options& given, const Surroundings& surroundings) {
  options = given;
  empty_sizes.emplace(program, options, surroundings);
  require(options.threads >= 0 && options.threads <= ThreadPool::kMostThreads,
          "the number of threads must be 0, for one for each CPU, or at most",
          ThreadPool::kMostThreads, "but is", options.threads);
  enforce_guards = options.enforce_guards;
  require(!program.weights_missing, ErrorCode::not_found,
          "the archive has no weights, so the program can be inspected but not run");
  place_program();
  if (!options.regional && !options.keep_report) require_functions(program);
  const KernelSetOptions kernels = kernel_options(surroundings);
  std::vector<passes::PassStatistics> statistics;
  if (!surroundings.passes_ran) statistics = run_passes(program, options, kernels);
  check(program.inputs.size() == program.graph().input_count() &&
            program.outputs.size() == program.graph().outputs().size(),
        "a program must describe every input and output of its graph:", program.inputs.size(),
        program.outputs.size());
  const std::vector<passes::Region> outlined = outline(program.graph(), options);
  if (outlines_regions(options) && outlined.empty()) {
    log(LogLevel::info, options.regional ? "no inductor marked nodes found" : "nothing to record");
  }
  if (ops::draws(*program.module)) seed = ops::seed_symbol(*program.module).symbol();
  weights.emplace(program);
  call_inputs.emplace(program, *weights);
  lowering::LoweredProgram lowered = lowering::lower(program);
  RunRegion run_region;
  if (outlines_regions(options)) run_region = prepare_regions(lowered, outlined, kernels);
  std::vector<StepOrigin> origins;
  if (options.keep_report) origins = step_origins(lowered);
  fusion::FusionReport fused;
  if (options.fuse && !outlines_regions(options)) {
    fusion::fuse(lowered, fusion_options(options.verify), fused);
  } else {
    lowering::expand_calls(lowered);
  }
  if (options.keep_report) {
    remembered.emplace(Remembered{std::move(statistics), std::move(fused), std::move(origins),
                                  codegen::CpuTarget::named(options.target)});
  }
  runner.emplace(std::move(lowered), program.module->exprs(), kernels, std::move(run_region));
  const lowering::Plan& main = runner->program().plans[0];
  prepare_updates(main);
  if (kernels.compile && !PlannedExecutor::reason_against(main, program.module->exprs())) {
    planned.emplace(main, runner->kernels(), constant_weights(), kernels.pool, seed,
                    options.test_modes);
  }
  steps_to_failure = options.test_modes.fail_call;
  region_codes.reset();
  cache.reset();
}

Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;

const std::vector<Device>& Executable::exported_on() const { return impl_->exported_on; }

const ir::Program& Executable::program() const { return impl_->program; }

LaunchCounts Executable::launch_counts() const {
  LaunchCounts counts;
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

void Executable::Impl::prepare_updates(const lowering::Plan& main) {
  changes_weights = std::ranges::any_of(program.outputs, [](const ir::OutputSpec& output) {
    return is_mutation(output.kind) && output.kind != OutputKind::input_mutation;
  });
  updated = lowering::updated_inputs(main);
  for (const size_t input : updated) {
    if (weights->at(input).defined()) weights->own(input);
  }
}

/// By input; undefined for what calls give or change. Weights may share memory, and then change
/// together.
std::vector<Tensor> Executable::Impl::constant_weights() const {
  std::vector<const Storage*> changed;
  for (const ir::OutputSpec& output : program.outputs) {
    if (!is_mutation(output.kind)) continue;
    const Tensor& weight = weights->at(static_cast<size_t>(output.input));
    if (weight.defined()) changed.push_back(weight.storage().get());
  }
  std::vector<Tensor> constant;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Tensor& weight = weights->at(i);
    const bool changes =
        weight.defined() && std::ranges::count(changed, weight.storage().get()) > 0;
    constant.push_back(changes ? Tensor() : weight);
  }
  return constant;
}

std::vector<Leaf> Executable::run(std::span<const Leaf> given) {
  return impl_->run(given, impl_->next_key(), nullptr);
}

std::vector<Leaf> Executable::run_profiled(std::span<const Leaf> given, Profile& profile) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Leaf> outputs = impl_->run(given, impl_->next_key(), &profile);
  profile.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++profile.calls;
  return outputs;
}

std::vector<Leaf> Executable::run_under_key(std::span<const Leaf> given, int64_t key) {
  return impl_->run(given, key, nullptr);
}

void Executable::prepare(std::span<const Leaf> given) {
  if (impl_->planned) impl_->planned->prepare(impl_->call_inputs->bind(given));
}

void Executable::fail_call(int64_t n) {
  require(impl_->options.test_modes.fault, "calls fail in the test mode `fault` only");
  impl_->steps_to_failure = n;
  if (impl_->planned) impl_->planned->fail_call(n);
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

std::vector<std::byte> Executable::to_bytes() const {
  require(regions().empty(), ErrorCode::unsupported,
          "a program with regions is saved region by region:", regions().size());
  const std::lock_guard mine(impl_->turn);
  return store_program(impl_->program, *impl_->weights, impl_->options);
}

CompileReport Executable::report(std::span<const Leaf> given, const Profile* profile) const {
  check(impl_->remembered.has_value(), "a report must be asked for when compiling");
  const Remembered& known = *impl_->remembered;
  CompileReport report =
      make_report({.program = impl_->program,
                   .lowered = impl_->runner->program(),
                   .kernels = impl_->runner->kernels(),
                   .passes = known.passes,
                   .fusion = known.fusion,
                   .origins = known.origins,
                   .target = known.target,
                   .planned = impl_->planned ? &*impl_->planned : nullptr,
                   .packed_bytes = impl_->planned ? impl_->planned->packed_bytes()
                                                  : impl_->runner->packed_bytes(),
                   .bindings = impl_->call_inputs->bind(given),
                   .profile = profile});
  report.regions.assign(regions().begin(), regions().end());
  return report;
}

/// Random operators draw new numbers in every call.
int64_t Executable::Impl::next_key() { return ops::key_of_call(options.seed, calls.fetch_add(1)); }

std::vector<Leaf> Executable::Impl::run(std::span<const Leaf> given, int64_t key,
                                        Profile* profile) {
  if (Executable* other = empty_sizes->for_inputs(given)) return other->run_under_key(given, key);
  std::unique_lock<std::mutex> mine(turn, std::defer_lock);
  if (changes_weights) mine.lock();
  Bindings bindings = call_inputs->bind(given);
  if (seed) bindings.set(*seed, key);
  if (enforce_guards) check_guards(program.guards, bindings);
  check_writable(given);
  std::vector<Leaf> results = run_plan(given, bindings, profile);
  part_outputs(given, results);
  write_back(given, results);
  size_t outputs = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!is_user_output(program.outputs[i].kind)) continue;
    if (i != outputs) results[outputs] = std::move(results[i]);
    ++outputs;
  }
  results.resize(outputs);
  return results;
}

std::vector<Leaf> Executable::Impl::run_plan(std::span<const Leaf> given, Bindings& bindings,
                                             Profile* profile) const {
  const Parted parted = part_updated(given);
  if (planned) {
    const auto read = [&](size_t input) -> const Tensor* {
      for (const auto& [which, copy] : parted) {
        if (which == input) return &copy;
      }
      return input_of(input, given);
    };
    if (profile == nullptr) return planned->run(read, bindings);
    if (profile->step_seconds.empty()) profile->step_seconds.resize(1);
    return planned->run_timed(read, bindings, profile->step_seconds[0]);
  }
  std::vector<Leaf> inputs = call_inputs->all(given);
  for (const auto& [which, copy] : parted) inputs[which] = copy;
  if (options.test_modes.any()) {
    StepModes modes(options.test_modes, steps_to_failure);
    return runner->run(std::move(inputs), bindings, modes);
  }
  if (profile == nullptr) return runner->run(std::move(inputs), bindings);
  StepTimer timer(*profile);
  return runner->run(std::move(inputs), bindings, timer);
}

/// The tensor behind an input of the main graph; null where it is none.
const Tensor* Executable::Impl::input_of(size_t input, std::span<const Leaf> given) const {
  if (!is_given_by_caller(program.inputs[input].kind)) return &weights->at(input);
  return std::get_if<Tensor>(&given[call_inputs->position(input)]);
}

/// An input that the plan writes, but whose memory is that of other inputs, too, is written as a
/// copy.
Parted Executable::Impl::part_updated(std::span<const Leaf> given) const {
  Parted parted;
  for (const size_t input : updated) {
    const Tensor* const tensor = input_of(input, given);
    if (tensor == nullptr || !tensor->defined()) continue;
    bool is_shared = false;
    for (size_t i = 0; i < program.inputs.size() && !is_shared; ++i) {
      const Tensor* const other = i == input ? nullptr : input_of(i, given);
      is_shared = other != nullptr && other->defined() && overlap(*other, *tensor);
    }
    if (is_shared) parted.emplace_back(input, tensor->clone(tensor->strides()));
  }
  return parted;
}

/// Before anything runs.
void Executable::Impl::check_writable(std::span<const Leaf> given) const {
  for (const ir::OutputSpec& output : program.outputs) {
    if (output.kind != OutputKind::input_mutation) continue;
    const auto input = static_cast<size_t>(output.input);
    const auto* target = std::get_if<Tensor>(&given[call_inputs->position(input)]);
    require(target == nullptr || target->storage()->is_writable(), ErrorCode::invalid_argument,
            "an input that the program changes must be writable:", call_inputs->label(input));
  }
}

/// What a mutation writes: a weight, or the caller's tensor.
const Tensor& Executable::Impl::target_of(const ir::OutputSpec& mutation,
                                          std::span<const Leaf> given) const {
  const auto input = static_cast<size_t>(mutation.input);
  if (mutation.kind != OutputKind::input_mutation) return weights->at(input);
  return std::get<Tensor>(given[call_inputs->position(input)]);
}

bool Executable::Impl::is_input_memory(const Tensor& tensor, std::span<const Leaf> given) const {
  const Storage* const storage = tensor.storage().get();
  if (storage == nullptr) return false;
  return weights->hold(storage) || std::ranges::any_of(given, [&](const Leaf& leaf) {
           const auto* input = std::get_if<Tensor>(&leaf);
           return input != nullptr && input->storage().get() == storage;
         });
}

/// What callers get shares no memory with inputs, weights and other results.
void Executable::Impl::part_outputs(std::span<const Leaf> given, std::vector<Leaf>& results) const {
  for (size_t i = 0; i < results.size(); ++i) {
    auto* tensor = std::get_if<Tensor>(&results[i]);
    if (tensor == nullptr || !tensor->defined() || !is_user_output(program.outputs[i].kind)) {
      continue;
    }
    const auto first = results.begin();
    const bool is_again =
        std::any_of(first, first + static_cast<ptrdiff_t>(i), [&](const Leaf& leaf) {
          const auto* other = std::get_if<Tensor>(&leaf);
          const auto index = static_cast<size_t>(&leaf - results.data());
          return other != nullptr && is_user_output(program.outputs[index].kind) &&
                 other->storage() == tensor->storage();
        });
    if (is_again || is_input_memory(*tensor, given)) *tensor = tensor->clone(tensor->strides());
  }
}

/// New contents of buffers and of the caller's tensors, after everything was read.
void Executable::Impl::write_back(std::span<const Leaf> given, std::vector<Leaf>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    auto* value = std::get_if<Tensor>(&results[i]);
    if (value == nullptr || !is_mutation(program.outputs[i].kind)) continue;
    if (is_same_memory(*value, target_of(program.outputs[i], given))) {
      results[i] = std::monostate();  // It was written in place.
    } else if (is_input_memory(*value, given)) {
      // A value that is itself an input would change under the writes that follow.
      *value = value->clone();
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const ir::OutputSpec& spec = program.outputs[i];
    const auto* value = std::get_if<Tensor>(&results[i]);
    if (!is_mutation(spec.kind) || value == nullptr) continue;
    if (spec.kind != OutputKind::input_mutation) {
      weights->write(static_cast<size_t>(spec.input), *value);
      continue;
    }
    Tensor target = target_of(spec, given);
    target.copy_from(*value);
  }
}

}  // namespace litz::compiler
