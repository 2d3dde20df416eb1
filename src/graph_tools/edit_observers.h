// Observers for pass drivers: they record edits, or limit them for bisecting.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "support/check.h"

namespace litz::ir {

/// Attaches an observer to a graph for a scope, even if an exception ends it.
class ObserverScope {
 public:
  ObserverScope(Graph& graph, GraphObserver& observer) : graph_(graph), observer_(observer) {
    graph_.add_observer(&observer_);
  }

  ~ObserverScope() { graph_.remove_observer(&observer_); }

  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  Graph& graph_;
  GraphObserver& observer_;
};

struct EditCounts {
  uint64_t created = 0;
  uint64_t erased = 0;
  uint64_t replaced = 0;
  uint64_t changed = 0;

  uint64_t total() const { return created + erased + replaced + changed; }
};

/// Counts edits by kind and records the text of created and erased nodes by id.
class EditRecorder : public GraphObserver {
 public:
  void created(const Node& node) override;
  void erased(const Node& node) override;
  void uses_replaced(Value from, Value to) override;
  void changed(const Node& node) override;

  const EditCounts& counts() const { return counts_; }

  std::span<const uint32_t> created_ids() const { return created_; }

  std::span<const uint32_t> erased_ids() const { return erased_; }

 private:
  EditCounts counts_;
  std::vector<uint32_t> created_;
  std::vector<uint32_t> erased_;
};

/// Thrown by the first edit beyond the limit.
class EditLimitReached : public Error {
 public:
  EditLimitReached() : Error(ErrorCode::limit_exceeded, "the edit limit of this run is reached") {}
};

/// Stops a pass after edit number `limit`: the next edit throws EditLimitReached. The driver
/// chooses what to undo: a transaction per pass, or one that passes open per rewrite.
class EditLimit : public GraphObserver {
 public:
  explicit EditLimit(uint64_t limit) : limit_(limit) {}

  void created(const Node&) override { count(); }

  void erased(const Node&) override { count(); }

  void changed(const Node&) override { count(); }

  uint64_t seen() const { return seen_; }

 private:
  void count();
  uint64_t limit_;
  uint64_t seen_ = 0;
};

}  // namespace litz::ir
