#include "distributed/simulated_world.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "support/check.h"

namespace litz::distributed {
namespace {

/// One collective, or one transfer, of some ranks.
struct Operation {
  std::string title;           ///< "number 3 of group 0"
  std::vector<int> ranks;      ///< Of the world, by position in the group; a sender, its receiver.
  std::vector<Collective> by;  ///< What each of them has started.
  std::vector<bool> has_started;
  size_t arrived = 0;
  size_t first = 0;  ///< The position that started first.
  bool is_done = false;
  std::optional<Error> failure;

  bool is_complete() const { return arrived == ranks.size(); }

  bool is_settled() const { return is_done || is_complete() || failure.has_value(); }

  std::string text() const { return signature(by[first]) + " (" + title + ")"; }
};

/// Group; sender, receiver and tag of a transfer; number.
using Key = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>;

struct Pending {
  std::vector<Tensor> results;
  std::shared_ptr<Operation> operation;
};

bool is_same(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return a.storage() == b.storage();
  return a.address() == b.address();
}

std::string listed(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < ranks.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

bool is_transfer(CollectiveKind kind) {
  return kind == CollectiveKind::send || kind == CollectiveKind::receive;
}

// Bytes of all ones are NaN in every floating format that has one.
void poison(const Collective& collective) {
  for (const Tensor& result : collective.results) {
    const bool is_operand = std::ranges::any_of(
        collective.operands, [&](const Tensor& operand) { return is_same(operand, result); });
    if (is_operand || result.numel() == 0 || !result.is_contiguous()) continue;
    Tensor filled = result;
    std::memset(filled.mutable_data(), 0xff,
                static_cast<size_t>(result.numel() * item_size(result.dtype())));
    if (result.dtype() == DType::bool_) filled.copy_from(Tensor::scalar(DType::bool_, 1));
  }
}

}  // namespace

class SimulatedWorld::State {
 public:
  explicit State(SimulationOptions given) : options(std::move(given)), ranks_(size()) {
    require(options.ranks > 0, "a world must have ranks:", options.ranks);
  }

  size_t size() const { return static_cast<size_t>(std::max(options.ranks, 0)); }

  void start(int rank, Collective collective) {
    const std::lock_guard lock(mutex_);
    Member& member = ranks_[static_cast<size_t>(rank)];
    const int64_t count = member.started++;
    if (options.death && options.death->rank == rank && options.death->at == count) {
      fail(ErrorCode::cancelled, "a rank died, as the simulation was told; rank, collective:", rank,
           signature(collective));
    }
    const std::vector<int> group = members(options.groups, options.ranks, rank, collective);
    const auto own = std::ranges::find(group, rank) - group.begin();
    if (options.poisons) poison(collective);
    const std::shared_ptr<Operation> operation = operation_of(member, own, group, collective);
    const auto position =
        static_cast<size_t>(std::ranges::find(operation->ranks, rank) - operation->ranks.begin());
    member.pending.push_back({collective.results, operation});
    if (operation->arrived == 0) operation->first = position;
    operation->by[position] = std::move(collective);
    operation->has_started[position] = true;
    ++operation->arrived;
    check_equal(*operation, position);
    changed_.notify_all();
  }

  void wait(int rank, const Tensor& result) {
    std::unique_lock lock(mutex_);
    std::vector<Pending>& pending = ranks_[static_cast<size_t>(rank)].pending;
    const auto found = std::ranges::find_if(pending, [&](const Pending& each) {
      return std::ranges::any_of(each.results,
                                 [&](const Tensor& other) { return is_same(other, result); });
    });
    if (found == pending.end()) return;
    const std::shared_ptr<Operation> operation = found->operation;
    pending.erase(found);
    finish(rank, *operation, lock);
  }

  void wait_all(int rank) {
    std::unique_lock lock(mutex_);
    std::vector<Pending>& pending = ranks_[static_cast<size_t>(rank)].pending;
    while (!pending.empty()) {
      const std::shared_ptr<Operation> operation = pending.front().operation;
      pending.erase(pending.begin());
      finish(rank, *operation, lock);
    }
  }

  void end(int rank, const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ranks_[static_cast<size_t>(rank)].has_ended, true)) return;
    ranks_[static_cast<size_t>(rank)].why = why;
    look_for_ends();
    look_for_deadlock();
  }

