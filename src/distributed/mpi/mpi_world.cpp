#include "distributed/mpi/mpi_world.h"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "distributed/mpi/kept_memory.h"
#include "distributed/mpi/mpi_library.h"
#include "distributed/mpi/notices.h"
#include "distributed/mpi/posted_collective.h"
#include "support/check.h"
#include "support/hash.h"

namespace litz::distributed {
namespace mpi {
namespace {

using Clock = std::chrono::steady_clock;

/// A rank that failed stays so long for the others to hear of it.
constexpr std::chrono::seconds kLastWords{1};

/// MPI was asked for calls of one thread at a time.
std::mutex& mpi_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Gives the processor away between looks at messages, and longer the longer nothing came.
class Pause {
 public:
  void take(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    constexpr int kYields = 400;
    if (++turns_ <= kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(std::min(turns_ - kYields, 200)));
    }
    lock.lock();
  }

 private:
  int turns_ = 0;
};

struct RankGroup;

/// A collective that this rank has started.
struct Flight {
  std::string text;  ///< "all_reduce sum of f32[3] (number 1 of group 0)"
  RankGroup* group = nullptr;
  std::vector<Tensor> results;
  Notice expected;                           ///< From each of `silent`.
  std::vector<size_t> silent;                ///< Positions of the group that have not started it.
  std::vector<int64_t> coming;               ///< all_to_all: rows from each position.
  std::unique_ptr<PostedCollective> posted;  ///< Null: done.
};

struct RankGroup {
  std::string name;
  std::vector<int> ranks;
  Channels channels;
  std::unique_ptr<Notices> notices;
  std::map<std::tuple<Notice::Kind, int64_t, int64_t>, int64_t> started;  ///< By peer and tag.
  std::deque<Flight*> second_stages;                                      ///< To come, in order.

  int rank_at(size_t position) const { return ranks[position]; }
};

std::string listed(const RankGroup& group, const std::vector<size_t>& positions) {
  std::string text = positions.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < positions.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(group.rank_at(positions[i]));
  }
  return text;
}

Notice::Kind kind_of(CollectiveKind kind) {
  if (kind == CollectiveKind::send) return Notice::Kind::send;
  return kind == CollectiveKind::receive ? Notice::Kind::receive : Notice::Kind::collective;
}

/// What both sides of a transfer say of it.
std::string moved(const Collective& collective) {
  const bool sends = collective.kind == CollectiveKind::send;
  const Tensor& tensor = sends ? collective.operands.at(0) : collective.results.at(0);
  Collective described{.kind = CollectiveKind::send};
  described.operands = {tensor};
  return signature(described).substr(std::string("send rank 0 of ").size());
}

class MpiRank final : public Communicator {
 public:
  MpiRank(const MpiFunctions& functions, MpiOptions options)
      : functions_(functions), options_(std::move(options)) {
    const std::lock_guard lock(mpi_mutex());
    int serialized = 0;
    require_mpi(functions_, functions_.start(&rank_, &world_, &serialized), "starting MPI");
    require(serialized != 0, ErrorCode::unsupported,
            "MPI must have been started for calls of more than one thread (MPI_THREAD_SERIALIZED)");
    for (const auto& [name, ranks] : options_.groups) {
      for (const int rank : ranks) {
        require(rank >= 0 && rank < world_, "a group must consist of ranks of the world:", name,
                rank, world_);
      }
    }
    std::vector<int> all(static_cast<size_t>(world_));
    std::iota(all.begin(), all.end(), 0);
    add_group("", all);
  }

  MpiRank(const MpiRank&) = delete;
  MpiRank& operator=(const MpiRank&) = delete;

  ~MpiRank() override {
    try {
      leave("");
    } catch (const Error&) {
      // The others have heard of it, or time out.
    }
  }

  /// Makes the stated groups; ranks that state other ones would wait for each other for ever.
  void make_groups() {
    std::string text;
    for (const auto& [name, ranks] : options_.groups) {
      text += " " + name + "=";
      for (const int rank : ranks) text += std::to_string(rank) + ",";
    }
    require_same_everywhere(text);
    const std::lock_guard lock(mpi_mutex());
    for (const auto& [name, ranks] : options_.groups) add_group(name, ranks);
  }

  int rank() const override { return rank_; }

  int world() const override { return world_; }

