// Any text either parses or is refused with diagnostics; what parses prints to a text that reads
// back to the same text, and passes over verified modules never break an invariant.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph_tools/drawing.h"
#include "graph_tools/fx_printer.h"
#include "ir/child_graphs.h"
#include "ir/dead_code.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "support/check.h"

namespace {

using litz::ir::OpInfo;

void expect(bool condition) {
  if (!condition) std::abort();
}

std::vector<litz::ir::ValueType> like_first(const OpInfo&,
                                            std::span<const litz::ir::Argument> arguments,
                                            litz::ir::InferContext&) {
  litz::require(arguments[0].is_value() && arguments[0].value().is_tensor(), "a tensor is needed");
  return {arguments[0].value().type()};
}

// One operator per kind of argument, so that texts can reach every branch.
class FuzzOps : public litz::ir::OpSet {
 public:
  FuzzOps() {
    for (const char* schema : {
             "t.one(Tensor self, Tensor? other=None, *, Scalar alpha=1) -> Tensor",
             "t.write(Tensor(a!) self, int[2] n=0) -> Tensor(a!)",
             "t.list(Tensor[] xs, Tensor?[] ys=[]) -> Tensor[]",
             "t.call(Graph body, Any[] operands) -> Any[]",
             "t.all(Any a=None, float f=0.5, float[]? fs=None, bool[3] m=False, str[] names=[], "
             "ScalarType? dtype=None, Device? device=None, Layout? layout=None, MemoryFormat? "
             "format=None, Op? op=None, int n=0, str s='x') -> ()",
         }) {
      OpInfo op{.schema = litz::ir::parse_schema(schema)};
      if (op.schema.name == "t.one" || op.schema.name == "t.write") op.infer = like_first;
      ops_.emplace(op.schema.name, op);
    }
    for (const auto& [name, op] : ops_) all_.push_back(&op);
  }

  const OpInfo* find(std::string_view name) const override {
    const auto found = ops_.find(name);
    return found == ops_.end() ? nullptr : &found->second;
  }

  std::span<const OpInfo* const> all() const override { return all_; }

  std::vector<std::string> suggestions(std::string_view) const override { return {"t.one"}; }

 private:
  std::map<std::string, OpInfo, std::less<>> ops_;
  std::vector<const OpInfo*> all_;
};

void exercise(litz::ir::Module& module) {
  const std::vector<litz::ir::Graph*> graphs = module.graphs();
  for (litz::ir::Graph* graph : graphs) {
    litz::ir::fx_text(*graph);
    litz::ir::program_text(*graph);
    litz::ir::dot(*graph);
    const litz::ir::Graph& copy = litz::ir::clone_graph(*graph, "copy");
    expect(litz::ir::structurally_equal(*graph, copy));
    graph->begin_transaction();
    const std::string text = to_string(*graph);
    litz::ir::eliminate_dead_code(*graph, {.keep = {}, .child_graphs = false});
    litz::ir::verify(*graph);
    graph->rollback_transaction();
    expect(to_string(*graph) == text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1 << 16) return 0;
  static const auto ops = std::make_shared<const FuzzOps>();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const litz::ir::ParseResult parsed = litz::ir::parse_module(text, ops);
  for (const auto& error : parsed.errors) error.to_string("fuzz");
  if (!parsed.ok()) return 0;
  const std::string printed = to_string(*parsed.module);
  const litz::ir::ParseResult again = litz::ir::parse_module(printed, ops);
  expect(again.ok());
  expect(to_string(*again.module) == printed);
  if (!litz::ir::verification_errors(*parsed.module).empty()) return 0;
  exercise(*parsed.module);
  return 0;
}