  /// The first error is the cause of the others.
  void note_failure(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (first_failure_ == nullptr) first_failure_ = std::move(error);
  }

  std::exception_ptr first_failure() const {
    const std::lock_guard lock(mutex_);
    return first_failure_;
  }

  int64_t completed() const {
    const std::lock_guard lock(mutex_);
    return completed_;
  }

  const SimulationOptions options;

 private:
  struct Member {
    int64_t started = 0;
    std::map<Key, int64_t> next;  ///< The next number, by key without number.
    std::vector<Pending> pending;
    Operation* waits_for = nullptr;
    bool has_ended = false;
    std::string why;  ///< The error that ended it; empty: none.
  };

  std::shared_ptr<Operation> operation_of(Member& member, int64_t own,
                                          const std::vector<int>& group,
                                          const Collective& collective) {
    Key key{collective.group, -1, -1, -1, 0};
    std::vector<int> ranks = group;
    if (is_transfer(collective.kind)) {
      require(collective.peer >= 0 && collective.peer < static_cast<int64_t>(group.size()) &&
                  collective.peer != own,
              "a transfer must be with another rank of the group:", signature(collective), own);
      const bool sends = collective.kind == CollectiveKind::send;
      const int64_t from = sends ? own : collective.peer;
      const int64_t to = sends ? collective.peer : own;
      key = {collective.group, from, to, collective.tag, 0};
      ranks = {group[static_cast<size_t>(from)], group[static_cast<size_t>(to)]};
    }
    const int64_t number = member.next[key]++;
    std::get<4>(key) = number;
    std::shared_ptr<Operation>& operation = operations_[key];
    if (operation == nullptr) {
      operation = std::make_shared<Operation>();
      operation->title = "number " + std::to_string(number) + " of group " + collective.group;
      operation->by.resize(ranks.size());
      operation->has_started.resize(ranks.size());
      operation->ranks = std::move(ranks);
    }
    const std::shared_ptr<Operation> found = operation;
    if (found->arrived + 1 == found->ranks.size()) operations_.erase(key);
    return found;
  }

  void check_equal(Operation& operation, size_t position) {
    const Collective& own = operation.by[position];
    if (is_transfer(own.kind)) return;
    const std::string text = signature(own);
    const std::string other = signature(operation.by[operation.first]);
    if (text != other) {
      operation.failure.emplace(
          ErrorCode::invalid_argument,
          "the ranks of a group must start the same collectives in the same order; " +
              operation.title + ": rank " + std::to_string(operation.ranks[position]) + " starts " +
              text + ", rank " + std::to_string(operation.ranks[operation.first]) + " " + other);
    }
    if (operation.failure) {
      changed_.notify_all();
      throw Error(*operation.failure);
    }
  }

  /// Returns when the operation is done; throws if it cannot be.
  void finish(int rank, Operation& operation, std::unique_lock<std::mutex>& lock) {
    Member& member = ranks_[static_cast<size_t>(rank)];
    while (!operation.is_done && !operation.failure) {
      if (operation.is_complete()) {
        compute(operation);
        continue;
      }
      member.waits_for = &operation;
      look_for_ends();
      look_for_deadlock();
      if (!operation.is_settled()) changed_.wait(lock);
    }
    member.waits_for = nullptr;
    if (operation.failure) throw Error(*operation.failure);
  }

  void compute(Operation& operation) {
    try {
      if (is_transfer(operation.by[0].kind)) {
        transfer(operation.by[0], operation.by[1]);
      } else {
        std::vector<const Collective*> ranks;
        for (const Collective& each : operation.by) ranks.push_back(&each);
        combine(ranks);
      }
      operation.is_done = true;
      ++completed_;
    } catch (Error& error) {
      error.add_note("while " + listed(operation.ranks) + " do " + operation.text());
      operation.failure.emplace(error);
    }
    operation.by.clear();  // Operands live as long as they are needed.
    changed_.notify_all();
  }

  bool is_running(const Member& member) const {
    return !member.has_ended && (member.waits_for == nullptr || member.waits_for->is_settled());
  }

