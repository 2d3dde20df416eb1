// The public API of litz/collectives.h over passes/bucketing and passes/overlap.

#include "passes/bucketing/bucketing.h"
#include "passes/overlap/join_overlapped.h"
#include "passes/overlap/live_memory.h"
#include "passes/overlap/timeline.h"
#include "passes/partition/program_partitions.h"
#include "passes/pass_driver.h"

// After the library's own names.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "compiler/api/public_program.h"
#include "compiler/api/public_support.h"
#include "litz/collectives.h"

namespace litz {
inline namespace v1 {
namespace {

passes::BucketOptions bucket_options(const CollectiveOptions& options) {
  passes::BucketOptions own;
  own.scope = passes::parse_bucket_scope(options.scope);
  own.mode = passes::parse_bucket_mode(options.mode);
  own.keeps_order = options.keep_order;
  if (!options.cap_mb.empty()) {
    own.cap_mb = [caps = options.cap_mb](size_t index) {
      return caps[std::min(index, caps.size() - 1)];
    };
  }
  return own;
}

passes::PriceOptions price_options(const CollectiveOptions& options,
                                   const passes::NodeNames& names) {
  passes::PriceOptions prices = machine::open_cluster(options.machine);
  prices.world = options.world;
  if (!options.measured.empty()) {
    prices.measured = std::make_shared<const machine::MeasuredTimes>(
        machine::MeasuredTimes::open(options.measured));
  }
  if (options.estimate) {
    prices.estimate = [&](const ir::Node& node) -> std::optional<double> {
      if (node.output_count() != 1) return std::nullopt;
      const double us = options.estimate(node_info(node, names));
      return us < 0 ? std::nullopt : std::optional<double>(us);
    };
  }
  return prices;
}

CollectiveState state_of(const ir::Graph& graph, const passes::PriceOptions& prices) {
  CollectiveState state;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!has(node->op().traits, ir::Trait::collective_start)) continue;
    const std::string_view name = node->op().name();
    ++state.counts[std::string(name.substr(name.find('.') + 1))];
  }
  const passes::Timeline line = passes::timeline(graph, prices);
  state.exposed_us = line.exposed_us;
  state.total_us = line.total_us;
  state.peak_bytes = passes::peak_bytes(graph);
  return state;
}

passes::BucketReport transform(ir::Graph& graph, const CollectiveOptions& options,
                               const passes::PriceOptions& prices) {
  constexpr double kMegabyte = 1024 * 1024;
  passes::BucketReport buckets;
  passes::JoinOptions join;
  join.overlap.prices = prices;
  join.overlap.keeps_order = options.keep_order;
  join.overlap.extra_bytes = options.extra_memory_mb * kMegabyte;
  if (options.join && !options.join_after) {
    buckets = passes::bucket_collectives(graph, bucket_options(options));
  } else if (options.join) {
    join.buckets = bucket_options(options);
  }
  if (!options.schedule && !options.join_after) return buckets;
  passes::BucketReport later = passes::overlap_collectives(graph, join).second;
  return options.join_after ? std::move(later) : std::move(buckets);
}

}  // namespace

Result<CollectiveReport> overlap_collectives(Program& program, const CollectiveOptions& options) {
  return guarded<CollectiveReport>([&] {
    ir::Program& own = program.impl().program;
    passes::PassContext context{.program = &own};
    passes::run_pipeline(passes::import_pipeline(), *own.module, context);
    ir::Graph& graph = own.graph();
    const passes::NodeNames names(graph);
    const passes::PriceOptions prices = price_options(options, names);
    CollectiveReport report;
    report.before = state_of(graph, prices);
    for (passes::Bucket& bucket : transform(graph, options, prices).buckets) {
      report.buckets.push_back({std::string(passes::name(bucket.kind)), bucket.group,
                                std::move(bucket.members), bucket.bytes});
    }
    report.after = state_of(graph, prices);
    return report;
  });
}

}  // namespace v1
}  // namespace litz
