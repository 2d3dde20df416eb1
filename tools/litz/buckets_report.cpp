#include "litz/buckets_report.h"

#include <algorithm>
#include <cstdio>

#include "ir/collectives.h"
#include "passes/overlap/live_memory.h"
#include "passes/overlap/timeline_picture.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

// --- JSON

void write_counts(JsonWriter& out, std::string_view key, const CollectiveState& state) {
  out.key(key).begin_object();
  for (const auto& [name, count] : state.collectives) out.member(name, count);
  out.end_object();
}

void write_buckets(JsonWriter& out, const passes::BucketReport& report) {
  out.key("buckets").begin_array();
  for (const passes::Bucket& bucket : report.buckets) {
    out.begin_object().member("kind", passes::name(bucket.kind)).member("group", bucket.group);
    out.key("members").begin_array();
    for (const std::string& member : bucket.members) out.value(member);
    out.end_array()
        .member("bytes", bucket.bytes)
        .member("round", bucket.round)
        .member("closed", bucket.closed)
        .end_object();
  }
  out.end_array().key("others").begin_array();
  for (const passes::Unbucketed& other : report.others) {
    out.begin_object()
        .member("kind", passes::name(other.kind))
        .member("name", other.name)
        .member("reason", other.reason)
        .end_object();
  }
  out.end_array();
}

std::string name_of(const ir::Node& node) {
  return node.output_count() > 0 ? std::string(node.output().name()) : std::string();
}

void write_timeline(JsonWriter& out, std::string_view key, const passes::Timeline& line) {
  out.key(key).begin_array();
  for (const passes::TimelineEvent& event : line.events) {
    out.begin_object()
        .member("name", name_of(*event.node))
        .member("op", event.node->op().name())
        .member("begin_us", event.begin)
        .member("end_us", event.end);
    if (event.is_collective) {
      out.member("group", ir::collective_group(*event.node))
          .member("issued_us", event.issued)
          .member("exposed_us", event.exposed);
    }
    out.end_object();
  }
  out.end_array();
}

void write_schedule(JsonWriter& out, const passes::OverlapReport& report) {
  out.key("schedule").begin_object();
  out.member("exposed", report.exposed()).member("bad_exposed", report.bad_exposed());
  out.key("collectives").begin_array();
  for (const passes::OverlappedCollective& each : report.collectives) {
    out.begin_object()
        .member("name", name_of(*each.start))
        .member("us", each.us)
        .member("exposed_us", each.exposed_us);
    out.key("hidden_by").begin_array();
    for (const ir::Node* node : each.hidden_by) out.value(name_of(*node));
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

void write_curve(JsonWriter& out, const std::vector<passes::WorldPoint>& curve) {
  out.key("curve").begin_array();
  for (const passes::WorldPoint& point : curve) {
    out.begin_object()
        .member("world", point.world)
        .member("nodes", point.nodes)
        .member("cap_mb", point.cap_mb)
        .member("collectives", point.collectives)
        .member("exposed_us", point.exposed_us)
        .member("exposed_us_before", point.exposed_before_us)
        .member("total_us", point.total_us)
        .member("total_us_before", point.total_before_us)
        .end_object();
  }
  out.end_array();
}

// --- Text

std::string printed(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string counts_text(const CollectiveState& state) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : state.collectives) {
    texts.push_back(std::to_string(count) + " " + name);
  }
  return texts.empty() ? "no collectives" : join(texts, ", ");
}

std::string bytes_text(double bytes) { return human_bytes(static_cast<uint64_t>(bytes)); }

std::string state_text(const char* when, const CollectiveState& state, double longest_us) {
  const passes::Timeline& line = state.line;
  return printed("%-7s ", when) + counts_text(state) + "\n" +
         printed("        %.1f us: %.1f of computation, %.1f of communication, %.1f exposed; peak ",
                 line.total_us, line.compute_us, line.communication_us, line.exposed_us) +
         bytes_text(state.peak_bytes) + "\n" + passes::timeline_text(line, longest_us);
}

std::string schedule_text(const passes::OverlapReport& report) {
  return printed("schedule %zu of %zu collectives are exposed, %zu of these without need\n",
                 report.exposed(), report.collectives.size(), report.bad_exposed());
}

std::string buckets_text(const passes::BucketReport& report) {
  std::string text;
  for (const passes::Bucket& bucket : report.buckets) {
    text += "bucket  " + std::string(passes::name(bucket.kind)) + " of group " + bucket.group +
            ", " + bytes_text(bucket.bytes) + ": " + join(bucket.members, " ") + "\n        " +
            bucket.closed + "\n";
  }
  for (const passes::Unbucketed& other : report.others) {
    text += "alone   " + std::string(passes::name(other.kind)) + " " + other.name + ": " +
            other.reason + "\n";
  }
  return text;
}

std::string curve_text(const std::vector<passes::WorldPoint>& curve) {
  if (curve.empty()) return "";
  std::string text =
      "  ranks nodes   cap MB collectives  exposed us      before    total us      before\n";
  for (const passes::WorldPoint& point : curve) {
    text += printed("%7lld %5lld %8.0f %11zu %11.1f %11.1f %11.1f %11.1f\n",
                    static_cast<long long>(point.world), static_cast<long long>(point.nodes),
                    point.cap_mb, point.collectives, point.exposed_us, point.exposed_before_us,
                    point.total_us, point.total_before_us);
  }
  return text;
}

}  // namespace

CollectiveState state_of(const ir::Graph& graph, const passes::PriceOptions& prices) {
  CollectiveState state;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!has(node->op().traits, ir::Trait::collective_start)) continue;
    const std::string_view name = node->op().name();
    ++state.collectives[std::string(name.substr(name.find('.') + 1))];
  }
  state.line = passes::timeline(graph, prices);
  state.peak_bytes = passes::peak_bytes(graph);
  return state;
}

std::string json_of(const BucketsResult& result) {
  JsonWriter out;
  out.begin_object();
  write_counts(out, "before", result.before);
  write_counts(out, "after", result.after);
  write_buckets(out, result.buckets);
  out.member("exposed_us", result.after.line.exposed_us)
      .member("exposed_us_before", result.before.line.exposed_us)
      .member("total_us", result.after.line.total_us)
      .member("total_us_before", result.before.line.total_us)
      .member("peak_bytes", result.after.peak_bytes)
      .member("peak_bytes_before", result.before.peak_bytes);
  if (result.overlap) write_schedule(out, *result.overlap);
  if (!result.curve.empty()) write_curve(out, result.curve);
  out.key("timeline").begin_object();
  write_timeline(out, "before", result.before.line);
  write_timeline(out, "after", result.after.line);
  out.end_object();
  return out.end_object().take() + "\n";
}

std::string text_of(const BucketsResult& result) {
  const double longest = std::max(result.before.line.total_us, result.after.line.total_us);
  std::string text =
      state_text("before", result.before, longest) + state_text("after", result.after, longest);
  if (result.overlap) text += schedule_text(*result.overlap);
  return text + buckets_text(result.buckets) + curve_text(result.curve);
}

}  // namespace litz::tools
