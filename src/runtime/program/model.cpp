#include "runtime/program/model.h"

#include <algorithm>

#include "runtime/placement.h"
#include "runtime/program/collective_starts.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::runtime {
namespace {

size_t weight_named(const artifact::Signature& signature, const std::string& name) {
  const auto found =
      std::ranges::find_if(signature.inputs, [&](const artifact::ProgramInput& input) {
        return is_weight(input.kind) && input.label == name;
      });
  require(found != signature.inputs.end(), ErrorCode::not_found,
          "a weight must be one of the program's:", quote(name));
  return static_cast<size_t>(found - signature.inputs.begin());
}

/// A copy with the strides of the tensor that it replaces, which generated code relies on.
Tensor replacement(const Tensor& old, const Tensor& given, const std::string& name) {
  require(given.defined() && given.dtype() == old.dtype() && given.sizes() == old.sizes(),
          "a weight must keep its dtype and sizes:", quote(name));
  Tensor copy = Tensor::empty_strided(old.dtype(), old.sizes(), old.strides());
  copy.copy_from(given);
  return copy;
}

/// Weights of parts have the names that they have in the program.
void replace_in_part(artifact::Program& part, const std::string& name, const Tensor& given) {
  for (artifact::ProgramInput& input : part.signature.inputs) {
    if (is_weight(input.kind) && input.label == name && input.data.defined()) {
      input.data = replacement(input.data, given, name);
    }
  }
}

}  // namespace

Model::Model(artifact::Program program, const ModelOptions& options)
    : options_(options), program_(std::move(program)) {
  require(options.threads >= 0 && options.threads <= ThreadPool::kMostThreads,
          "the number of threads must be 0, for one for each CPU, or at most",
          ThreadPool::kMostThreads, "but is", options.threads);
  if (options.threads != 1) pool_ = std::make_shared<ThreadPool>(options.threads);
  runner_ = new_runner(program_, 0);
  if (options.communicator != nullptr && options.communicator->world() > 1) {
    distributed::require_agreement(collective_starts(program_), *options.communicator);
  }
}

/// A runner that keeps its threads, so that sessions may outlive the model.
std::shared_ptr<ProgramRunner> Model::new_runner(artifact::Program program,
                                                 uint64_t first_call) const {
  struct Kept {
    Kept(std::shared_ptr<ThreadPool> threads, artifact::Program program,
         const RunnerOptions& options)
        : pool(std::move(threads)), runner(std::move(program), options) {}

    std::shared_ptr<ThreadPool> pool;
    ProgramRunner runner;
  };

  RunnerOptions options;
  options.calls = {.seed = options_.seed, .first_call = first_call, .results = options_.results};
  options.pool = pool_.get();
  if (options_.device) {
    options.device = make_device_for(program.target, options_.device, options.pool);
  }
  options.communicator = options_.communicator;
  auto kept = std::make_shared<Kept>(pool_, std::move(program), options);
  return {kept, &kept->runner};
}

std::shared_ptr<ProgramRunner> Model::current() const {
  const std::lock_guard lock(mutex_);
  return runner_;
}

ModelCalls Model::session() const {
  ModelCalls calls(current());
  calls.own_ = std::make_unique<ProgramCalls>(calls.runner_->calls());
  return calls;
}

void Model::set_weights(std::span<const std::pair<std::string, Tensor>> weights) {
  const std::lock_guard one_at_a_time(replacing_);
  const std::shared_ptr<ProgramRunner> old = current();
  artifact::Program next = program_;
  {
    // Start from what calls have written so far.
    const std::unique_lock<std::mutex> unchanged = old->calls().hold_weights();
    for (size_t i = 0; i < next.signature.inputs.size(); ++i) {
      Tensor& data = next.signature.inputs[i].data;
      if (!data.defined() || !old->calls().weights().at(i).defined()) continue;
      const Tensor& first = old->program().signature.inputs[i].data;
      const Tensor latest = old->calls().changes()[i] ? old->calls().present_weight(i) : first;
      data = latest.storage() == first.storage() ? latest : latest.clone(latest.strides());
    }
  }
  for (const auto& [name, tensor] : weights) {
    artifact::ProgramInput& input = next.signature.inputs[weight_named(next.signature, name)];
    // An input without readers has no data, and needs none.
    if (input.data.defined()) input.data = replacement(input.data, tensor, name);
    for (artifact::Program& part : next.parts) replace_in_part(part, name, tensor);
  }
  next.packed.clear();  // They were made of the old ones.
  for (artifact::Program& part : next.parts) part.packed.clear();
  std::shared_ptr<ProgramRunner> made = new_runner(std::move(next), old->calls().calls_begun());
  const std::lock_guard lock(mutex_);
  runner_ = std::move(made);
}

}  // namespace litz::runtime