  size_t group_size(const std::string& group) const override {
    Collective asked;
    asked.group = group;
    return members(options_.groups, world_, rank_, asked).size();
  }

  void start(Collective collective) override {
    const std::lock_guard lock(mpi_mutex());
    require(!has_left_, "a rank that has left must start nothing:", signature(collective));
    if (failure_) throw Error(*failure_);
    const std::vector<int> ranks = members(options_.groups, world_, rank_, collective);
    const auto named = groups_.find(collective.group);
    RankGroup& group = named != groups_.end() ? named->second : groups_.at("");
    if (ranks.size() == 1) return start_alone(collective);
    Flight& flight = flights_.emplace_back();
    try {
      describe(flight, group, collective);
      tell(flight, collective);
      flight.posted =
          std::make_unique<PostedCollective>(functions_, group.channels, std::move(collective));
      flight.posted->begin();
    } catch (...) {
      if (flight.posted != nullptr) keep_for_ever(std::move(flight.posted));
      flights_.pop_back();
      throw;
    }
    if (flight.posted->has_second_stage()) group.second_stages.push_back(&flight);
    progress();
  }

  void wait(const Tensor& result) override {
    std::unique_lock lock(mpi_mutex());
    const auto found = std::ranges::find_if(flights_, [&](const Flight& flight) {
      return std::ranges::any_of(
          flight.results, [&](const Tensor& other) { return is_same_memory(other, result); });
    });
    if (found == flights_.end()) return;
    finish(*found, lock);
    flights_.erase(found);
  }

  void wait_all() override {
    std::unique_lock lock(mpi_mutex());
    while (!flights_.empty()) {
      finish(flights_.front(), lock);
      flights_.pop_front();
    }
  }

  void leave(const std::string& why) override {
    std::unique_lock lock(mpi_mutex());
    if (std::exchange(has_left_, true)) return;
    const bool failed = failure_ || !why.empty();
    const std::string reason = why.empty() && failure_ ? failure_->message() : why;
    for (auto& [name, group] : groups_) {
      for (size_t i = 0; i < group.ranks.size(); ++i) {
        if (i == group.channels.own) continue;
        Notice notice = Notice::of(Notice::Kind::end, failed && reason.empty() ? "error" : reason);
        group.notices->send(i, notice);
      }
    }
    if (failed || !see_others_off(lock)) return abandon(lock);
    for (auto& [name, group] : groups_) {
      for (const Group each : {group.channels.first, group.channels.second, group.notices->group()})
        functions_.free_group(each);
    }
  }

 private:
  void add_group(const std::string& name, const std::vector<int>& ranks) {
    const auto own = std::ranges::find(ranks, rank_);
    if (own == ranks.end()) return;
    RankGroup group{.name = name.empty() ? "0" : name, .ranks = ranks};
    group.channels.ranks = ranks.size();
    group.channels.own = static_cast<size_t>(own - ranks.begin());
    Group noticing = nullptr;
    int number = 0;
    for (Group* const made : {&group.channels.first, &group.channels.second, &noticing}) {
      require_mpi(
          functions_,
          functions_.make_group(ranks.data(), static_cast<int>(ranks.size()), number++, made),
          "making group " + group.name);
    }
    group.notices =
        std::make_unique<Notices>(functions_, noticing, ranks.size(), group.channels.own);
    group.notices->listen();
    groups_.emplace(name, std::move(group));
  }

  void require_same_everywhere(const std::string& text) {
    const auto own = static_cast<int64_t>(hash_bytes(text));
    Collective collective{.kind = CollectiveKind::all_gather};
    collective.operands = {Tensor::of<int64_t>(DType::i64, {1}, {own})};
    collective.results = {Tensor::zeros(DType::i64, {world_})};
    const Tensor result = collective.results[0];
    start(std::move(collective));
    wait(result);
    for (int rank = 0; rank < world_; ++rank) {
      require(result.int_at({rank}) == own,
              "all ranks must state the same groups (--group); own rank, other rank, own groups:",
              rank_, rank, text);
    }
  }

  static void start_alone(const Collective& collective) {
    require(kind_of(collective.kind) == Notice::Kind::collective,
            "a transfer must be with another rank of the group:", signature(collective));
    const Collective* alone = &collective;
    combine({&alone, 1});
  }

