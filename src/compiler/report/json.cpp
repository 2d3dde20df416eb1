// The report for programs.

#include "compiler/report/compile_report.h"
#include "support/json_writer.h"

namespace litz::compiler {
namespace {

// Declared before the template that calls them.
void write(JsonWriter& out, const ReportedStep& step);
void write(JsonWriter& out, const ReportedMiss& miss);
void write(JsonWriter& out, const ReportedRange& range);

void write(JsonWriter& out, const ReportedPass& pass) {
  out.begin_object()
      .member("name", pass.name)
      .member("changed", pass.changed)
      .member("seconds", pass.seconds)
      .member("nodes", pass.nodes)
      .member("rewrites", pass.rewrites)
      .end_object();
}

void write(JsonWriter& out, const ReportedOperator& op) {
  out.begin_object().member("text", op.text);
  if (!op.module_path.empty()) out.member("module", op.module_path);
  out.end_object();
}

void write(JsonWriter& out, const ReportedLoop& loop) {
  out.begin_object()
      .member("depth", loop.depth)
      .member("kind", loop.kind)
      .member("extents", loop.extents)
      .end_object();
}

void write(JsonWriter& out, const ReportedPhase& phase) {
  out.begin_object()
      .member("extents", phase.extents)
      .member("iterations", phase.iterations)
      .member("grain", phase.grain)
      .member("nanoseconds", phase.nanoseconds)
      .member("tiled", phase.is_tiled);
  out.key("lanes").begin_array();
  for (const int lanes : phase.lanes) out.value(lanes);
  out.end_array().end_object();
}

void write(JsonWriter& out, const ReportedRegion& region) {
  out.begin_object()
      .member("name", region.name)
      .member("key", region.key)
      .member("nodes", region.nodes)
      .member("inputs", region.inputs)
      .member("constants", region.constants)
      .member("outputs", region.outputs)
      .member("kernels", region.kernels)
      .member("interpreted", region.interpreted)
      .member("library_calls", region.library_calls)
      .member("plain", region.is_plain);
  out.key("sources").begin_array();
  for (const std::string& source : region.sources) out.value(source);
  out.end_array().end_object();
}

template <typename Entry>
void write_list(JsonWriter& out, const char* key, const std::vector<Entry>& entries) {
  out.key(key).begin_array();
  for (const Entry& entry : entries) write(out, entry);
  out.end_array();
}

/// Omits unknown sizes.
void write_bytes(JsonWriter& out, const char* key, int64_t bytes) {
  if (bytes >= 0) out.member(key, bytes);
}

void write(JsonWriter& out, const ReportedStep& step) {
  out.begin_object()
      .member("kind", name(step.kind))
      .member("plan", step.plan)
      .member("step", step.step)
      .member("name", step.name);
  write_list(out, "operators", step.operators);
  write_bytes(out, "bytes_read", step.bytes_read);
  write_bytes(out, "bytes_written", step.bytes_written);
  if (step.seconds > 0) out.member("seconds", step.seconds);
  if (step.kind == StepKind::kernel) {
    write_list(out, "loops", step.loops);
    write_list(out, "phases", step.phases);
    out.member("code_bytes", step.code_bytes).member("cached", step.was_cached);
    if (!step.reason_interpreted.empty()) out.member("interpreted", step.reason_interpreted);
    if (!step.shares_code_with.empty()) out.member("shares_code_with", step.shares_code_with);
  }
  out.end_object();
}

void write(JsonWriter& out, const ReportedMiss& miss) {
  out.begin_object()
      .member("plan", miss.plan)
      .member("producer", miss.producer)
      .member("consumer", miss.consumer)
      .member("reason", miss.reason)
      .member("meaning", meaning_of_reason(miss.reason))
      .end_object();
}

void write(JsonWriter& out, const ReportedRange& range) {
  out.begin_object()
      .member("maker", range.maker)
      .member("offset", range.offset)
      .member("bytes", range.bytes)
      .member("first", range.first)
      .member("last", range.last)
      .member("in_place", range.is_in_place)
      .end_object();
}

void write(JsonWriter& out, const ReportedMemory& memory) {
  out.begin_object()
      .member("weight_bytes", memory.weight_bytes)
      .member("packed_bytes", memory.packed_bytes);
  if (memory.reason_not_planned.empty()) {
    out.member("arena_bytes", memory.arena_bytes)
        .member("peak_bytes", memory.peak_bytes)
        .member("sum_of_bytes", memory.sum_of_bytes)
        .member("in_place", memory.in_place);
    out.key("sizes").begin_array();
    for (const std::string& size : memory.sizes) out.value(size);
    out.end_array();
    write_list(out, "ranges", memory.ranges);
  } else {
    out.member("not_planned", memory.reason_not_planned);
  }
  out.end_object();
}

}  // namespace

std::string to_json(const CompileReport& report) {
  JsonWriter out;
  out.begin_object().member("target", report.target).member("features", report.features);
  write_list(out, "passes", report.passes);
  out.member("kernels_before", report.kernels_before)
      .member("kernels_after", report.kernels_after)
      .member("views_before", report.views_before)
      .member("views_after", report.views_after);
  write_list(out, "steps", report.steps);
  write_list(out, "missed", report.missed);
  write_list(out, "regions", report.regions);
  out.key("memory");
  write(out, report.memory);
  if (report.measured_calls > 0) {
    out.member("calls", report.measured_calls).member("seconds_per_call", report.seconds_per_call);
  }
  return out.end_object().take();
}

}  // namespace litz::compiler
