#include "passes/overlap/list_scheduler.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <tuple>

#include "passes/overlap/memory_outlook.h"

namespace litz::passes {
namespace {

// What a start needs is searched no farther: longer ways are rarely cheap enough to run early.
constexpr size_t kMostOnTheWay = 256;
// So many starts that cannot come yet are looked at before a computation runs alone.
constexpr size_t kMostRefused = 64;
constexpr size_t kNoTarget = std::numeric_limits<size_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

class ListScheduler {
 public:
  ListScheduler(const Units& units, const MemoryUse& memory, const ListLimits& limits)
      : units_(units),
        limits_(limits),
        memory_(memory),
        outlook_(baseline(units, memory)),
        group_free_(units.group_count),
        end_(units.all.size()),
        is_done_(units.all.size()),
        blocker_(units.all.size(), kNoUnit),
        waits_left_(units.all.size()) {
    find_targets();
    find_chains();
    for (uint32_t i = 0; i < units.all.size(); ++i) {
      needs_left_.push_back(units.needs[i].size());
      if (unit(i).kind == UnitKind::wait) ++waits_left_[unit(i).start];
      if (unit(i).kind == UnitKind::start) candidates_.insert(candidate(i));
    }
    for (uint32_t i = 0; i < units.all.size(); ++i) {
      if (needs_left_[i] == 0) make_ready(i);
    }
  }

  std::vector<uint32_t> run() && {
    while (order_.size() < units_.all.size()) {
      if (in_flight_bytes_ > limits_.in_flight_bytes && wait_for_oldest()) continue;
      place(choose());
    }
    return std::move(order_);
  }

 private:
  struct OnPath {
    size_t target;
    int priority;
    uint32_t unit;

    bool operator>(const OnPath& other) const {
      return std::tie(target, priority, unit) > std::tie(other.target, other.priority, other.unit);
    }
  };

  using Candidate = std::tuple<size_t, double, uint32_t>;  // Target, minus its time, unit.

  const Unit& unit(uint32_t i) const { return units_.all[i]; }

  // --- What is known before the first unit runs

  /// Live bytes before each heavy unit in the order of the graph; also numbers these units.
  std::vector<double> baseline(const Units& units, const MemoryUse& memory) {
    const bool has_heavy =
        std::ranges::any_of(units.all, [](const Unit& each) { return each.is_heavy; });
    heavy_before_.resize(units.all.size());
    is_heavy_.resize(units.all.size());
    rank_.resize(units.all.size());
    std::vector<double> bytes;
    LiveMemory live(memory);
    uint32_t rank = 0;
    for (const uint32_t i : units.order) {
      const Unit& each = units.all[i];
      rank_[i] = rank++;
      heavy_before_[i] = bytes.size();
      is_heavy_[i] = has_heavy ? each.is_heavy : each.kind == UnitKind::work && each.us > 0;
      if (is_heavy_[i]) bytes.push_back(live.live());
      for (const uint32_t node : each.nodes) live.run(node);
    }
    return bytes;
  }

  void find_targets() {
    target_.assign(units_.all.size(), kNoTarget);
    for (size_t k = units_.order.size(); k-- > 0;) {
      const uint32_t i = units_.order[k];
      if (is_heavy_[i]) target_[i] = heavy_before_[i];
      for (const uint32_t user : units_.needed_by[i]) {
        target_[i] = std::min(target_[i], target_[user]);
      }
    }
  }

  /// Units whose result goes straight into a collective come first among equals.
  void find_chains() {
    feeds_start_.assign(units_.all.size(), false);
    for (size_t k = units_.order.size(); k-- > 0;) {
      const uint32_t i = units_.order[k];
      const bool is_link = unit(i).kind == UnitKind::work && units_.needed_by[i].size() == 1 &&
                           units_.needs[i].size() <= 1;
      feeds_start_[i] =
          unit(i).kind == UnitKind::start || (is_link && feeds_start_[units_.needed_by[i][0]]);
    }
  }

  Candidate candidate(uint32_t i) const { return {target_[i], -unit(i).us, i}; }

  // --- What may run next

  void make_ready(uint32_t i) {
    const bool is_wait = unit(i).kind == UnitKind::wait;
    if (target_[i] == kNoTarget) {
      if (is_wait) {
        late_waits_.emplace(end_[unit(i).start], i);
      } else {
        late_work_.push(i);
      }
      return;
    }
    const bool is_exposed = is_wait && end_[unit(i).start] > now_;
    on_path_.push({target_[i], is_exposed ? 1 : (feeds_start_[i] ? -1 : 0), i});
  }

