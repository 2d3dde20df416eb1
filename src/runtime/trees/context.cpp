#include "runtime/trees/context.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <sstream>

#include "runtime/stream_use.h"
#include "runtime/trees/work.h"
#include "support/check.h"

namespace litz::runtime::trees {
namespace {

/// The dtype, sizes and strides of a tensor; the kind of another value, and numbers and text, which a
/// recording contains.
void add_argument(const Argument& argument, std::vector<int64_t>& key) {
  if (const Tensor* const tensor = tensor_of(argument)) {
    key.push_back(static_cast<int64_t>(tensor->dtype()));
    key.push_back(static_cast<int64_t>(tensor->rank()));
    key.insert(key.end(), tensor->sizes().begin(), tensor->sizes().end());
    key.insert(key.end(), tensor->strides().begin(), tensor->strides().end());
    return;
  }
  key.push_back(-1 - static_cast<int64_t>(argument.index()));
  if (const auto* const integer = std::get_if<int64_t>(&argument)) {
    key.push_back(*integer);
  } else if (const auto* const number = std::get_if<double>(&argument)) {
    key.push_back(std::bit_cast<int64_t>(*number));
  } else if (const auto* const flag = std::get_if<bool>(&argument)) {
    key.push_back(*flag ? 1 : 0);
  } else if (const auto* const text = std::get_if<std::string>(&argument)) {
    key.push_back(static_cast<int64_t>(text->size()));
    key.insert(key.end(), text->begin(), text->end());
  }
}

/// What inputs share: those on one storage have one buffer of the recording. `order` is memory for it.
void add_sharing(std::span<const Argument> inputs,
                 std::vector<std::pair<const Storage*, size_t>>& order, std::vector<int64_t>& key) {
  order.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const Tensor* const tensor = tensor_of(inputs[i])) {
      order.emplace_back(tensor->storage().get(), i);
    }
  }
  std::ranges::sort(order);
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i].first != order[i - 1].first) continue;
    const size_t one = order[i - 1].second;
    const size_t other = order[i].second;
    key.push_back(static_cast<int64_t>(one));
    key.push_back(static_cast<int64_t>(other));
    key.push_back(tensor_of(inputs[other])->address() - tensor_of(inputs[one])->address());
  }
}

}  // namespace

Context::Context(std::shared_ptr<GraphDevice> device, ContextOptions options)
    : device_(std::move(device)),
      options_(std::move(options)),
      pool_(device_, options_.segment_bytes),
      arenas_(*device_) {}

Context::~Context() { shut_down(); }

// --- Functions

FunctionId Context::add(Function function) {
  require(function.body != nullptr || function.is_program,
          "a function must have a body:", function.name);
  const std::lock_guard lock(mutex_);
  require(!is_shut_down_, "a context that was shut down must not be used");
  const FunctionId id{functions_made_++};
  auto state = std::make_unique<FunctionState>();
  state->id = id;
  state->function = std::move(function);
  if (state->function.name.empty()) state->function.name = "function " + std::to_string(id.value);
  state->report.name = state->function.name;
  state->report.mode = state->function.mode;
  state->report.tier = state->function.tier;
  state->report.parts = state->function.parts;
  functions_.emplace(id, std::move(state));
  return id;
}

Context::FunctionState& Context::state_of(FunctionId function) {
  require(!is_shut_down_, "a context that was shut down must not be used");
  const auto found = functions_.find(function);
  require(found != functions_.end(), "a function must belong to the context:", function.value);
  return *found->second;
}

void Context::remove(FunctionId function) {
  const std::lock_guard lock(mutex_);
  if (is_shut_down_) return;
  forget_recordings(function);
  // Outputs on paths name their function.
  for (auto& [thread, path] : paths_) {
    for (const PathStep& step : path.calls) {
      if (step.function != &state_of(function).function) continue;
      for (const PathOutput* const output : path.live(pool_)) kept_.push_back(output->storage);
      path.clear();
      break;
    }
  }
  functions_.erase(function);
  std::erase_if(skips_, [&](const Skip& skip) { return skip.function == function; });
}

void Context::forget_recordings(FunctionId function) {
  const std::lock_guard lock(mutex_);
  FunctionState& state = state_of(function);
  for (Variant& variant : state.variants) variant.patched.reset();
  drop_nodes(function);
}

