// litz::GraphContext: programs that share memory.

#include <utility>

#include "compiler/api/public_support.h"
#include "runtime/placement.h"
#include "support/check.h"

// After the library's own names.
#include "litz/graph_trees.h"

namespace litz {
inline namespace v1 {
namespace {

runtime::trees::OutputPolicy own_policy(ResultPolicy policy) {
  static_assert(static_cast<int>(ResultPolicy::trap) ==
                static_cast<int>(runtime::trees::OutputPolicy::trap));
  require(policy <= ResultPolicy::trap, OwnErrorCode::invalid_argument,
          "a policy must be one of enum ResultPolicy:", static_cast<int>(policy));
  return static_cast<runtime::trees::OutputPolicy>(policy);
}

}  // namespace

Result<std::shared_ptr<GraphContext>> GraphContext::make(const GraphOptions& options) {
  return guarded<std::shared_ptr<GraphContext>>([&] {
    require(options.threads >= 0 && options.threads <= ThreadPool::kMostThreads,
            OwnErrorCode::invalid_argument, "the number of threads must be at most",
            ThreadPool::kMostThreads, "but is", options.threads);
    auto impl = std::make_unique<Impl>();
    if (options.threads != 1) impl->pool = std::make_shared<ThreadPool>(options.threads);
    std::optional<Device> where;
    if (!options.device.empty()) where = runtime::parse_placement(options.device);
    runtime::trees::ContextOptions how;
    how.policy = own_policy(options.results);
    how.requires_recordings = options.require_graphs;
    impl->context = std::make_shared<runtime::trees::Context>(
        runtime::make_device(where, impl->pool.get()), std::move(how));
    return std::shared_ptr<GraphContext>(new GraphContext(std::move(impl)));
  });
}

GraphContext::GraphContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

GraphContext::~GraphContext() = default;

void GraphContext::mark_step() { impl_->context->mark_step(); }

GraphReport GraphContext::report() const {
  const runtime::trees::ContextReport own = impl_->context->report();
  GraphReport report{.calls = own.counts.calls,
                     .moved_results = own.counts.clones,
                     .ended_results = own.counts.traps,
                     .result_bytes = own.live_bytes,
                     .reserved_bytes = own.committed_bytes,
                     .temporary_bytes = own.temporary_bytes,
                     .programs = {},
                     .text = to_string(own)};
  for (const runtime::trees::FunctionReport& function : own.functions) {
    GraphProgram& program = report.programs.emplace_back();
    program.name = function.name;
    program.calls = function.calls;
    for (const runtime::trees::ProgramPart& part : function.parts) {
      program.parts.push_back({part.label, part.launches, part.reason});
    }
  }
  return report;
}

struct LITZ_HIDDEN GraphContext::Step::Impl {
  std::shared_ptr<runtime::trees::Context> context;
  runtime::trees::Context::StepScope scope{*context};
};

GraphContext::Step::Step(GraphContext& context) : impl_(new Impl{context.impl_->context}) {}

GraphContext::Step::~Step() = default;

}  // namespace v1
}  // namespace litz