  template <typename Queue, typename Get>
  void drop_done(Queue& queue, const Get& get) {
    while (!queue.empty() && is_done_[get(queue.top())]) queue.pop();
  }

  bool is_over_budget() const { return limits_.peak_bytes && memory_.live() > *limits_.peak_bytes; }

  bool fits(double bytes) const {
    return !limits_.peak_bytes || memory_.live() + bytes <= *limits_.peak_bytes;
  }

  double allocated(uint32_t i) const {
    double bytes = 0;
    for (const uint32_t node : unit(i).nodes) bytes += memory_.allocated(node);
    return bytes;
  }

  uint32_t choose() {
    drop_done(on_path_, [](const OnPath& each) { return each.unit; });
    drop_done(late_work_, [](uint32_t each) { return each; });
    drop_done(late_waits_, [](const auto& each) { return each.second; });
    if (!late_waits_.empty() && (late_waits_.top().first <= now_ || is_over_budget())) {
      return late_waits_.top().second;
    }
    if (on_path_.empty()) {
      return late_work_.empty() ? late_waits_.top().second : late_work_.top();
    }
    const uint32_t next = on_path_.top().unit;
    if (late_work_.empty()) return next;
    const uint32_t late = late_work_.top();
    // Rather than wait, work ahead.
    const bool would_wait = unit(next).kind == UnitKind::wait && end_[unit(next).start] > now_;
    return late < next || (would_wait && fits(allocated(late))) ? late : next;
  }

  // --- Running

  void place(uint32_t i) {
    const Unit& next = unit(i);
    if (next.kind == UnitKind::wait) {
      const double end = end_[next.start];
      if (end > now_) prefetch(end);
      now_ = std::max(now_, end);
    } else if (next.kind == UnitKind::work && next.us > 0) {
      prefetch(now_ + next.us * limits_.overlap_factor);
    }
    // A start ahead may have needed it.
    if (!is_done_[i]) finish(i);
  }

  void finish(uint32_t i) {
    const Unit& done = unit(i);
    if (done.kind == UnitKind::start) {
      start(i);
    } else if (done.kind == UnitKind::work) {
      now_ += done.us;
      if (is_heavy_[i]) heavy_done_ = std::max(heavy_done_, heavy_before_[i] + 1);
    } else if (--waits_left_[done.start] == 0) {
      in_flight_bytes_ -= unit(done.start).bytes;
    }
    is_done_[i] = true;
    order_.push_back(i);
    for (const uint32_t node : done.nodes) memory_.run(node);
    for (const uint32_t user : units_.needed_by[i]) {
      if (--needs_left_[user] == 0) make_ready(user);
    }
  }

  void start(uint32_t i) {
    const Unit& collective = unit(i);
    double time = collective.us;
    if (limits_.assumes_buckets && is_in_flight(collective.key)) {
      time = std::max(0.0, time - collective.latency_us);
    }
    double& free = group_free_[collective.group];
    end_[i] = free = std::max(now_, free) + time;
    candidates_.erase(candidate(i));
    if (waits_left_[i] == 0) return;  // The caller of the graph waits.
    in_flight_bytes_ += collective.bytes;
    in_flight_.push_back(i);
  }

  bool is_in_flight(uint32_t key) {
    drop_ended();
    return std::ranges::any_of(in_flight_, [&](uint32_t i) {
      return unit(i).key == key && waits_left_[i] > 0 && end_[i] > now_;
    });
  }

  void drop_ended() {
    std::erase_if(in_flight_, [&](uint32_t i) { return waits_left_[i] == 0; });
  }

  /// False if no wait can come.
  bool wait_for_oldest() {
    drop_ended();
    for (const uint32_t start : in_flight_) {
      for (const uint32_t user : units_.needed_by[start]) {
        const bool waits = unit(user).kind == UnitKind::wait && unit(user).start == start;
        if (!waits || is_done_[user] || needs_left_[user] > 0) continue;
        now_ = std::max(now_, end_[start]);
        finish(user);
        return true;
      }
    }
    return false;
  }

  // --- Starting ahead

