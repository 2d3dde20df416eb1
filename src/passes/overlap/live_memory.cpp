#include "passes/overlap/live_memory.h"

#include <algorithm>

#include "ir/alias_classes.h"
#include "passes/overlap/prices.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;
using ir::Value;

constexpr uint32_t kNone = ir::AliasClasses::kNone;

void sort_unique(std::vector<uint32_t>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool is_wait(const Node& node) { return has(node.op().traits, Trait::collective_wait); }

const Node* start_of(const Node& wait) {
  if (!is_wait(wait) || wait.input_count() == 0) return nullptr;
  const Node* start = wait.input(0).producer();
  const bool is_start = start != nullptr && has(start->op().traits, Trait::collective_start);
  return is_start ? start : nullptr;
}

}  // namespace

MemoryUse::MemoryUse(const ir::Graph& graph) {
  const ir::AliasClasses aliases(graph);
  bytes.resize(aliases.class_count());
  is_returned.resize(aliases.class_count());
  std::vector<uint32_t> same(aliases.class_count());
  for (uint32_t i = 0; i < same.size(); ++i) same[i] = i;
  const auto storage_of = [&](Value value) {
    if (!value || !value.is_tensor()) return kNone;
    const uint32_t own = aliases.class_of(value);
    return own == kNone ? kNone : same[own];
  };
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    std::vector<uint32_t>& making = made.emplace_back();
    std::vector<uint32_t>& using_now = used.emplace_back();
    const auto add = [&](std::vector<uint32_t>& list, uint32_t storage) {
      if (storage != kNone) list.push_back(storage);
    };
    for (size_t i = 0; i < node->input_count(); ++i) add(using_now, storage_of(node->input(i)));
    if (const Node* start = start_of(*node)) {
      same[aliases.class_of(node->output())] = storage_of(node->input(0));
      for (size_t i = 0; i < start->input_count(); ++i) add(using_now, storage_of(start->input(i)));
    }
    for (const Value output : node->outputs()) {
      const uint32_t storage = storage_of(output);
      add(using_now, storage);
      if (storage == kNone || aliases.base(output) != output || is_wait(*node)) continue;
      bytes[storage] += bytes_of(output);
      add(making, storage);
    }
    sort_unique(making);
    sort_unique(using_now);
  }
  for (const ir::Argument& output : graph.outputs()) {
    const uint32_t storage = output.is_value() ? storage_of(output.value()) : kNone;
    if (storage != kNone) is_returned[storage] = true;
  }
}

LiveMemory::LiveMemory(const MemoryUse& use) : use_(use), left_(use.bytes.size()) {
  for (const std::vector<uint32_t>& storages : use.used) {
    for (const uint32_t storage : storages) ++left_[storage];
  }
}

double LiveMemory::allocated(size_t node) const {
  double sum = 0;
  for (const uint32_t storage : use_.made[node]) sum += use_.bytes[storage];
  return sum;
}

double LiveMemory::freed(size_t node) const {
  double sum = 0;
  for (const uint32_t storage : use_.used[node]) {
    if (left_[storage] == 1 && !use_.is_returned[storage]) sum += use_.bytes[storage];
  }
  return sum;
}

void LiveMemory::run(size_t node) {
  live_ += allocated(node);
  peak_ = std::max(peak_, live_);
  live_ -= freed(node);
  for (const uint32_t storage : use_.used[node]) --left_[storage];
}

double peak_bytes(const ir::Graph& graph) {
  const MemoryUse use(graph);
  LiveMemory memory(use);
  for (size_t node = 0; node < use.made.size(); ++node) memory.run(node);
  return memory.peak();
}

}  // namespace litz::passes
