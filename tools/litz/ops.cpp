// litz ops: the operators that programs may call, as a list, as JSON and as docs/ops.md.

#include <algorithm>
#include <cstdio>
#include <memory>

#include "litz/commands.h"
#include "litz/ops_header.h"
#include "ops/gradients/gradient_table.h"
#include "ops/op_table.h"
#include "ops/samples.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

// One dtype represents each kind.
struct DTypeKind {
  std::string_view name;
  std::vector<DType> dtypes;
};

const std::vector<DTypeKind>& dtype_kinds() {
  static const std::vector<DTypeKind> kinds{
      {"float", {DType::f32, DType::f64}},
      {"half", {DType::f16, DType::bf16}},
      {"float8", {DType::f8e4m3fn}},
      {"int", {DType::i64, DType::i32, DType::u8}},
      {"bool", {DType::bool_}},
      {"complex", {DType::c64}},
  };
  return kinds;
}

// The dtype of the first tensor of a sample call; nullopt if it has none.
std::optional<std::string> first_dtype(std::string_view text) {
  for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    size_t begin = at;
    while (begin > 0 && std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
    const std::string_view word = text.substr(begin, at - begin);
    if (parse_dtype(word)) return std::string(word);
  }
  return std::nullopt;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool has_types(const ir::OpInfo& op, const std::string& call,
               const std::shared_ptr<const ops::OpTable>& table) {
  try {
    ir::Module module(table);
    ir::Graph& graph = module.add_graph("main");
    graph.create(op, ops::parse_sample(op, call, graph).arguments);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The kinds of dtypes that the operator also accepts besides those of its samples, by its type
/// rules.
std::vector<std::string_view> taken_kinds(const ir::OpInfo& op,
                                          const std::shared_ptr<const ops::OpTable>& table) {
  const std::vector<std::string> samples = ops::sample_texts(op);
  const auto takes = [&](DType dtype) {
    return std::ranges::any_of(samples, [&](const std::string& call) {
      const std::optional<std::string> first = first_dtype(call);
      if (!first) return false;
      return has_types(op, replaced(call, *first + "[", std::string(name(dtype)) + "["), table);
    });
  };
  std::vector<std::string_view> kinds;
  for (const DTypeKind& kind : dtype_kinds()) {
    if (std::ranges::any_of(kind.dtypes, takes)) kinds.push_back(kind.name);
  }
  return kinds;
}

std::string how(const ops::OpDef& op) {
  struct Name {
    std::string operator()(const ops::Pointwise&) const { return "pointwise"; }

    std::string operator()(const ops::Reduction&) const { return "reduction"; }

    std::string operator()(const ops::LoopNest&) const { return "loops"; }

    std::string operator()(const ops::Decompose&) const { return "other operators"; }

    std::string operator()(const ops::Library& call) const {
      return "library: " + std::string(call.function);
    }

    std::string operator()(const ops::View&) const { return "view"; }

    std::string operator()(const ops::Structural&) const { return "structural"; }
  };

  return std::visit(Name{}, op.impl);
}

std::vector<std::string_view> notes(const ir::OpInfo& op) {
  std::vector<std::string_view> words;
  if (ir::has(op.traits, ir::Trait::random)) words.emplace_back("random numbers of its own");
  if (ir::has(op.traits, ir::Trait::data_dependent))
    words.emplace_back("sizes or numbers from data");
  if (ir::has(op.traits, ir::Trait::side_effect)) words.emplace_back("checks");
  if (ir::has(op.traits, ir::Trait::higher_order)) words.emplace_back("calls graphs");
  return words;
}

/// How a loss is differentiated through the operator; empty where only integers come out.
std::string gradient(const ir::OpInfo& op) {
  const bool is_defined = std::holds_alternative<ops::Decompose>(ops::definition(op).impl);
  const ops::Gradient* row = ops::find_gradient(op.name());
  if (row == nullptr) return is_defined ? "of its definition" : "";
  switch (row->kind) {
    case ops::GradientKind::formula:
      return "yes";
    case ops::GradientKind::constant:
      return "constant";
    case ops::GradientKind::undefined:
      return "undefined";
  }
  return "";
}

/// An operator, and whether its table also has the in-place form.
struct Row {
  const ir::OpInfo* op = nullptr;
  bool in_place = false;
};

std::vector<Row> rows(const ops::OpTable& table, const std::string& pattern) {
  std::vector<Row> list;
  for (const ir::OpInfo* op : table.all()) {
    if (ops::functional_form(*op) != nullptr) continue;
    if (op->name().find(pattern) == std::string_view::npos) continue;
    list.push_back({op, ops::definition(*op).inplace});
  }
  return list;
}

std::string cell(std::string_view text) { return replaced(std::string(text), "|", "\\|"); }

void print_markdown(const std::vector<Row>& list,
                    const std::shared_ptr<const ops::OpTable>& table) {
  std::printf(
      "# Operators\n\n"
      "Written by `litz ops --markdown`; a test checks that it is current. %zu overloads, and %zu\n"
      "in-place forms. Each sample call of each overload is compared with what PyTorch gives for\n"
      "it, interpreted, compiled and read back from print (`tests/data/calls`).\n\n"
      "- computed by: one element from one of each argument (pointwise), from some along "
      "dimensions\n"
      "  (reduction), by any loops, from other operators, by a library call, as a view of the "
      "same\n"
      "  storage, or by the importer and the executor (structural)\n"
      "- gradient: by a formula (yes) or that of its definition; a loss does not depend on the\n"
      "  operands through a constant, and is refused where PyTorch has no derivative (undefined)\n"
      "- dtypes: kinds that its type rules take for the tensors of its samples\n\n"
      "| operator | in place | computed by | gradient | dtypes | notes | gives |\n"
      "|---|---|---|---|---|---|---|\n",
      list.size(), static_cast<size_t>(std::ranges::count_if(list, [](const Row& row) {
        return row.in_place;
      })));
  for (const Row& row : list) {
    const ops::OpDef& op = ops::definition(*row.op);
    std::printf("| `%s` | %s | %s | %s | %s | %s | %s |\n", std::string(row.op->name()).c_str(),
                row.in_place ? "yes" : "", how(op).c_str(), gradient(*row.op).c_str(),
                join(taken_kinds(*row.op, table), ", ").c_str(), join(notes(*row.op), ", ").c_str(),
                cell(op.doc).c_str());
  }
}

void print_json(const std::vector<Row>& list, const std::shared_ptr<const ops::OpTable>& table) {
  JsonWriter out(1);
  out.begin_array();
  for (const Row& row : list) {
    const ops::OpDef& op = ops::definition(*row.op);
    out.begin_object()
        .member("name", row.op->name())
        .member("schema", ir::to_string(row.op->schema))
        .member("doc", op.doc)
        .member("in_place", row.in_place)
        .member("computed_by", how(op))
        .member("gradient", gradient(*row.op));
    out.key("dtypes").begin_array();
    for (const std::string_view kind : taken_kinds(*row.op, table)) out.value(kind);
    out.end_array().key("notes").begin_array();
    for (const std::string_view note : notes(*row.op)) out.value(note);
    out.end_array().end_object();
  }
  std::printf("%s\n", out.end_array().take().c_str());
}

void print_text(const std::vector<Row>& list, const std::shared_ptr<const ops::OpTable>& table) {
  constexpr size_t kMostInFull = 20;
  for (const Row& row : list) {
    const ops::OpDef& op = ops::definition(*row.op);
    if (list.size() > kMostInFull) {
      std::printf("%-48s %s\n", std::string(row.op->name()).c_str(), std::string(op.doc).c_str());
      continue;
    }
    std::printf("%s\n  %s\n  computed by %s; dtypes %s%s\n", ir::to_string(row.op->schema).c_str(),
                std::string(op.doc).c_str(), how(op).c_str(),
                join(taken_kinds(*row.op, table), ", ").c_str(),
                row.in_place ? "; has an in-place form" : "");
  }
}

struct Settings {
  std::string pattern;
  bool json = false;
  bool markdown = false;
  bool header = false;
};

int list_operators(const Settings& settings) {
  const std::shared_ptr<const ops::OpTable> table = ops::standard_ops();
  if (settings.header) {
    print_ops_header(*table);
    return kSuccess;
  }
  const std::vector<Row> list = rows(*table, settings.pattern);
  require(!list.empty(), ErrorCode::invalid_argument, "no operator's name contains",
          quote(settings.pattern));
  if (settings.json) {
    print_json(list, table);
  } else if (settings.markdown) {
    print_markdown(list, table);
  } else {
    print_text(list, table);
  }
  return kSuccess;
}

}  // namespace

void add_ops(CLI::App& app, int& status) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand("ops", "List the operators that programs may call");
  command->add_option("pattern", settings->pattern, "only operators whose name contains this");
  CLI::Option* const json = command->add_flag("--json", settings->json, "print one JSON array");
  CLI::Option* const markdown =
      command->add_flag("--markdown", settings->markdown, "print docs/ops.md")->excludes(json);
  command->add_flag("--header", settings->header, "print include/litz/ops.h")
      ->excludes(json)
      ->excludes(markdown);
  command->callback([settings, &status] { status = list_operators(*settings); });
}

}  // namespace litz::tools
