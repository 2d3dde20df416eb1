#include "memory/order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "loops/instrs.h"
#include "loops/pointwise.h"
#include "lowering/last_use.h"
#include "lowering/stages.h"
#include "memory/storages.h"

namespace litz::memory {
namespace {

using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

double bytes_of(const StorageUse& use) {
  double elements = 1;
  for (size_t d = 0; d < use.type.rank(); ++d) {
    const double size = estimate(use.type.sizes[d]);
    if (size == 0) return 0;
    elements += (size - 1) * estimate(use.type.strides[d]);
  }
  return elements * static_cast<double>(item_size(use.type.dtype));
}

/// Simulates the memory use of steps in some order.
class Simulation {
 public:
  explicit Simulation(const Plan& plan) : storages_(find_storages(plan)) {
    for (const StorageUse& use : storages_.all) {
      bytes_.push_back(bytes_of(use));
      is_freed_.push_back(use.first >= 0 && use.last < static_cast<int>(plan.steps.size()));
    }
    made_.resize(plan.steps.size());
    used_.resize(plan.steps.size());
    users_.resize(storages_.all.size());
    std::vector<int> seen(storages_.all.size(), -1);
    const auto add = [&](std::vector<int>& list, Slot slot, int mark) {
      if (slot == kNoSlot) return;
      const int storage = storages_.of_slot[static_cast<size_t>(slot)];
      if (storage < 0 || std::exchange(seen[static_cast<size_t>(storage)], mark) == mark) return;
      list.push_back(storage);
    };
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const Step& step = plan.steps[i];
      const int mark = 2 * static_cast<int>(i);
      if (!std::holds_alternative<lowering::ViewStep>(step.work)) {
        for (const lowering::Result& result : step.results) {
          if (result.over == kNoSlot) add(made_[i], result.slot, mark);
        }
      }
      for (const lowering::Result& result : step.results) add(used_[i], result.slot, mark + 1);
      for (const Slot slot : lowering::slots_read(step)) add(used_[i], slot, mark + 1);
      for (const int storage : used_[i]) users_[static_cast<size_t>(storage)].push_back(i);
    }
    for (const std::vector<size_t>& users : users_) left_.push_back(users.size());
    has_run_.assign(plan.steps.size(), false);
  }

  size_t steps() const { return made_.size(); }

  double allocated(size_t step) const {
    double bytes = 0;
    for (const int storage : made_[step]) bytes += bytes_[static_cast<size_t>(storage)];
    return bytes;
  }

  double freed(size_t step) const {
    double bytes = 0;
    for (const int storage : used_[step]) {
      const auto i = static_cast<size_t>(storage);
      if (is_freed_[i] && left_[i] == 1) bytes += bytes_[i];
    }
    return bytes;
  }

  /// Calls changed(step) for steps that free more from here on.
  template <typename Changed>
  void run(size_t step, const Changed& changed) {
    live_ += allocated(step);
    peak_ = std::max(peak_, live_);
    live_ -= freed(step);
    has_run_[step] = true;
    for (const int storage : used_[step]) {
      const auto i = static_cast<size_t>(storage);
      // The last user of a storage frees it.
      if (--left_[i] == 1 && is_freed_[i]) changed(last_user(i));
    }
  }

  double live() const { return live_; }

  double peak() const { return peak_; }

 private:
  /// Called once for each storage.
  size_t last_user(size_t storage) const {
    const std::vector<size_t>& users = users_[storage];
    return *std::ranges::find_if(users, [&](size_t user) { return !has_run_[user]; });
  }

