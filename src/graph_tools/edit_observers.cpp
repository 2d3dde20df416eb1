// Observers for pass drivers. See edit_observers.h.

#include "graph_tools/edit_observers.h"

namespace litz::ir {

void EditRecorder::created(const Node& node) {
  ++counts_.created;
  created_.push_back(node.id());
}

void EditRecorder::erased(const Node& node) {
  ++counts_.erased;
  erased_.push_back(node.id());
}

void EditRecorder::uses_replaced(Value /*from*/, Value /*to*/) { ++counts_.replaced; }

void EditRecorder::changed(const Node& /*node*/) { ++counts_.changed; }

void EditLimit::count() {
  if (++seen_ > limit_) throw EditLimitReached();
}

}  // namespace litz::ir