  void describe(Flight& flight, RankGroup& group, const Collective& collective) {
    const Notice::Kind kind = kind_of(collective.kind);
    const auto own = static_cast<int64_t>(group.channels.own);
    int64_t peer = -1;
    if (kind != Notice::Kind::collective) {
      peer = collective.peer;
      require(peer >= 0 && peer < static_cast<int64_t>(group.ranks.size()) && peer != own,
              "a transfer must be with another rank of the group:", signature(collective), own);
    }
    const int64_t number =
        group.started[{kind, peer, kind == Notice::Kind::collective ? 0 : collective.tag}]++;
    flight.text = signature(collective) + " (number " + std::to_string(number) + " of group " +
                  group.name + ")";
    flight.group = &group;
    flight.results = collective.results;
    for (size_t i = 0; i < group.ranks.size(); ++i) {
      const bool takes_part = peer < 0 || peer == static_cast<int64_t>(i);
      if (i != group.channels.own && takes_part) flight.silent.push_back(i);
    }
    if (collective.kind == CollectiveKind::all_to_all) {
      flight.coming = row_shares(collective.received, collective.results.at(0), group.ranks.size());
    }
  }

  /// Tells the others what this rank starts, and notes what they should say.
  static void tell(Flight& flight, const Collective& collective) {
    const RankGroup& group = *flight.group;
    const Notice::Kind kind = kind_of(collective.kind);
    const bool is_transfer = kind != Notice::Kind::collective;
    Notice notice = Notice::of(kind, is_transfer ? moved(collective) : signature(collective));
    if (is_transfer) notice.tag = static_cast<int32_t>(collective.tag);
    flight.expected = notice;
    if (is_transfer) {
      flight.expected.kind =
          kind == Notice::Kind::send ? Notice::Kind::receive : Notice::Kind::send;
    }
    std::vector<int64_t> sent;
    if (!flight.coming.empty()) {
      sent = row_shares(collective.sent, collective.operands.at(0), group.ranks.size());
    }
    for (const size_t position : flight.silent) {
      if (!sent.empty()) notice.rows = sent[position];
      group.notices->send(position, notice);
    }
  }

  static bool is_same_memory(const Tensor& a, const Tensor& b) {
    if (a.numel() == 0 || b.numel() == 0) return a.storage() == b.storage();
    return a.address() == b.address();
  }

  void progress() {
    for (auto& [name, group] : groups_) group.notices->progress();
    for (Flight& flight : flights_) {
      try {
        advance(flight);
      } catch (Error& error) {
        error.add_note("while " + listed(*flight.group, everyone(*flight.group)) + " do " +
                       flight.text);
        note_failure(error);
      }
    }
  }

  static std::vector<size_t> everyone(const RankGroup& group) {
    std::vector<size_t> positions(group.ranks.size());
    std::iota(positions.begin(), positions.end(), size_t{0});
    return positions;
  }

  void note_failure(const Error& error) {
    if (!failure_) failure_.emplace(error);
  }

  void advance(Flight& flight) {
    if (flight.posted == nullptr || failure_) return;
    std::erase_if(flight.silent, [&](size_t position) { return hear(flight, position); });
    if (!flight.posted->has_arrived()) return;
    if (flight.posted->has_second_stage()) {
      std::deque<Flight*>& second_stages = flight.group->second_stages;
      if (second_stages.front() != &flight) return;
      second_stages.pop_front();
      flight.posted->begin_second_stage();
      if (!flight.posted->has_arrived()) return;
    }
    if (!flight.silent.empty()) return;
    flight.posted->fill_results();
    flight.posted.reset();
  }

  /// True if the rank has started the same.
  bool hear(Flight& flight, size_t position) {
    const RankGroup& group = *flight.group;
    const auto notice = group.notices->take(position, flight.expected.kind, flight.expected.tag);
    if (!notice) return false;
    if (flight.expected.kind != Notice::Kind::collective) {
      require(notice->hash == flight.expected.hash,
              "a rank must receive what the other sends:", flight.expected.text, notice->text);
    } else {
      require(notice->hash == flight.expected.hash,
              "the ranks of a group must start the same collectives in the same order; rank",
              group.rank_at(position), "starts", notice->text);
    }
    require(flight.coming.empty() || notice->rows == flight.coming[position],
            "all_to_all must send as many rows as the other rank expects; from, to, sent, "
            "expected:",
            position, group.channels.own, notice->rows,
            flight.coming.empty() ? 0 : flight.coming[position]);
    return true;
  }