  Storages storages_;
  std::vector<double> bytes_;  ///< By storage.
  std::vector<bool> is_freed_;
  std::vector<size_t> left_;                ///< Steps that are still to use the storage.
  std::vector<std::vector<size_t>> users_;  ///< All of them.
  std::vector<std::vector<int>> made_;      ///< By step.
  std::vector<std::vector<int>> used_;
  std::vector<bool> has_run_;
  double live_ = 0;
  double peak_ = 0;
};

bool is_fixed(const Step& step) {
  const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
  if (library != nullptr && library->keeps_order) return true;
  return !step.defines.empty() || std::holds_alternative<lowering::ScalarStep>(step.work) ||
         std::holds_alternative<lowering::ControlStep>(step.work);
}

/// Steps that have to run before others. Numbers after those of the steps are meetings: they need
/// many steps, many steps need them, and they run as soon as they can.
class Dependencies {
 public:
  explicit Dependencies(const Plan& plan)
      : steps_(plan.steps.size()), needed_by_(steps_), needs_(steps_, 0) {
    std::vector<int> makers(static_cast<size_t>(plan.slot_count), -1);
    const Storages storages = find_storages(plan);
    std::vector<std::vector<int>> readers(storages.all.size());
    int barrier = -1;
    int last_backward = -1;
    std::vector<int> since;
    std::vector<int> checks;  // Since the last call.
    int checked = -1;         // A meeting of all before.
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const Step& step = plan.steps[i];
      const auto at = static_cast<int>(i);
      for (const Slot slot : lowering::slots_read(step)) {
        if (slot == kNoSlot) continue;
        add(makers[static_cast<size_t>(slot)], at);
        const int storage = storages.of_slot[static_cast<size_t>(slot)];
        if (storage >= 0) readers[static_cast<size_t>(storage)].push_back(at);
      }
      for (const lowering::Result& result : step.results) {
        if (result.over == kNoSlot) continue;
        // Readers of the old contents run before the update.
        const auto storage =
            static_cast<size_t>(storages.of_slot[static_cast<size_t>(result.over)]);
        for (const int reader : readers[storage]) add(reader, at);
        readers[storage] = {at};  // Later updates follow this one, and so its readers.
      }
      for (const lowering::Result& result : step.results) {
        if (result.slot != kNoSlot) makers[static_cast<size_t>(result.slot)] = at;
      }
      add(barrier, at);
      // Steps that repeat others could run at once, which would keep their results for long.
      const lowering::Stages stages = lowering::stages_of(step.label);
      if (stages.recomputed) add(last_backward, at);
      if (!stages.forward) last_backward = at;
      // A data check must run before the calls after it, which need not handle data that it
      // excludes.
      if (std::holds_alternative<lowering::LibraryStep>(step.work)) {
        if (!checks.empty()) checked = meeting(checked, checks);
        checks.clear();
        add(checked, at);
      }
      const auto* kernel = std::get_if<lowering::KernelStep>(&step.work);
      if (kernel != nullptr && loops::has_check(kernel->kernel.body)) checks.push_back(at);
      if (!is_fixed(step)) {
        since.push_back(at);
        continue;
      }
      for (const int earlier : since) add(earlier, at);
      since.clear();
      barrier = at;
    }
  }

  std::vector<size_t> ready() const {
    std::vector<size_t> found;
    for (size_t i = 0; i < steps_; ++i) {
      if (needs_[i] == 0) found.push_back(i);
    }
    return found;
  }

  /// Appends the steps that are ready after this step.
  void finish(size_t step, std::vector<size_t>& ready) {
    finished_.assign(1, step);
    while (!finished_.empty()) {
      const size_t done = finished_.back();
      finished_.pop_back();
      for (const int needing : needed_by_[done]) {
        const auto later = static_cast<size_t>(needing);
        if (--needs_[later] == 0) (later < steps_ ? ready : finished_).push_back(later);
      }
    }
  }

 private:
  void add(int earlier, int later) {
    if (earlier < 0 || earlier == later) return;
    needed_by_[static_cast<size_t>(earlier)].push_back(later);
    ++needs_[static_cast<size_t>(later)];
  }

  /// A meeting of an earlier one and of steps.
  int meeting(int earlier, const std::vector<int>& steps) {
    const auto made = static_cast<int>(needs_.size());
    needs_.push_back(0);
    needed_by_.emplace_back();
    add(earlier, made);
    for (const int step : steps) add(step, made);
    return made;
  }

  size_t steps_;
  std::vector<std::vector<int>> needed_by_;
  std::vector<int> needs_;
  std::vector<size_t> finished_;  ///< Whose readers `finish` has not seen yet.
};

/// The steps that are ready, in a tree of minima over the bytes that they allocate: the best one is
/// found in logarithmic time, though each step changes how many bytes there is room for.
class ReadySteps {
 public:
  explicit ReadySteps(const Simulation& memory) : memory_(memory) {
    std::vector<size_t> steps(memory.steps());
    std::iota(steps.begin(), steps.end(), 0);
    std::ranges::stable_sort(steps, {}, [&](size_t step) { return memory.allocated(step); });
    leaf_of_.resize(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      leaf_of_[steps[i]] = i;
      bytes_.push_back(memory.allocated(steps[i]));
    }
    while (width_ < steps.size()) width_ *= 2;
    best_.assign(2 * width_, kNone);
  }

