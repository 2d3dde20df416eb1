// litz info: the inputs, outputs and contents of a program.

#include <algorithm>
#include <cstdio>
#include <memory>

#include "common/keys.h"
#include "import/archive_info.h"
#include "import/targets.h"
#include "ir/placement.h"
#include "litz/commands.h"
#include "litz/program_options.h"
#include "litz/stored_info.h"
#include "ops/user_operators.h"
#include "runtime/program/required_guards.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

using import_::ArchiveInfo;

struct InfoSettings {
  std::string model;
  std::string model_name;
  std::string device;
  std::vector<std::string> trusted;
  bool json = false;
};

// Operators by descending count, then by name.
std::vector<std::pair<std::string, size_t>> by_count(const ArchiveInfo& info) {
  std::vector<std::pair<std::string, size_t>> list(info.operators.begin(), info.operators.end());
  std::ranges::stable_sort(list, [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

void print_leaves(const char* title, const std::vector<ArchiveInfo::Leaf>& leaves) {
  std::printf("%s\n", title);
  for (const ArchiveInfo::Leaf& leaf : leaves) {
    std::printf("  %-24s %s\n", leaf.label.c_str(), leaf.type.c_str());
  }
}

void print_list(const char* title, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  std::printf("%s\n", title);
  for (const std::string& text : texts) std::printf("  %s\n", text.c_str());
}

void print_tensors(const char* title, const ArchiveInfo::Tensors& tensors) {
  if (tensors.count == 0) return;
  std::printf("%-12s %s, %s, %s\n", title, counted(tensors.count, "tensor").c_str(),
              counted(static_cast<size_t>(tensors.elements), "element").c_str(),
              human_bytes(static_cast<uint64_t>(tensors.bytes)).c_str());
}

/// Empty for operators that can be computed. Importers make no nodes for the others.
std::string remark(const std::string& name, const ir::OpSet& known) {
  const bool is_rewritten =
      import_::is_symbolic_computation(name) || import_::is_rewritten_on_import(name);
  return is_rewritten || known.find(name) != nullptr ? "" : "  (no function)";
}

void print_weights(const ArchiveInfo& info) {
  print_tensors("parameters", info.parameters);
  print_tensors("buffers", info.buffers);
  print_tensors("constants", info.constants);
}

void print_signature(const ArchiveInfo& info) {
  print_leaves("inputs", info.inputs);
  print_leaves("outputs", info.outputs);
  print_list("sizes", info.symbols);
  print_list("guards", info.guards);
  print_list("written by a call", info.mutated);
}

void print_text(const StoredInfo& info) {
  std::printf("%-12s %s, PyTorch %s%s\n", "program", info.program.layout.c_str(),
              info.program.torch_version.c_str(),
              info.compiled ? (", Litz " + info.build).c_str() : "");
  const std::string exported_on = ir::to_string(info.program.devices);
  std::printf("%-12s exported on %s\n", "device",
              exported_on.empty() ? "no device" : exported_on.c_str());
  if (info.compiled) {
    const bool runs = info.reason_not_runnable.empty();
    std::printf("%-12s %s of %s for %s%s\n", "code", counted(info.kernels, "kernel").c_str(),
                human_bytes(static_cast<uint64_t>(info.code_bytes)).c_str(), info.target.c_str(),
                runs ? "" : (", does not run here: " + info.reason_not_runnable).c_str());
    std::printf("%-12s %s\n", "signature",
                info.signed_by.empty() ? "not signed" : ("signed by " + info.signed_by).c_str());
  }
  print_weights(info.program);
  if (info.packed_bytes > 0) {
    std::printf("%-12s %s, copies of weights for library calls\n", "packed",
                human_bytes(static_cast<uint64_t>(info.packed_bytes)).c_str());
  }
  print_signature(info.program);
}

void print_text(const ArchiveInfo& info, Device device) {
  std::printf("%-12s %s, PyTorch %s, schema %s, dialect %s\n", "program", info.layout.c_str(),
              info.torch_version.c_str(), info.schema_version.c_str(), info.dialect.c_str());
  if (info.models.size() > 1) {
    std::printf("%-12s %s of %s\n", "model", info.model.c_str(), join(info.models, ", ").c_str());
  }
  std::printf("%-12s %s, %s\n", "graph", counted(info.nodes, "node").c_str(),
              counted(info.child_graphs, "child graph").c_str());
  const std::string exported_on = ir::to_string(info.devices);
  std::printf("%-12s exported on %s, runs on %s\n", "device",
              exported_on.empty() ? "no device" : exported_on.c_str(), to_string(device).c_str());
  print_weights(info);
  const int64_t weights = info.parameters.bytes + info.buffers.bytes + info.constants.bytes;
  std::printf("%-12s %s of weights, at most %s of results at a time (node by node%s)\n", "memory",
              human_bytes(static_cast<uint64_t>(weights)).c_str(),
              human_bytes(static_cast<uint64_t>(info.result_bytes)).c_str(),
              info.symbols.empty() ? "" : ", at the sizes of the export");
  if (info.weights_missing) {
    std::printf("%-12s weights missing: the archive was stripped and cannot run\n", "");
  }
  print_signature(info);
  std::printf("operators\n");
  const std::shared_ptr<const ir::OpSet> known = ops::known_ops();
  for (const auto& [name, count] : by_count(info)) {
    std::printf("  %6zu  %s%s\n", count, name.c_str(), remark(name, *known).c_str());
  }
  print_list("warnings", info.warnings);
}

void write_leaves(JsonWriter& out, std::string_view key,
                  const std::vector<ArchiveInfo::Leaf>& leaves) {
  out.key(key).begin_array();
  for (const ArchiveInfo::Leaf& leaf : leaves) {
    out.begin_object().member("name", leaf.label).member("type", leaf.type).end_object();
  }
  out.end_array();
}

void write_list(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void write_tensors(JsonWriter& out, std::string_view key, const ArchiveInfo::Tensors& tensors) {
  out.key(key)
      .begin_object()
      .member("count", tensors.count)
      .member("elements", tensors.elements)
      .member("bytes", tensors.bytes)
      .end_object();
}

void write_signature(JsonWriter& out, const ArchiveInfo& info) {
  write_leaves(out, "inputs", info.inputs);
  write_leaves(out, "outputs", info.outputs);
  write_list(out, "sizes", info.symbols);
  write_list(out, "guards", info.guards);
  write_list(out, "mutated", info.mutated);
  write_tensors(out, "parameters", info.parameters);
  write_tensors(out, "buffers", info.buffers);
  write_tensors(out, "constants", info.constants);
}

void print_json(const StoredInfo& info) {
  JsonWriter out(2);
  out.begin_object()
      .member("layout", info.program.layout)
      .member("torch_version", info.program.torch_version)
      .member("exported_on", ir::to_string(info.program.devices));
  if (info.compiled) {
    out.member("build", info.build)
        .member("target", info.target)
        .member("runs_here", info.reason_not_runnable.empty())
        .member("signed_by", info.signed_by)
        .member("kernels", info.kernels)
        .member("code_bytes", info.code_bytes)
        .member("packed_bytes", info.packed_bytes);
  }
  write_signature(out, info.program);
  std::printf("%s\n", out.end_object().take().c_str());
}

void print_json(const ArchiveInfo& info, Device device) {
  JsonWriter out(2);
  out.begin_object()
      .member("layout", info.layout)
      .member("model", info.model)
      .member("torch_version", info.torch_version)
      .member("schema_version", info.schema_version)
      .member("dialect", info.dialect)
      .member("nodes", info.nodes)
      .member("child_graphs", info.child_graphs)
      .member("result_bytes", info.result_bytes)
      .member("exported_on", ir::to_string(info.devices))
      .member("device", to_string(device))
      .member("weights_missing", info.weights_missing);
  write_list(out, "models", info.models);
  write_signature(out, info);
  out.key("operators").begin_object();
  for (const auto& [name, count] : info.operators) out.member(name, count);
  out.end_object();
  write_list(out, "warnings", info.warnings);
  std::printf("%s\n", out.end_object().take().c_str());
}

}  // namespace

void add_info(CLI::App& app, int& status) {
  auto settings = std::make_shared<InfoSettings>();
  CLI::App* command = app.add_subcommand("info", "Show a program's inputs, outputs and contents");
  command
      ->add_option("model", settings->model,
                   "exported program (.pt2), compiled one, or what litz partition -o wrote")
      ->required();
  add_operators_option(*command);
  command->add_option("--model-name", settings->model_name,
                      "which model of an archive with several");
  add_device_option(*command, settings->device, kDevices);
  add_trust_option(*command, settings->trusted);
  command->add_flag("--json", settings->json, "print one JSON object");
  command->callback([settings, &status] {
    status = kSuccess;
    if (is_stored(settings->model)) {
      require(settings->device.empty() && settings->model_name.empty(),
              "--device and --model-name are about exported programs, which this is not:",
              settings->model);
      const StoredInfo info = read_stored_info(settings->model, settings->trusted);
      settings->json ? print_json(info) : print_text(info);
      return;
    }
    if (!settings->trusted.empty()) refuse_unsigned(settings->model);
    const Device device = device_option(settings->device).value_or(Device{});
    ArchiveInfo info = import_::read_archive_info(settings->model, settings->model_name);
    for (std::string& guard : info.guards) guard = runtime::in_names_of_inputs(guard, {});
    if (settings->json) {
      print_json(info, device);
    } else {
      print_text(info, device);
    }
  });
}

}  // namespace litz::tools
