#include "compiler/bisect/bisect.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/backend.h"
#include "compiler/bisect/reproducer.h"
#include "compiler/bisect/step_comparers.h"
#include "compiler/execution/plan_runner.h"
#include "compiler/execution/run_graph.h"
#include "compiler/missing_functions.h"
#include "compiler/placement.h"
#include "compiler/program_signature.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "lowering/expand_calls.h"
#include "lowering/lower.h"
#include "ops/random_streams.h"
#include "passes/pass_driver.h"
#include "runtime/cpu/host_device.h"
#include "runtime/program/call_inputs.h"
#include "runtime/program/required_guards.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::compiler {
namespace {

/// The program after some passes.
struct Rewritten {
  ir::Program program;
  std::string failure;  ///< The error of the last pass that ran; empty without one.
  size_t passes = 0;    ///< The number that ran, including a failed one.
  uint64_t rewrites_before_last = 0;
  uint64_t rewrites_of_last = 0;
  std::string text_before_last;  ///< Set only on request.
};

/// Results of a run, or why there are none.
struct Outcome {
  std::string failure;
  ErrorCode code = ErrorCode::internal;  ///< Of the failure.
  std::vector<Leaf> results;             ///< The user's, then the mutations', if known.
  size_t users = 0;                      ///< How many are the user's.
};

/// Lines of `a` that `b` lacks.
std::vector<std::string> lines_without(const std::string& a, const std::string& b) {
  std::set<std::string_view> known;
  for (const std::string_view line : split(b, '\n')) known.insert(line);
  std::vector<std::string> lines;
  for (const std::string_view line : split(a, '\n')) {
    if (!known.contains(line)) lines.emplace_back(trim(line));
  }
  return lines;
}

/// In a handler: a machine that refuses memory says nothing about the program.
void rethrow_if_no_memory(const Error& error) {
  if (error.code() == ErrorCode::out_of_memory) throw;
}

lowering::LoweredProgram lower_unfused(ir::Program& program) {
  lowering::LoweredProgram lowered = lowering::lower(program);
  lowering::expand_calls(lowered);
  return lowered;
}

class Bisector {
 public:
  explicit Bisector(const BisectSubject& subject) : subject_(subject) {
    pipeline_ = subject.required;
    pipeline_.insert(pipeline_.end(), subject.optional.begin(), subject.optional.end());
  }

  BisectResult run() {
    require_functions(subject_.import());  // A missing operator is not a pass's fault.
    if (find_failing_pass()) return std::move(result_);
    if (is_right_as_a_whole()) return std::move(result_);
    (void)reference();  // Inputs that the program itself refuses are no pass's fault.
    if (find_wrong_reference() || find_wrong_pass() || find_wrong_fusion() || find_wrong_kernel()) {
      return std::move(result_);
    }
    result_.culprit = Culprit::launches;
    return std::move(result_);
  }

 private:
  Tolerance tolerance() const { return {subject_.rtol, subject_.atol}; }

  void tell(const std::string& line) const {
    if (subject_.on_progress) subject_.on_progress(line);
  }

  /// Given a count that is right and a larger one that is wrong: finds the first wrong one.
  template <typename Count, typename Failure, typename Title>
  Count first_wrong(Count right, Count wrong, const Failure& failure, const Title& title) const {
    while (wrong - right > 1) {
      const Count middle = right + (wrong - right) / 2;
      const std::string message = failure(middle);
      tell(title(middle) + ": " + (message.empty() ? "right" : message));
      (message.empty() ? right : wrong) = middle;
    }
    return wrong;
  }

  // --- Passes

  /// Runs the first `count` passes; the last one rewrites at most `limit` times.
  Rewritten rewrite(size_t count, uint64_t limit = UINT64_MAX, bool keep_text = false) const {
    Rewritten result{.program = subject_.import()};
    ir::Module& module = *result.program.module;
    passes::PassContext context{
        .program = &result.program, .evaluate = run_graph, .machine = subject_.machine};
    for (size_t i = 0; i < count; ++i) {
      result.passes = i + 1;
      const bool is_last = i + 1 == count;
      result.rewrites_before_last = context.rewrites;
      if (is_last && keep_text) result.text_before_last = ir::to_string(module);
      if (is_last && limit != UINT64_MAX) context.rewrite_limit = context.rewrites + limit;
      try {
        passes::run_pass(pipeline_[i], module, context);
        ir::verify(module, {.infer_types = false});
      } catch (const Error& error) {
        rethrow_if_no_memory(error);
        result.failure = error.what();
        break;
      }
    }
    result.rewrites_of_last = context.rewrites - result.rewrites_before_last;
    return result;
  }

