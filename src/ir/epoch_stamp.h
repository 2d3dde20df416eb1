// Records which state of a graph an analysis describes, to detect a stale one.
//
//   class Liveness { ... EpochStamp stamp_; };      // constructed with the analysis
//   stamp_.check_current("liveness");               // on every question
//
// A pass that keeps an analysis right calls renew().

#pragma once

#include <cstdint>
#include <string_view>

#include "ir/graph.h"

namespace litz::ir {

class EpochStamp {
 public:
  enum class Depends : uint8_t {
    structure,            ///< Nodes, operands, results, order.
    structure_and_types,  ///< Also the types of values.
  };

  EpochStamp(const Graph& graph, Depends depends) : graph_(&graph), depends_(depends) { renew(); }

  const Graph& graph() const { return *graph_; }

  bool is_current() const {
    return structure_ == graph_->structural_epoch() &&
           (depends_ == Depends::structure || types_ == graph_->type_epoch());
  }

  /// Check-fails if the graph was edited since. One comparison, cheap enough for every build.
  void check_current(std::string_view analysis) const {
    if (!is_current()) fail_stale(analysis);
  }

  /// Declares that the edits since then kept the analysis right, or that it was updated.
  void renew() {
    structure_ = graph_->structural_epoch();
    types_ = graph_->type_epoch();
  }

 private:
  [[noreturn]] void fail_stale(std::string_view analysis) const;

  const Graph* graph_;
  Depends depends_;
  uint64_t structure_ = 0;
  uint64_t types_ = 0;
};

}  // namespace litz::ir
