// Runs passes: everything that is common to all of them (verification, dumps, timing, limits,
// errors that name the pass) happens here once.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/graph_passes.h"

namespace litz::passes {

struct DriverOptions {
  bool verify_each = false;  ///< Full verification after every pass.
  std::string stop_after;    ///< Name of the last pass to run; empty: all.
  /// Passes stop once the module's graphs have been edited this often; 0: never. For bisecting.
  uint64_t edit_limit = 0;
  /// Called after every pass that the name matches or all, with what changed.
  std::function<void(const Pass&, const ir::Module&, Changed)> after_pass;
};

struct PassStatistics {
  std::string_view name;
  Changed changed = Changed::no;
  double seconds = 0;
  size_t nodes = 0;  ///< Over all graphs, after the pass.
};

/// Runs one pass over every graph of the module. Errors get the note "in pass NAME".
Changed run_pass(const Pass& pass, ir::Module& module, PassContext& context);

/// Runs the passes in order. Throws Error for an unknown `stop_after`.
std::vector<PassStatistics> run_pipeline(std::span<const Pass> passes, ir::Module& module,
                                         PassContext& context, const DriverOptions& options = {});

}  // namespace litz::passes