  /// Starts collectives that would otherwise come later, in the streams that are free before `end`.
  void prefetch(double end) {
    const auto first = [](size_t target) { return Candidate(target, -kInfinity, 0); };
    prefetch_from(candidates_.begin(), first(heavy_done_ + limits_.prefetch_distance + 1), end);
    prefetch_from(candidates_.lower_bound(first(kNoTarget)), Candidate(kNoTarget, kInfinity, 0),
                  end);
  }

  void prefetch_from(std::set<Candidate>::iterator at, const Candidate& stop, double end) {
    const auto is_free = [&](double free) { return free < end; };
    auto free_groups = std::ranges::count_if(group_free_, is_free);
    size_t refused = 0;
    std::vector<uint32_t> way;
    while (free_groups > 0 && refused < kMostRefused && at != candidates_.end() && *at < stop) {
      const uint32_t i = std::get<uint32_t>(*at++);
      if (!is_free(group_free_[unit(i).group])) continue;
      if (!find_way(i, way) || !has_room(i, way)) {
        ++refused;
        continue;
      }
      for (const uint32_t step : way) finish(step);
      finish(i);
      if (!is_free(group_free_[unit(i).group])) --free_groups;
    }
  }

  /// Units that must run before `start`, in order; false if one of them should not run early.
  bool find_way(uint32_t start, std::vector<uint32_t>& way) {
    way.clear();
    const uint32_t blocker = blocker_[start];
    if (blocker != kNoUnit && blocks(blocker)) return false;
    std::vector<uint32_t> stack{start};
    std::set<uint32_t> seen;
    while (!stack.empty()) {
      const uint32_t i = stack.back();
      stack.pop_back();
      for (const uint32_t need : units_.needs[i]) {
        if (is_done_[need] || !seen.insert(need).second) continue;
        if (blocks(need)) {
          blocker_[start] = need;
          return false;
        }
        if (seen.size() > kMostOnTheWay) return false;
        stack.push_back(need);
      }
    }
    way.assign(seen.begin(), seen.end());
    std::ranges::sort(way, {}, [&](uint32_t i) { return rank_[i]; });
    return true;
  }

  bool blocks(uint32_t i) const {
    if (is_done_[i]) return false;
    if (is_heavy_[i] || unit(i).kind == UnitKind::start) return true;
    if (unit(i).kind != UnitKind::wait) return false;
    const uint32_t start = unit(i).start;
    return !is_done_[start] || end_[start] > now_;
  }

  bool has_room(uint32_t start, const std::vector<uint32_t>& way) {
    if (in_flight_bytes_ + unit(start).bytes > limits_.in_flight_bytes) return false;
    double bytes = allocated(start);
    for (const uint32_t step : way) bytes += allocated(step);
    const size_t until = heavy_before_[start];
    if (!fits(bytes)) return false;
    if (limits_.peak_bytes && outlook_.most(heavy_done_, until) + bytes > *limits_.peak_bytes) {
      return false;
    }
    outlook_.add(heavy_done_, until, bytes);
    return true;
  }

  const Units& units_;
  ListLimits limits_;
  LiveMemory memory_;
  std::vector<size_t> heavy_before_;  // By unit: heavy ones before it in the order of the graph.
  std::vector<bool> is_heavy_;
  std::vector<uint32_t> rank_;  // In the units' order.
  MemoryOutlook outlook_;
  std::vector<double> group_free_;  // By group: when its last collective ends.
  std::vector<double> end_;         // By start.
  std::vector<bool> is_done_;
  std::vector<uint32_t> blocker_;  // By start: what kept it from coming early.
  std::vector<size_t> waits_left_;
  std::vector<size_t> needs_left_;
  std::vector<size_t> target_;
  std::vector<bool> feeds_start_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> in_flight_;  // In the order of starts.
  double in_flight_bytes_ = 0;
  double now_ = 0;
  size_t heavy_done_ = 0;
  std::set<Candidate> candidates_;  // Starts that did not run.
  LeastFirst<OnPath> on_path_;
  LeastFirst<uint32_t> late_work_;
  LeastFirst<std::pair<double, uint32_t>> late_waits_;  // By the end of their collectives.
};

}  // namespace

std::vector<uint32_t> list_schedule(const Units& units, const MemoryUse& memory,
                                    const ListLimits& limits) {
  return ListScheduler(units, memory, limits).run();
}

}  // namespace litz::passes