  /// Whoever waits for a rank that has ended waits in vain.
  void look_for_ends() {
    for (Member& member : ranks_) {
      if (member.waits_for == nullptr || member.waits_for->is_settled()) continue;
      Operation& operation = *member.waits_for;
      for (size_t i = 0; i < operation.ranks.size(); ++i) {
        const Member& other = ranks_[static_cast<size_t>(operation.ranks[i])];
        if (operation.has_started[i] || !other.has_ended) continue;
        std::string text = "a collective must be started by all ranks of its group; rank " +
                           std::to_string(operation.ranks[i]) + " ended before " + operation.text();
        if (!other.why.empty()) text += ": " + other.why;
        operation.failure.emplace(ErrorCode::invalid_argument, text);
        changed_.notify_all();
        break;
      }
    }
  }

  void look_for_deadlock() {
    std::string text;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      const Member& member = ranks_[rank];
      if (is_running(member)) return;
      if (member.has_ended) continue;
      const Operation& operation = *member.waits_for;
      std::vector<int> missing;
      for (size_t i = 0; i < operation.ranks.size(); ++i) {
        if (!operation.has_started[i]) missing.push_back(operation.ranks[i]);
      }
      text += "; rank " + std::to_string(rank) + " waits for " + operation.text() + ", which " +
              listed(missing) + (missing.size() == 1 ? " has" : " have") + " not started";
    }
    if (text.empty()) return;  // All have ended.
    for (const Member& member : ranks_) {
      if (member.waits_for == nullptr || member.has_ended) continue;
      member.waits_for->failure.emplace(ErrorCode::invalid_argument,
                                        "ranks must not wait for each other in a circle" + text);
    }
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Member> ranks_;
  std::map<Key, std::shared_ptr<Operation>> operations_;  ///< Those that a rank has yet to start.
  std::exception_ptr first_failure_;
  int64_t completed_ = 0;
};

class SimulatedWorld::Rank final : public Communicator {
 public:
  Rank(std::shared_ptr<State> state, int rank)
      : state_(std::move(state)),
        rank_(rank),
        random_(state_->options.seed + 1000003U * static_cast<uint64_t>(rank)) {}

  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  ~Rank() override { state_->end(rank_, ""); }

  int rank() const override { return rank_; }

  int world() const override { return state_->options.ranks; }

  size_t group_size(const std::string& group) const override {
    Collective asked;
    asked.group = group;
    return members(state_->options.groups, world(), rank_, asked).size();
  }

  void start(Collective collective) override {
    delay();
    state_->start(rank_, std::move(collective));
  }

  void wait(const Tensor& result) override {
    delay();
    state_->wait(rank_, result);
  }

  void wait_all() override { state_->wait_all(rank_); }

  void leave(const std::string& why) override { state_->end(rank_, why); }

 private:
  void delay() {
    const auto most = state_->options.most_delay.count();
    if (most <= 0) return;
    int64_t chosen = 0;
    {
      const std::lock_guard lock(random_mutex_);
      chosen = static_cast<int64_t>(random_() % (static_cast<uint64_t>(most) + 1));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(chosen));
  }

  std::shared_ptr<State> state_;
  int rank_;
  std::mutex random_mutex_;
  std::mt19937_64 random_;
};

SimulatedWorld::SimulatedWorld(SimulationOptions options)
    : state_(std::make_shared<State>(std::move(options))) {}

SimulatedWorld::~SimulatedWorld() = default;

std::vector<std::exception_ptr> SimulatedWorld::try_run(const Body& body) {
  std::vector<std::exception_ptr> errors(state_->size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < errors.size(); ++i) {
    threads.emplace_back([this, &body, &error = errors[i], rank = static_cast<int>(i)] {
      const auto communicator = std::make_shared<Rank>(state_, rank);
      try {
        run_rank(*communicator, [&] {
          try {
            body(communicator);
            communicator->wait_all();
          } catch (...) {
            // Before the others hear of it, so that the cause comes first.
            state_->note_failure(std::current_exception());
            throw;
          }
        });
      } catch (...) {
        error = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

void SimulatedWorld::run(const Body& body) {
  try_run(body);
  if (const std::exception_ptr error = state_->first_failure()) std::rethrow_exception(error);
}

std::shared_ptr<Communicator> SimulatedWorld::join(int rank) {
  require(rank >= 0 && static_cast<size_t>(rank) < state_->size(),
          "a rank must be one of the world's:", rank, state_->size());
  return std::make_shared<Rank>(state_, rank);
}

int64_t SimulatedWorld::completed() const { return state_->completed(); }

}  // namespace litz::distributed