/// Drops the recordings of a function with those below. Paths that are at one of them go on without.
void Context::drop_nodes(FunctionId function) {
  const auto drop = [&](auto& self, std::vector<std::unique_ptr<Node>>& nodes) -> void {
    std::erase_if(nodes, [&](const std::unique_ptr<Node>& node) {
      if (node->function == function) return true;
      self(self, node->children);
      return false;
    });
  };
  for (auto& [thread, path] : paths_) {
    for (const Node* node = path.current; node != nullptr; node = node->parent) {
      if (node->function != function) continue;
      for (const PathOutput* const output : path.live(pool_)) kept_.push_back(output->storage);
      path.clear();
      break;
    }
  }
  drop(drop, roots_);
}

void Context::shut_down() {
  const std::lock_guard lock(mutex_);
  if (is_shut_down_) return;
  is_shut_down_ = true;
  paths_.clear();
  last_path_ = nullptr;
  roots_.clear();
  functions_.clear();
  kept_.clear();
  pool_.trim();
}

// --- Steps

Context::Entry::Entry(Context& context) : context_(context), thread_(std::this_thread::get_id()) {
  const std::lock_guard lock(context_.mutex_);
  context_.path_of(thread_).steps.enter();
}

Context::Entry::~Entry() {
  const std::lock_guard lock(context_.mutex_);
  context_.path_of(thread_).steps.leave();
}

Context::StepScope::StepScope(Context& context)
    : context_(context), thread_(std::this_thread::get_id()) {
  const std::lock_guard lock(context_.mutex_);
  Steps& steps = context_.path_of(thread_).steps;
  ++steps.now;
  ++steps.scopes;
}

Context::StepScope::~StepScope() {
  const std::lock_guard lock(context_.mutex_);
  --context_.path_of(thread_).steps.scopes;
}

void Context::mark_step() {
  const std::lock_guard lock(mutex_);
  own_path().steps.state();
}

Path& Context::path_of(std::thread::id thread) {
  if (last_path_ == nullptr || last_thread_ != thread) {
    last_thread_ = thread;
    last_path_ = &paths_[thread];
  }
  return *last_path_;
}

Path& Context::own_path() { return path_of(std::this_thread::get_id()); }

/// A backward call belongs to the path that has its saved values; the others to their thread's.
Path& Context::path_for(const FunctionState& state, std::span<const Argument> inputs) {
  Path& own = own_path();
  if (state.function.mode != Mode::backward) return own;
  for (const Argument& input : inputs) {
    const Tensor* const tensor = tensor_of(input);
    if (tensor == nullptr || pool_.range_of(tensor->storage().get()).bytes == 0) continue;
    for (auto& [thread, path] : paths_) {
      if (path.holds(tensor->storage().get(), pool_)) return path;
    }
  }
  return own;
}

// --- Calls

namespace {

/// Throws Error unless all parts of a program are recorded.
void require_recorded(const Function& program) {
  for (const ProgramPart& part : program.parts) {
    require(part.reason.empty(), ErrorCode::unsupported, "every part must be recorded, but",
            part.label, "of", program.name, "is not:", part.reason);
  }
}

/// A call within the entries of its thread.
class InEntry {
 public:
  InEntry(Steps& steps, const FunctionId& function, Mode mode) : steps_(steps) {
    steps.enter(mode == Mode::backward);
    steps.call(function);
  }

  ~InEntry() { steps_.leave(); }

  InEntry(const InEntry&) = delete;
  InEntry& operator=(const InEntry&) = delete;

 private:
  Steps& steps_;
};

}  // namespace

std::vector<Value> Context::call(FunctionId function, std::vector<Argument> inputs,
                                 StreamId stream) {
  const std::lock_guard lock(mutex_);
  FunctionState& state = state_of(function);
  for (const Argument& input : inputs) {
    if (const Tensor* const tensor = tensor_of(input))
      tensor->address();  // Throws if it has ended.
  }
  require(!state.function.is_program, "a program is called by call_program:", state.function.name);
  const InEntry entry(own_path().steps, function, state.function.mode);
  Call call{state, path_for(state, inputs), std::move(inputs), stream};
  order(stream, call.inputs);
  begin(call);
  std::vector<Value> outputs = run(call);
  ++counts_.calls;
  ++state.report.calls;
  if (state.function.mode == Mode::backward) call.path.end_awaiting();
  return outputs;
}

