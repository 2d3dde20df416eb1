// Runs functions of one device, recorded where possible, with one pool of memory (README.md).

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/program/shared_memory.h"
#include "runtime/trees/function.h"
#include "runtime/trees/node.h"
#include "runtime/trees/path.h"
#include "runtime/trees/pool.h"
#include "runtime/trees/report.h"
#include "support/check.h"

namespace litz::runtime::trees {

struct ContextOptions {
  OutputPolicy policy = OutputPolicy::fresh;
  /// Fixed functions run at once the first time. Sizes of patched functions do, except their first.
  bool warms_up = true;
  bool always_warms_up = false;   ///< Nothing is recorded; memory is the pool's all the same.
  bool supports_mutation = true;  ///< Fixed functions may write managed inputs.
  /// Throws Error{unsupported} where a function would run without a recording.
  bool requires_recordings = false;
  /// Recordings of a function at one place of the tree, beyond the first, because managed inputs had
  /// other addresses; then it runs at once there.
  int64_t most_rerecordings = 128;
  bool counts_static_changes = false;  ///< Static inputs count too.
  /// Such recordings until an input whose address keeps changing is copied.
  int64_t most_managed_changes = 8;
  int64_t most_quiet_sizes = 8;  ///< More sizes of a function cause a warning; 0: never.
  /// The least recently used ones are dropped, except those of paths.
  size_t most_recordings = 1024;
  /// Work of fewer nodes runs at once: a few launches may take less time than copying the inputs.
  int64_t least_nodes = 0;
  size_t segment_bytes = size_t{256} << 20;  ///< Addresses that the pool reserves at a time.
  /// After runs at once and recordings, a function that keeps memory of the pool is an error.
  bool checks_leaks = true;
  std::function<void(const std::string&)> on_message;  ///< Skips, warnings, recordings.
};

/// Thread-safe: calls run one after another. Each thread has a path of its own. It must outlive the
/// programs that use its memory.
class Context final : public SharedMemory {
 public:
  explicit Context(std::shared_ptr<GraphDevice> device, ContextOptions options = {});
  ~Context() override;

  /// Throws Error for a function without a body.
  FunctionId add(Function function);
  /// Drops a function's recordings; tensors that callers hold stay valid. Recordings of other functions
  /// that were made after its own go too.
  void remove(FunctionId function);
  void forget_recordings(FunctionId function);

  /// Runs a function in the order of the caller's stream. `inputs` are handed over: memory of inputs
  /// that nobody else holds may be used for results. Throws what the function throws, Error for a
  /// context that was shut down, and for inputs that have ended.
  std::vector<Value> call(FunctionId function, std::vector<Argument> inputs, StreamId stream = {});

  /// Runs a program (Function::is_program) whose runner uses this context as its memory. Outputs that
  /// lie in the pool are the path's, like those of other functions.
  std::vector<Value> call_program(FunctionId function, std::span<const Value> inputs,
                                  const std::function<std::vector<Value>()>& run);

  /// Keeps calls out, for example while code is loaded on the device.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> hold() const {
    return std::unique_lock(mutex_);
  }

  // Memory for programs, during their calls.
  std::shared_ptr<Storage> output(size_t bytes, StreamId stream) override;

  ArenaPool& arenas() override { return arenas_; }

  /// The next call of this thread begins a step.
  void mark_step();
  /// Drops all functions, recordings and memory that nobody holds. Later calls fail.
  void shut_down();

  /// Calls within an entry of the same thread belong to one automatic step.
  class Entry {
   public:
    explicit Entry(Context& context);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Context& context_;
    std::thread::id thread_;
  };

  /// A step of this thread: it begins now, and all calls until the end belong to it.
  class StepScope {
   public:
    explicit StepScope(Context& context);
    ~StepScope();
    StepScope(const StepScope&) = delete;
    StepScope& operator=(const StepScope&) = delete;

   private:
    Context& context_;
    std::thread::id thread_;
  };

  /// Programs need not wait for their work: nothing but the order of streams decides when memory of
  /// their results is used again. Results that steps move or end are looked after by the host.
  bool lets_programs_run_ahead() const;

  // --- What there is

  const std::shared_ptr<GraphDevice>& device() const { return device_; }

  const ContextOptions& options() const { return options_; }

  ContextReport report() const;
  Counts counts() const;
  /// The state of this thread's path.
  PathState state() const;
  bool pending_backward() const;
  /// The number of storages of the pool that tensors hold.
  int64_t live_storages() const;
  /// For each root, the number of recordings below it.
  std::vector<int64_t> descendants() const;
  int64_t recordings() const;