  bool find_failing_pass() {
    const Rewritten all = rewrite(pipeline_.size());
    tell("all passes: " + (all.failure.empty() ? std::string("no failure") : all.failure));
    if (all.failure.empty()) return false;
    blame_pass(all.passes, [&](uint64_t limit) { return rewrite(all.passes, limit).failure; });
    return true;
  }

  /// Runs the program after so many passes, neither fused nor compiled.
  std::string difference_after(size_t count, uint64_t limit = UINT64_MAX) const {
    Rewritten rewritten = rewrite(count, limit);
    if (!rewritten.failure.empty()) return rewritten.failure;
    return difference(interpret(rewritten.program));
  }

  bool find_wrong_pass() {
    const std::string message = difference_after(pipeline_.size());
    tell("interpreted after all passes: " + (message.empty() ? "right" : message));
    if (message.empty()) return false;
    const size_t first = first_wrong(
        subject_.required.size(), pipeline_.size(),
        [&](size_t count) { return difference_after(count); },
        [&](size_t count) { return "after " + std::string(pipeline_[count - 1].name); });
    blame_pass(first, [&](uint64_t limit) { return difference_after(first, limit); });
    return true;
  }

  /// Finds the wrong rewrite of a pass. `failure` tells what goes wrong with a limit on the
  /// rewrites.
  void blame_pass(size_t count, const std::function<std::string(uint64_t)>& failure) {
    const passes::Pass& pass = pipeline_[count - 1];
    const Rewritten unlimited = rewrite(count, UINT64_MAX, true);
    result_.culprit = Culprit::pass;
    result_.pass = pass.name;
    result_.pass_number = count;
    result_.rewrites = unlimited.rewrites_of_last;
    result_.message = failure(UINT64_MAX);
    const bool is_error = !unlimited.failure.empty();
    if (result_.rewrites > 0 && failure(0).empty()) {
      const uint64_t wrong =
          first_wrong(uint64_t{0}, result_.rewrites, failure, [&](uint64_t rewrites) {
            return "with " + std::to_string(rewrites) + " rewrites of " + result_.pass;
          });
      result_.rewrite = wrong;
      const bool is_optional = count > subject_.required.size();
      if (is_optional) result_.edit_limit = unlimited.rewrites_before_last + wrong - 1;
      result_.message = failure(wrong);
    }
    const uint64_t limit = result_.rewrite.value_or(UINT64_MAX);
    if (!is_error) {
      const std::string before =
          result_.rewrite ? text_after(count, limit - 1) : text_after(count - 1, UINT64_MAX);
      const std::string after = text_after(count, limit);
      result_.lines_before = lines_without(before, after);
      result_.lines_after = lines_without(after, before);
    }
    result_.reproducer = reproducer_text(
        {.failure = is_error ? ReproducedFailure::error : ReproducedFailure::wrong_results,
         .pass = pass.name,
         .module_before = unlimited.text_before_last,
         .message = result_.message,
         .edit_limit = limit});
  }

  /// The text with names that stay the same when nodes come and go.
  std::string text_after(size_t count, uint64_t limit) const {
    const Rewritten rewritten = rewrite(count, limit);
    for (ir::Graph* graph : rewritten.program.module->graphs()) {
      for (ir::Node* node : graph->in_order()) {
        for (const ir::Value output : node->outputs()) {
          if (output.name().empty()) graph->set_name(output, "n" + std::to_string(node->id()));
        }
      }
    }
    return ir::to_string(*rewritten.program.module);
  }

  // --- Running

  struct Prepared {
    std::vector<Leaf> inputs;
    Bindings bindings;
  };

  Prepared prepare(const ir::Program& program) const {
    Prepared prepared;
    const artifact::Signature signature = signature_of(program);
    runtime::HostDevice host;
    const runtime::Weights weights(signature, {host, {}});
    const runtime::CallInputs call(signature, weights, program.module->exprs());
    prepared.bindings = call.bind(subject_.inputs);
    runtime::require_guards(signature, prepared.bindings);
    prepared.inputs = call.all(subject_.inputs);
    // One run would read what another wrote in place.
    for (const ir::OutputSpec& output : program.outputs) {
      if (!ir::is_mutation(output.kind)) continue;
      auto* tensor = std::get_if<Tensor>(&prepared.inputs[static_cast<size_t>(output.input)]);
      if (tensor != nullptr && tensor->defined()) *tensor = tensor->clone(tensor->strides());
    }
    if (const auto seed = program.module->exprs().find_symbol(ops::kSeedSymbol)) {
      // Like the first call of the program that runs as a whole.
      prepared.bindings.set(seed->symbol(), key_of_call(subject_.seed, 0));
    }
    return prepared;
  }

  KernelSetOptions interpreting() const { return {.compile = false, .pool = subject_.pool}; }