std::vector<Value> Context::call_program(FunctionId function, std::span<const Value> inputs,
                                         const std::function<std::vector<Value>()>& run) {
  const std::lock_guard lock(mutex_);
  FunctionState& state = state_of(function);
  require(state.function.is_program,
          "only a program is called by call_program:", state.function.name);
  const InEntry entry(own_path().steps, function, state.function.mode);
  Call call{state, own_path(), {}, {}};
  if (options_.requires_recordings) require_recorded(state.function);
  for (const Value& input : inputs) {
    const auto* const tensor = std::get_if<Tensor>(&input);
    if (tensor == nullptr || !tensor->defined()) continue;
    tensor->address();  // Throws if it has ended.
    if (!call.path.calls.empty()) call.inputs.emplace_back(*tensor);
  }
  // A program has streams of its own, and its work is done when it returns.
  if (!device_->caps().is_immediate) {
    for (const StreamId stream : streams_) device_->synchronize(stream);
  }
  const int64_t ended = counts_.clones + counts_.traps;
  begin(call);
  // What moves out is copied, and poisoned in that test mode, before the program's streams write there.
  if (counts_.clones + counts_.traps != ended) device_->synchronize(call.stream);
  std::vector<Value> outputs = run();
  if (state.function.policy.value_or(options_.policy) == OutputPolicy::fresh) {
    call.path.steps.path = call.path.steps.now;
  } else {
    track(call, outputs);
  }
  ++counts_.calls;
  ++state.report.calls;
  return outputs;
}

bool Context::lets_programs_run_ahead() const {
  return !device_->caps().is_immediate && options_.policy == OutputPolicy::fresh;
}

// A device that runs later has memory by streams, which all programs share.
std::shared_ptr<Storage> Context::output(size_t bytes, StreamId stream) {
  return lets_programs_run_ahead() ? device_->allocate_on(stream, bytes) : pool_.allocate(bytes);
}

/// Orders the call after all work of other streams that may use the pool or makes its inputs.
void Context::order(StreamId stream, std::span<const Argument> inputs) {
  streams_.insert(stream);
  if (device_->caps().is_immediate) return;
  for (const StreamId other : streams_) {
    if (other != stream) device_->wait(stream, device_->record(other));
  }
  for (const Argument& input : inputs) {
    const Tensor* const tensor = tensor_of(input);
    if (tensor != nullptr && tensor->device() == device_->device()) {
      before_write(*device_, stream, *tensor);
    }
  }
}

/// Ends the path if a step begins, or if nobody holds its outputs.
void Context::begin(Call& call) {
  Path& path = call.path;
  if (path.calls.empty()) return;
  const Steps& steps = path.steps;
  if (steps.now != steps.path) {
    if (steps.are_stated() || !path.awaits_backward(pool_)) return end_path(call);
    warn_backward(call);
  }
  const bool examines = path.state == PathState::warm_up || path.state == PathState::recording;
  if (examines && path.live(pool_).empty()) path.clear();
}

void Context::end_path(Call& call) {
  drop_kept();
  const PathEnd ended =
      call.path.end(pool_, call.inputs, "a call of " + call.function().name, call.stream, kept_);
  counts_.clones += ended.clones;
  counts_.traps += ended.traps;
}

void Context::drop_kept() {
  std::erase_if(kept_, [&](const std::weak_ptr<Storage>& storage) {
    const std::shared_ptr<Storage> held = storage.lock();
    return held == nullptr || pool_.holders(held.get()) <= 1;  // One is `held`.
  });
}

void Context::warn_backward(Call& call) {
  FunctionState& state = call.state;
  if (state.has_warned_backward || !call.path.repeats(&state.function)) return;
  state.has_warned_backward = true;
  say(state.function.name +
      " cannot replay from the start, because values saved for a backward call are held: run the "
      "backward call, compute without gradients or detach, or state steps (StepScope, mark_step)");
}

std::vector<Value> Context::run(Call& call) {
  if (const std::optional<Skip> skip = reason_not_to_record(call)) return run_at_once(call, *skip);
  call.variant = variant_of(call);
  if (must_warm_up(call)) return warm_up(call);
  return call.function().tier == Tier::patched ? run_patched(call) : run_fixed(call);
}