  /// The recordings, of fixed functions by tree, of patched ones by function. They may change with the
  /// next call.
  std::vector<const Node*> nodes() const;

 private:
  /// A function with its sizes: upstream's function id.
  struct Variant {
    bool is_warm = false;
    bool was_root = false;
    std::unique_ptr<Node> patched;
    uint64_t last_use = 0;
  };

  struct FunctionState {
    FunctionId id;
    Function function;
    /// The variant of what must be equal for calls of one recording, besides addresses.
    std::map<std::vector<int64_t>, size_t> keys;
    const std::vector<int64_t>* last_key = nullptr;  ///< Of the last call.
    size_t last_variant = 0;
    std::vector<Variant> variants;
    std::string failure;  ///< Why its work cannot be recorded; empty: it can, or nobody tried.
    bool has_warned_sizes = false;
    bool has_warned_backward = false;
    FunctionReport report;
  };

  struct Call {
    FunctionState& state;
    Path& path;
    std::vector<Argument> inputs;
    StreamId stream;
    size_t variant = 0;

    const Function& function() const { return state.function; }
  };

  /// Recordings of one function after one recording.
  using Place = std::pair<int32_t, int32_t>;  // Of a node, -1 for none; of a function.

  struct Rerecordings {
    int64_t count = 0;
    std::map<size_t, int64_t> changes;  ///< By input.
  };

  Path& path_of(std::thread::id thread);
  Path& own_path();
  Path& path_for(const FunctionState& state, std::span<const Argument> inputs);
  FunctionState& state_of(FunctionId function);
  void order(StreamId stream, std::span<const Argument> inputs);
  void begin(Call& call);
  void end_path(Call& call);
  void warn_backward(Call& call);

  std::vector<Value> run(Call& call);
  std::optional<Skip> reason_not_to_record(const Call& call) const;
  size_t variant_of(Call& call);
  bool must_warm_up(const Call& call) const;
  std::vector<Value> run_at_once(Call& call, const Skip& skip);
  std::vector<Value> run_unrecorded(Call& call, const Error& error);
  std::unique_ptr<Node> record_or_run(Call& call, std::vector<Value>& outputs);
  std::vector<Value> replay_first(Call& call, Node& node);
  std::vector<Value> warm_up(Call& call);
  std::vector<Value> run_patched(Call& call);
  std::vector<Value> run_fixed(Call& call);
  std::vector<Value> replay_node(Call& call, Node& node);
  std::vector<Value> record_fixed(Call& call);
  std::unique_ptr<Node> record(Call& call);
  void bind_inputs(const Call& call, Node& node, std::vector<Argument>& given);
  std::vector<std::unique_ptr<Node>>& siblings(const Path& path);
  bool note_rerecording(const Call& call, const Misfits& misfits);
  void track(Call& call, std::span<const Value> outputs);
  void check_leaks(const Call& call, std::span<const Value> outputs) const;

  void note_skip(const Call& call, const Skip& skip);
  void say(const std::string& message) const;
  void keep_budget();
  bool evict_one();
  size_t count_nodes() const;
  void drop_nodes(FunctionId function);
  void drop_kept();

  std::shared_ptr<GraphDevice> device_;
  ContextOptions options_;
  mutable std::recursive_mutex mutex_;
  bool is_shut_down_ = false;
  Pool pool_;
  ArenaPool arenas_;  ///< For temporaries of programs.
  std::map<FunctionId, std::unique_ptr<FunctionState>> functions_;
  std::vector<std::unique_ptr<Node>> roots_;
  std::map<std::thread::id, Path> paths_;
  std::thread::id last_thread_;  ///< The owner of
  Path* last_path_ = nullptr;    ///< this path, the last that was asked for.
  std::map<Place, Rerecordings> rerecordings_;
  std::vector<Skip> skips_;
  std::vector<std::weak_ptr<Storage>> kept_;  ///< Outputs of ended steps that stay where they are.
  std::set<StreamId> streams_;
  std::optional<StreamId> last_stream_;
  Counts counts_;
  int32_t functions_made_ = 0;
  int32_t nodes_made_ = 0;
  uint64_t uses_ = 0;
  std::vector<int64_t> key_;  ///< Memory of variant_of, like the next one.
  std::vector<std::pair<const Storage*, size_t>> key_order_;
};

}  // namespace litz::runtime::trees