  /// Returns when the flight is over; throws if it cannot be.
  void finish(const Flight& flight, std::unique_lock<std::mutex>& lock) {
    const Clock::time_point begin = Clock::now();
    Pause pause;
    while (true) {
      progress();
      if (flight.posted == nullptr) return;
      look_for_ends(flight);
      if (!failure_ && options_.patience && Clock::now() - begin > *options_.patience) {
        note_failure(Error(ErrorCode::cancelled, late(flight)));
      }
      if (failure_) throw Error(*failure_);
      pause.take(lock);
    }
  }

  /// A rank that has ended starts nothing more; one that failed finishes nothing more.
  void look_for_ends(const Flight& flight) {
    const RankGroup& group = *flight.group;
    for (size_t position = 0; position < group.ranks.size(); ++position) {
      const Notice* const end = group.notices->end_of(position);
      if (end == nullptr) continue;
      const bool is_silent = std::ranges::count(flight.silent, position) > 0;
      const std::string why(end->text);
      if (!is_silent && why.empty()) continue;
      note_failure(Error(ErrorCode::invalid_argument,
                         "a collective must be started by all ranks of its group; rank " +
                             std::to_string(group.rank_at(position)) + " ended before " +
                             flight.text + (why.empty() ? "" : ": " + why)));
    }
  }

  std::string late(const Flight& flight) const {
    const RankGroup& group = *flight.group;
    return "ranks must not wait longer than " + std::to_string(options_.patience->count()) +
           " ms for each other; rank " + std::to_string(rank_) + " waits for " + flight.text +
           " of " + listed(group, everyone(group)) +
           (flight.silent.empty()
                ? ", which all have started"
                : ", which " + listed(group, flight.silent) +
                      (flight.silent.size() == 1 ? " has" : " have") + " not started");
  }

  /// Waits for the others to end too, since they may still need this rank's part of the work.
  /// Returns false if they do not.
  bool see_others_off(std::unique_lock<std::mutex>& lock) {
    const Clock::time_point begin = Clock::now();
    Pause pause;
    while (true) {
      progress();
      if (failure_) return false;
      const bool is_over = std::ranges::all_of(
          groups_, [](const auto& each) { return each.second.notices->is_over(); });
      const bool is_done = std::ranges::all_of(
          flights_, [](const Flight& flight) { return flight.posted == nullptr; });
      if (is_over && is_done) return true;
      for (const Flight& flight : flights_) {
        if (flight.posted != nullptr) look_for_ends(flight);
      }
      if (options_.patience && Clock::now() - begin > *options_.patience) return false;
      pause.take(lock);
    }
  }

  /// Ends without the others. What MPI may still touch lives on.
  void abandon(std::unique_lock<std::mutex>& lock) {
    functions_.give_up();
    const Clock::time_point begin = Clock::now();
    Pause pause;
    const auto is_sent = [](const auto& each) { return each.second.notices->is_sent(); };
    while (!std::ranges::all_of(groups_, is_sent) && Clock::now() - begin < kLastWords) {
      for (auto& [name, group] : groups_) group.notices->progress();
      pause.take(lock);
    }
    for (Flight& flight : flights_) {
      if (flight.posted != nullptr) keep_for_ever(std::move(flight.posted));
    }
  }

  const MpiFunctions& functions_;
  MpiOptions options_;
  int rank_ = 0;
  int world_ = 1;
  std::map<std::string, RankGroup, std::less<>> groups_;  ///< This rank's; "": the world.
  std::list<Flight> flights_;
  std::optional<Error> failure_;  ///< The first one.
  bool has_left_ = false;
};

}  // namespace
}  // namespace mpi

std::shared_ptr<Communicator> join_mpi(MpiOptions options) {
  if (options.functions == nullptr) {
    const mpi::MpiSearch& found = mpi::find_mpi();
    require(found.functions != nullptr, ErrorCode::unsupported,
            "ranks over MPI need its library:", found.reason);
    options.functions = found.functions;
  }
  const mpi::MpiFunctions& functions = *options.functions;
  const auto rank = std::make_shared<mpi::MpiRank>(functions, std::move(options));
  rank->make_groups();
  return rank;
}

}  // namespace litz::distributed