std::optional<Skip> Context::reason_not_to_record(const Call& call) const {
  const Function& function = call.function();
  Skip skip{SkipReason::stated, call.state.id, -1, function.skip_reason, 0};
  if (!function.skip_reason.empty()) return skip;
  if (!call.state.failure.empty()) {
    skip.reason = SkipReason::recording_failed;
    skip.detail = call.state.failure;
    return skip;
  }
  if (!function.capture_sizes.empty()) {
    std::vector<int64_t> integers;
    for (const Argument& input : call.inputs) {
      if (const auto* const number = std::get_if<int64_t>(&input)) integers.push_back(*number);
    }
    skip.reason = SkipReason::unlisted_size;
    if (std::ranges::count(function.capture_sizes, integers) == 0) return skip;
  }
  if (function.tier == Tier::patched) return std::nullopt;
  std::ostringstream writers;
  int64_t count = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const InputInfo info = function.input(i);
    const Tensor* const tensor = tensor_of(call.inputs[i]);
    if (!info.is_mutated || info.is_static || tensor == nullptr) continue;
    const bool is_managed = call.path.holds(tensor->storage().get(), pool_);
    if (is_managed && options_.supports_mutation) continue;
    if (++count == 1) writers << info.mutated_by;
  }
  if (count == 0) return std::nullopt;
  skip.reason = SkipReason::mutated_inputs;
  skip.detail = "(" + std::to_string(count) + " instances): " + writers.str();
  return skip;
}

size_t Context::variant_of(Call& call) {
  FunctionState& state = call.state;
  key_.clear();
  for (const Argument& input : call.inputs) add_argument(input, key_);
  key_.push_back(-100);  // The end of the arguments.
  add_sharing(call.inputs, key_order_, key_);
  if (state.last_key != nullptr && *state.last_key == key_) return state.last_variant;
  const auto [known, is_new] = state.keys.try_emplace(key_, state.variants.size());
  state.last_key = &known->first;
  state.last_variant = known->second;
  if (!is_new) return known->second;
  state.variants.emplace_back();
  state.report.sizes = static_cast<int64_t>(state.variants.size());
  const bool is_many =
      options_.most_quiet_sizes != 0 && state.report.sizes > options_.most_quiet_sizes;
  if (is_many && !state.has_warned_sizes) {
    state.has_warned_sizes = true;
    say(state.function.name + " was called with " + std::to_string(state.report.sizes) +
        " distinct sizes, and each has a recording: pad inputs to a few sizes, list those to "
        "record "
        "(capture_sizes), or silence this (most_quiet_sizes = 0)");
  }
  return known->second;
}

bool Context::must_warm_up(const Call& call) const {
  const Variant& variant = call.state.variants[call.variant];
  if (options_.always_warms_up) return true;
  if (call.function().tier == Tier::patched) {
    // A size that does not return costs no recording.
    return options_.warms_up && !variant.is_warm && call.state.variants.size() > 1;
  }
  return (options_.warms_up && !variant.is_warm) || call.path.state == PathState::warm_up;
}

// --- Runs at once

std::vector<Value> Context::run_at_once(Call& call, const Skip& skip) {
  note_skip(call, skip);
  Work work(*device_, call.stream, call.inputs, {});
  std::vector<Value> outputs = call.function().body(work);
  work.finish();
  ++counts_.at_once;
  return outputs;
}

std::vector<Value> Context::warm_up(Call& call) {
  const bool leaves_replay =
      call.path.state == PathState::execution && call.path.current != nullptr;
  std::vector<Value> outputs;
  {
    Work work(*device_, call.stream, call.inputs, {.records = false, .pool = &pool_, .taken = {}});
    outputs = call.function().body(work);
    work.finish();
  }
  check_leaks(call, outputs);
  ++counts_.warm_ups;
  counts_.restores += leaves_replay ? 1 : 0;
  call.state.variants[call.variant].is_warm = true;
  if (call.function().tier == Tier::fixed) {
    call.path.state = PathState::warm_up;
    call.path.current = nullptr;
  }
  track(call, outputs);
  return outputs;
}

/// Adds the call to the path.
void Context::track(Call& call, std::span<const Value> outputs) {
  const Function& function = call.function();
  OutputPolicy policy = function.policy.value_or(options_.policy);
  if (function.tier == Tier::fixed && policy == OutputPolicy::fresh) policy = OutputPolicy::clone;
  PathStep step{&function, {}, function.mode == Mode::forward};
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto* const tensor = std::get_if<Tensor>(&outputs[i]);
    if (tensor == nullptr || !tensor->defined()) continue;
    Storage* const storage = tensor->storage().get();
    if (pool_.range_of(storage).bytes == 0) continue;
    const bool is_input = std::ranges::any_of(call.inputs, [&](const Argument& input) {
      const Tensor* const given = tensor_of(input);
      return given != nullptr && given->storage().get() == storage;
    });
    // Gradients are added up over steps, so they leave the pool.
    const bool escapes = function.output(i).is_gradient && policy == OutputPolicy::clone;
    if (escapes && !is_input) {
      pool_.move_out(storage, call.stream);
      ++counts_.clones;
    } else {
      step.outputs.push_back({tensor->storage(), pool_.giving_of(storage), &function, i, policy});
    }
  }
  call.path.calls.push_back(std::move(step));
  call.path.steps.path = call.path.steps.now;
}