  static Outcome outcome_of(const ir::Program& program, std::vector<Leaf> results) {
    Outcome outcome;
    std::vector<Leaf> mutations;
    for (size_t i = 0; i < results.size(); ++i) {
      const bool is_user = ir::is_user_output(program.outputs[i].kind);
      (is_user ? outcome.results : mutations).push_back(std::move(results[i]));
    }
    outcome.users = outcome.results.size();
    for (Leaf& leaf : mutations) outcome.results.push_back(std::move(leaf));
    return outcome;
  }

  Outcome interpret(ir::Program& program) const {
    try {
      const PlanRunner runner(lower_unfused(program), program.module->exprs(), interpreting());
      Prepared prepared = prepare(program);
      return outcome_of(program, runner.run(std::move(prepared.inputs), prepared.bindings));
    } catch (const Error& error) {
      rethrow_if_no_memory(error);
      return {.failure = error.what(), .code = error.code()};
    }
  }

  /// How an outcome differs from the expected one; empty when it does not.
  std::string difference(const Outcome& outcome) const {
    if (!outcome.failure.empty()) return outcome.failure;
    std::vector<Leaf> actual = outcome.results;
    std::vector<Leaf> expected;
    if (subject_.expected.empty()) {
      expected = reference().results;
      // A run of the whole program does not report mutations.
      if (actual.size() == outcome.users) expected.resize(reference().users);
    } else {
      expected.assign(subject_.expected.begin(), subject_.expected.end());
      actual.resize(outcome.users);
      std::erase_if(actual, [](const Leaf& leaf) { return !std::holds_alternative<Tensor>(leaf); });
    }
    if (actual.size() != expected.size()) {
      return std::to_string(actual.size()) + " results where " + std::to_string(expected.size()) +
             " are expected";
    }
    for (size_t i = 0; i < actual.size(); ++i) {
      const std::string text = leaf_difference(actual[i], expected[i], tolerance());
      if (!text.empty()) return "result " + std::to_string(i) + ": " + text;
    }
    return "";
  }

  /// The interpreted program without optional passes.
  const Outcome& reference() const {
    if (!reference_) {
      Rewritten rewritten = rewrite(subject_.required.size());
      reference_ = interpret(rewritten.program);
      require(reference_->failure.empty(), reference_->code,
              "nothing to bisect: the program refuses these inputs without optimising passes too:",
              reference_->failure);
    }
    return *reference_;
  }

  bool is_right_as_a_whole() {
    Outcome outcome;
    try {
      outcome.results = subject_.run_whole();
      outcome.users = outcome.results.size();
    } catch (const Error& error) {
      rethrow_if_no_memory(error);
      outcome.failure = error.what();
    }
    result_.message = difference(outcome);
    tell("as it usually runs: " + (result_.message.empty() ? "right" : result_.message));
    return result_.message.empty();
  }

  bool find_wrong_reference() {
    if (subject_.expected.empty()) return false;
    const std::string message = difference(reference());
    tell("interpreted without optimising passes: " + (message.empty() ? "right" : message));
    if (message.empty()) return false;
    result_.culprit = Culprit::reference;
    result_.message = message;
    return true;
  }

  // --- Fusion and kernels

  void blame_step(Culprit culprit, const lowering::Step& step, std::string message) {
    result_.culprit = culprit;
    result_.label = step.label;
    result_.message = std::move(message);
    const auto* kernel = std::get_if<lowering::KernelStep>(&step.work);
    const auto* call = std::get_if<lowering::LibraryStep>(&step.work);
    if (call != nullptr && call->epilogue) kernel = &*call->epilogue;
    if (kernel != nullptr) {
      result_.kernel = kernel->kernel.name;
      result_.loops = loops::to_string(kernel->kernel);
    }
    std::string text = "// " + std::string(name(culprit)) + " is wrong: " + result_.label + "\n";
    for (const std::string_view line : split(result_.message, '\n')) {
      text += "//   | " + std::string(line) + "\n";
    }
    text += "// `litz print MODEL --stage scheduled|llvm|asm --kernel " + result_.kernel +
            "` shows what is made of it.\n\n";
    result_.reproducer = text + result_.loops;
  }

