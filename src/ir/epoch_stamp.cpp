#include "ir/epoch_stamp.h"

#include <string>

#include "support/check.h"

namespace litz::ir {

void EpochStamp::fail_stale(std::string_view analysis) const {
  throw InternalError("an analysis must describe the graph as it is now: " + std::string(analysis) +
                      " of @" + graph_->name() + " is of epoch " + std::to_string(structure_) +
                      "." + std::to_string(types_) + ", the graph of " +
                      std::to_string(graph_->structural_epoch()) + "." +
                      std::to_string(graph_->type_epoch()));
}

}  // namespace litz::ir
