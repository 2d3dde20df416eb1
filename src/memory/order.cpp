#include "memory/order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "loops/instrs.h"
#include "loops/pointwise.h"
#include "lowering/last_use.h"
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
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const Step& step = plan.steps[i];
      if (!std::holds_alternative<lowering::ViewStep>(step.work)) {
        for (const lowering::Result& result : step.results) {
          if (result.over == kNoSlot) add(made_[i], result.slot);
        }
      }
      for (const lowering::Result& result : step.results) add(used_[i], result.slot);
      for (const Slot slot : lowering::slots_read(step)) add(used_[i], slot);
    }
    left_.assign(storages_.all.size(), 0);
    for (const std::vector<int>& used : used_) {
      for (const int storage : used) ++left_[static_cast<size_t>(storage)];
    }
  }

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

  void run(size_t step) {
    live_ += allocated(step);
    peak_ = std::max(peak_, live_);
    live_ -= freed(step);
    for (const int storage : used_[step]) --left_[static_cast<size_t>(storage)];
  }

  double live() const { return live_; }

  double peak() const { return peak_; }

 private:
  void add(std::vector<int>& list, Slot slot) const {
    if (slot == kNoSlot) return;
    const int storage = storages_.of_slot[static_cast<size_t>(slot)];
    if (storage >= 0 && std::ranges::count(list, storage) == 0) list.push_back(storage);
  }

  Storages storages_;
  std::vector<double> bytes_;  ///< By storage.
  std::vector<bool> is_freed_;
  std::vector<int> left_;               ///< Steps that are still to use the storage.
  std::vector<std::vector<int>> made_;  ///< By step.
  std::vector<std::vector<int>> used_;
  double live_ = 0;
  double peak_ = 0;
};

bool is_fixed(const Step& step) {
  const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
  if (library != nullptr && library->keeps_order) return true;
  return !step.defines.empty() || std::holds_alternative<lowering::ScalarStep>(step.work) ||
         std::holds_alternative<lowering::ControlStep>(step.work);
}

/// Steps that have to run before others.
class Dependencies {
 public:
  explicit Dependencies(const Plan& plan) : needed_by_(plan.steps.size()) {
    needs_.assign(plan.steps.size(), 0);
    std::vector<int> makers(static_cast<size_t>(plan.slot_count), -1);
    const Storages storages = find_storages(plan);
    std::vector<std::vector<int>> readers(storages.all.size());
    int barrier = -1;
    std::vector<int> since;
    std::vector<int> checks;
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
        const int storage = storages.of_slot[static_cast<size_t>(result.over)];
        for (const int reader : readers[static_cast<size_t>(storage)]) add(reader, at);
      }
      for (const lowering::Result& result : step.results) {
        if (result.slot != kNoSlot) makers[static_cast<size_t>(result.slot)] = at;
      }
      add(barrier, at);
      // A data check must run before the calls after it, which need not handle data that it
      // excludes.
      if (std::holds_alternative<lowering::LibraryStep>(step.work)) {
        for (const int earlier : checks) add(earlier, at);
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
    for (size_t i = 0; i < needs_.size(); ++i) {
      if (needs_[i] == 0) found.push_back(i);
    }
    return found;
  }

  /// Appends the steps that are ready after this step.
  void finish(size_t step, std::vector<size_t>& ready) {
    for (const int later : needed_by_[step]) {
      if (--needs_[static_cast<size_t>(later)] == 0) ready.push_back(static_cast<size_t>(later));
    }
  }

 private:
  void add(int earlier, int later) {
    if (earlier < 0 || earlier == later) return;
    needed_by_[static_cast<size_t>(earlier)].push_back(later);
    ++needs_[static_cast<size_t>(later)];
  }

  std::vector<int> needs_;
  std::vector<std::vector<int>> needed_by_;
};

std::vector<size_t> greedy_order(const Plan& plan, double outputs) {
  Simulation memory(plan);
  Dependencies dependencies(plan);
  std::vector<size_t> ready = dependencies.ready();
  std::vector<size_t> order;
  while (!ready.empty()) {
    const double room = std::max(memory.peak(), outputs) - memory.live();
    const auto need = [&](size_t step) {
      const double bytes = memory.allocated(step);
      return std::tuple(bytes > room ? bytes : 0.0, bytes - memory.freed(step), step);
    };
    auto best = ready.begin();
    auto best_need = need(*best);
    for (auto at = ready.begin() + 1; at != ready.end(); ++at) {
      const auto own = need(*at);
      if (own < best_need) {
        best = at;
        best_need = own;
      }
    }
    const size_t step = *best;
    *best = ready.back();
    ready.pop_back();
    memory.run(step);
    order.push_back(step);
    dependencies.finish(step, ready);
  }
  return order;
}

double peak_of(const Plan& plan, const std::vector<size_t>& order) {
  Simulation memory(plan);
  for (const size_t step : order) memory.run(step);
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
