// Runs passes, and does everything that they have in common: verification, dumps, timing, limits,
// and errors that name the pass.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/graph_passes.h"
#include "support/check.h"

namespace litz::passes {

struct PassStatistics {
  std::string_view name;
  Changed changed = Changed::no;
  double seconds = 0;
  size_t nodes = 0;       ///< In all graphs, after the pass.
  uint64_t rewrites = 0;  ///< Made by an optimising pass.
};

/// A pass that threw, or whose module does not verify afterwards.
struct PassFailure {
  const Pass& pass;
  std::string_view before;     ///< The module's text before the pass; empty without keep_text.
  uint64_t rewrites_left = 0;  ///< The rest of the limit when the pass began; UINT64_MAX: no limit.
  Error& error;                ///< The error to throw; notes may be added.
};

struct DriverOptions {
  bool verify_each = false;  ///< Full verification after every pass.
  bool run_twice = false;    ///< Runs every pass again and fails a check if that changes anything.
  std::string stop_after;    ///< Name of the last pass to run; empty: all.
  std::vector<std::string> disabled;  ///< Names of passes to leave out.
  /// Limits the total number of rewrites by optimising passes, for bisecting.
  std::optional<uint64_t> edit_limit;
  /// Called before every pass that is not disabled.
  std::function<void(const Pass&, ir::Module&)> before_pass;
  /// Called after every pass.
  std::function<void(const PassStatistics&, const ir::Module&)> after_pass;
  /// Prints the module before every pass, for use by on_failure.
  bool keep_text = false;
  /// Called before the error of a failed pass leaves the driver.
  std::function<void(const PassFailure&)> on_failure;
};

/// Throws Error{invalid_argument} that names both passes when a pipeline breaks an order.
void require_order(std::span<const Pass> passes, std::span<const PassOrder> orders);

/// Runs one pass over every graph of the module. Errors get the note "in pass NAME"; other
/// exceptions become InternalErrors.
Changed run_pass(const Pass& pass, ir::Module& module, PassContext& context);

/// Runs the passes in order. Throws Error for an unknown name in `stop_after` or `disabled`.
std::vector<PassStatistics> run_pipeline(std::span<const Pass> passes, ir::Module& module,
                                         PassContext& context, const DriverOptions& options = {});

/// One line for people: "merge-equal-nodes  1.2 ms  412 nodes  17 rewrites".
std::string to_string(const PassStatistics& statistics);

}  // namespace litz::passes