  void add(size_t step) {
    set(step, {memory_.allocated(step) - memory_.freed(step), static_cast<int64_t>(step)});
  }

  /// Does nothing for a step that is not ready.
  void update(size_t step) {
    if (best_[width_ + leaf_of_[step]] != kNone) add(step);
  }

  /// Removes the step that adds least of those that fit into the room, or of the smallest ones if
  /// none fits; the first one of equals. Nothing if no step is ready.
  std::optional<size_t> take(double room) {
    if (best_[1] == kNone) return std::nullopt;
    const auto fitting =
        static_cast<size_t>(std::ranges::upper_bound(bytes_, room) - bytes_.begin());
    Entry best = least(0, fitting);
    if (best == kNone) {
      const double bytes = bytes_[first_leaf()];
      const auto [begin, end] = std::equal_range(bytes_.begin(), bytes_.end(), bytes);
      best = least(static_cast<size_t>(begin - bytes_.begin()),
                   static_cast<size_t>(end - bytes_.begin()));
    }
    const auto step = static_cast<size_t>(best.second);
    set(step, kNone);
    return step;
  }

 private:
  /// The bytes that a step adds, and its number.
  using Entry = std::pair<double, int64_t>;
  static constexpr Entry kNone{std::numeric_limits<double>::infinity(), -1};

  void set(size_t step, Entry entry) {
    size_t node = width_ + leaf_of_[step];
    best_[node] = entry;
    for (node /= 2; node > 0; node /= 2)
      best_[node] = std::min(best_[2 * node], best_[2 * node + 1]);
  }

  Entry least(size_t begin, size_t end) const {
    Entry found = kNone;
    for (begin += width_, end += width_; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 == 1) found = std::min(found, best_[begin++]);
      if (end % 2 == 1) found = std::min(found, best_[--end]);
    }
    return found;
  }

  size_t first_leaf() const {
    size_t node = 1;
    while (node < width_) node = best_[2 * node] != kNone ? 2 * node : 2 * node + 1;
    return node - width_;
  }

  const Simulation& memory_;
  std::vector<size_t> leaf_of_;  ///< By step.
  std::vector<double> bytes_;    ///< By leaf, ascending.
  size_t width_ = 1;
  std::vector<Entry> best_;  ///< By node of the tree, the root is 1.
};

std::vector<size_t> greedy_order(const Plan& plan, double outputs) {
  Simulation memory(plan);
  Dependencies dependencies(plan);
  ReadySteps ready(memory);
  std::vector<size_t> added = dependencies.ready();
  std::vector<size_t> order;
  for (;;) {
    for (const size_t step : added) ready.add(step);
    added.clear();
    const auto step = ready.take(std::max(memory.peak(), outputs) - memory.live());
    if (!step) return order;
    memory.run(*step, [&](size_t changed) { ready.update(changed); });
    order.push_back(*step);
    dependencies.finish(*step, added);
  }
}

double peak_of(const Plan& plan, const std::vector<size_t>& order) {
  Simulation memory(plan);
  for (const size_t step : order) {
    memory.run(step, [](size_t /*changed*/) {});
  }
  return memory.peak();
}

}  // namespace

OrderReport order_for_memory(Plan& plan) {
  std::vector<size_t> current(plan.steps.size());
  std::iota(current.begin(), current.end(), 0);
  OrderReport report;
  report.peak_before = peak_of(plan, current);
  report.peak_after = report.peak_before;
  double outputs = 0;
  for (const StorageUse& use : find_storages(plan).all) {
    if (use.first >= 0 && use.last == static_cast<int>(plan.steps.size())) outputs += bytes_of(use);
  }
  const std::vector<size_t> order = greedy_order(plan, outputs);
  const double peak = peak_of(plan, order);
  if (order.size() != plan.steps.size() || peak >= report.peak_before) return report;
  report.peak_after = peak;
  std::vector<Step> steps;
  steps.reserve(order.size());
  for (const size_t step : order) steps.push_back(std::move(plan.steps[step]));
  plan.steps = std::move(steps);
  lowering::mark_dead_slots(plan);
  return report;
}

}  // namespace litz::memory