/// A storage of the pool that someone holds must be an output of a path.
void Context::check_leaks(const Call& call, std::span<const Value> outputs) const {
  if (!options_.checks_leaks) return;
  std::set<const Storage*> known;
  for (const auto& [thread, path] : paths_) {
    for (const PathStep& step : path.calls) {
      for (const PathOutput& output : step.outputs) known.insert(output.storage.lock().get());
    }
  }
  for (const std::weak_ptr<Storage>& storage : kept_) known.insert(storage.lock().get());
  for (const Value& value : outputs) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    if (tensor != nullptr) known.insert(tensor->storage().get());
  }
  int64_t leaks = 0;
  size_t bytes = 0;
  for (const Storage* const storage : pool_.live()) {
    if (known.contains(storage)) continue;
    ++leaks;
    bytes += storage->size();
  }
  require(leaks == 0,
          "a function must not keep memory of the pool besides its outputs:", call.function().name,
          "keeps", leaks, "tensors,", bytes, "bytes");
}

// --- What there is

ContextReport Context::report() const {
  const std::lock_guard lock(mutex_);
  ContextReport report;
  report.counts = counts_;
  for (const auto& [id, state] : functions_) {
    FunctionReport& function = report.functions.emplace_back(state->report);
    for (const Node* const node : nodes()) {
      if (node->function != id) continue;
      ++function.recordings;
      function.nodes += node->recording.nodes;
    }
    for (const Skip& skip : skips_) {
      if (skip.function == id) function.skips.push_back(skip);
    }
  }
  report.recordings = static_cast<int64_t>(count_nodes());
  const Pool::Bytes bytes = pool_.bytes();
  report.live_bytes = bytes.live;
  report.committed_bytes = bytes.committed;
  report.temporary_bytes = arenas_.bytes();
  return report;
}

Counts Context::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

PathState Context::state() const {
  const std::lock_guard lock(mutex_);
  const auto found = paths_.find(std::this_thread::get_id());
  return found == paths_.end() ? PathState::none : found->second.state;
}

bool Context::pending_backward() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      paths_, [&](const auto& entry) { return entry.second.awaits_backward(pool_); });
}

int64_t Context::live_storages() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(pool_.live().size());
}

std::vector<int64_t> Context::descendants() const {
  const std::lock_guard lock(mutex_);
  std::vector<int64_t> counts;
  for (const std::unique_ptr<Node>& root : roots_) counts.push_back(trees::descendants(*root));
  return counts;
}

int64_t Context::recordings() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(count_nodes());
}

std::vector<const Node*> Context::nodes() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Node*> nodes;
  const auto add = [&](auto& self, const Node& node) -> void {
    nodes.push_back(&node);
    for (const std::unique_ptr<Node>& child : node.children) self(self, *child);
  };
  for (const std::unique_ptr<Node>& root : roots_) add(add, *root);
  for (const auto& [id, state] : functions_) {
    for (const Variant& variant : state->variants) {
      if (variant.patched != nullptr) nodes.push_back(variant.patched.get());
    }
  }
  return nodes;
}

size_t Context::count_nodes() const { return nodes().size(); }

void Context::note_skip(const Call& call, const Skip& skip) {
  require(!options_.requires_recordings, ErrorCode::unsupported, "every call must be recorded, but",
          describe(skip, call.function()));
  for (Skip& known : skips_) {
    if (known.function != skip.function || known.reason != skip.reason || known.node != skip.node) {
      continue;
    }
    ++known.calls;
    return;
  }
  skips_.push_back(skip);
  skips_.back().calls = 1;
  ++counts_.skips;
  say(describe(skip, call.function()));
}

void Context::say(const std::string& message) const {
  if (options_.on_message) options_.on_message(message);
}

}  // namespace litz::runtime::trees