  bool find_wrong_fusion() {
    ir::Program program = std::move(rewrite(pipeline_.size()).program);
    const PlanRunner plain(lower_unfused(program), program.module->exprs(), interpreting());
    SlotRecorder recorder(plain.program().plans[0]);
    {
      Prepared prepared = prepare(program);
      plain.run(std::move(prepared.inputs), prepared.bindings, recorder);
    }
    lowering::LoweredProgram lowered = lowering::lower(program);
    try {
      subject_.fuse(lowered);
    } catch (const Error& error) {
      rethrow_if_no_memory(error);
      result_.culprit = Culprit::fusion;
      result_.message = error.what();
      return true;
    }
    const PlanRunner fused(std::move(lowered), program.module->exprs(), interpreting());
    const lowering::Plan& plan = fused.program().plans[0];
    SlotComparer comparer(plan, recorder.made(), tolerance());
    Outcome outcome;
    try {
      Prepared prepared = prepare(program);
      outcome =
          outcome_of(program, fused.run(std::move(prepared.inputs), prepared.bindings, comparer));
    } catch (const Error& error) {
      rethrow_if_no_memory(error);
      outcome.failure = error.what();
    }
    const std::string message = difference(outcome);
    tell("interpreted after fusion: " + (message.empty() ? "right" : message));
    if (message.empty()) return false;
    if (comparer.first_wrong()) {
      blame_step(Culprit::fusion, plan.steps[*comparer.first_wrong()], comparer.message());
    } else if (!outcome.failure.empty()) {
      blame_step(Culprit::fusion, plan.steps[std::min(comparer.ended(), plan.steps.size() - 1)],
                 message);
    } else {
      result_.culprit = Culprit::fusion;
      result_.message = message;
    }
    return true;
  }

  bool find_wrong_kernel() {
    ir::Program program = std::move(rewrite(pipeline_.size()).program);
    lowering::LoweredProgram lowered = lowering::lower(program);
    subject_.fuse(lowered);
    const PlanRunner runner(std::move(lowered), program.module->exprs(), interpreting());
    // The runner numbers epilogues of library calls behind all kernels.
    std::vector<const loops::Kernel*> kernels;
    std::vector<const loops::Kernel*> epilogues;
    std::map<const lowering::KernelStep*, const lowering::Step*> steps;
    for (const lowering::Plan& plan : runner.program().plans) {
      for (const lowering::Step& step : plan.steps) {
        const auto* kernel = std::get_if<lowering::KernelStep>(&step.work);
        const auto* call = std::get_if<lowering::LibraryStep>(&step.work);
        const bool has_epilogue = call != nullptr && call->epilogue;
        if (kernel == nullptr && !has_epilogue) continue;
        const lowering::KernelStep& work = has_epilogue ? *call->epilogue : *kernel;
        (has_epilogue ? epilogues : kernels).push_back(&work.kernel);
        steps.emplace(&work, &step);
      }
    }
    kernels.insert(kernels.end(), epilogues.begin(), epilogues.end());
    const KernelSet compiled = subject_.compile(kernels);
    KernelComparer comparer(compiled, tolerance());
    Prepared prepared = prepare(program);
    runner.run(std::move(prepared.inputs), prepared.bindings, comparer);
    tell("kernel by kernel: " + (comparer.first_wrong() == nullptr ? "right" : comparer.message()));
    if (comparer.first_wrong() == nullptr) return false;
    blame_step(Culprit::kernel, *steps.at(comparer.first_wrong()), comparer.message());
    return true;
  }

  const BisectSubject& subject_;
  std::vector<passes::Pass> pipeline_;
  mutable std::optional<Outcome> reference_;
  BisectResult result_;
};

}  // namespace

std::string_view name(Culprit culprit) {
  switch (culprit) {
    case Culprit::none:
      return "none";
    case Culprit::reference:
      return "reference";
    case Culprit::pass:
      return "pass";
    case Culprit::fusion:
      return "fusion";
    case Culprit::kernel:
      return "kernel";
    case Culprit::launches:
      return "launches";
  }
  return "";
}

BisectSubject usual_subject(std::function<ir::Program()> import, std::vector<Leaf> inputs,
                            const Options& options, ThreadPool* pool) {
  BisectSubject subject;
  subject.import = [import = std::move(import)] {
    ir::Program program = import();
    place(program);
    return program;
  };
  subject.inputs = std::move(inputs);
  subject.required.assign(passes::import_pipeline().begin(), passes::import_pipeline().end());
  subject.optional.assign(passes::inference_pipeline().begin(), passes::inference_pipeline().end());
  const std::shared_ptr<const Backend> backend = backend_for(options.target);
  subject.machine = backend->machine();
  subject.fuse = [backend](lowering::LoweredProgram& program) {
    fusion::FusionReport report;
    fusion::fuse(program, fusion_options(backend.get()), report);
  };
  subject.compile = [target = options.target, pool](std::span<const loops::Kernel* const> kernels) {
    return KernelSet(kernels, {.target = target, .pool = pool});
  };
  // Mutated inputs must stay unchanged for the next run.
  subject.run_whole = [import = subject.import, given = subject.inputs, options] {
    std::vector<Leaf> copies = given;
    for (Leaf& leaf : copies) {
      if (auto* tensor = std::get_if<Tensor>(&leaf)) *tensor = tensor->clone(tensor->strides());
    }
    return Executable(import(), options).run(copies);
  };
  subject.pool = pool;
  subject.seed = options.seed;
  return subject;
}

BisectResult bisect(const BisectSubject& subject) { return Bisector(subject).run(); }

}  // namespace litz::compiler
