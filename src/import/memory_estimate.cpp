#include "import/memory_estimate.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "import/targets.h"
#include "ops/op_def.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::import_ {
namespace {

/// Calls `visit` with the name of every tensor of an argument.
void visit_tensors(const JsonMember& argument, const JsonPath& path,
                   const std::function<void(std::string_view)>& visit) {
  if (argument.key == "as_tensor") {
    visit(argument_name(argument.value, path));
  } else if (argument.key == "as_tensors") {
    for (const JsonValue& item : argument.value.as_array(path)) visit(argument_name(item, path));
  } else if (argument.key == "as_optional_tensors") {
    for (const JsonValue& item : argument.value.as_array(path)) {
      visit_tensors(item.as_union(path), path, visit);
    }
  } else if (argument.key == "as_optional_tensor") {
    visit_tensors(argument.value.as_union(path), path, visit);
  }
}

bool is_view(const ops::OpTable& table, std::string_view target) {
  const ir::OpInfo* op = table.find(operator_name(target));
  return op != nullptr && op->definition != nullptr &&
         std::holds_alternative<ops::View>(ops::definition(*op).impl);
}

class ResultMemory {
 public:
  ResultMemory(const ValueScope& scope, const Bindings& sizes) : scope_(scope), sizes_(sizes) {}

  void add_node(const JsonValue& node, const JsonPath& at) {
    ++step_;
    size_t source = kNone;
    for (const JsonValue& input : node.at("inputs", at).as_array(at / "inputs")) {
      visit_tensors(input.at("arg", at).as_union(at / "arg"), at, [&](std::string_view name) {
        const auto found = memories_.find(std::string(name));
        if (found == memories_.end()) return;  // An input or a weight.
        if (source == kNone) source = found->second;
        blocks_[found->second].last = step_;
      });
    }
    const bool views = is_view(*table_, node.at("target", at).as_string(at / "target"));
    for (const JsonValue& output : node.at("outputs", at).as_array(at / "outputs")) {
      visit_tensors(output.as_union(at / "outputs"), at, [&](std::string_view name) {
        if (views && source == kNone) return;
        if (!views) blocks_.push_back({bytes_of(name), step_, step_});
        memories_[std::string(name)] = views ? source : blocks_.size() - 1;
      });
    }
  }

  /// Outputs of the graph live until its end.
  void keep(std::string_view name) {
    const auto found = memories_.find(std::string(name));
    if (found != memories_.end()) blocks_[found->second].last = step_;
  }

  int64_t peak() const {
    std::vector<int64_t> changes(step_ + 2);
    for (const Block& block : blocks_) {
      changes[block.first] += block.bytes;
      changes[block.last + 1] -= block.bytes;
    }
    int64_t alive = 0;
    int64_t most = 0;
    for (const int64_t change : changes) most = std::max(most, alive += change);
    return most;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Block {
    int64_t bytes;
    size_t first;
    size_t last;
  };

  int64_t bytes_of(std::string_view name) const {
    if (!scope_.has_tensor(name)) return 0;
    try {
      const TensorType type = scope_.tensor_type(name);
      return evaluate(type.numel() * Expr(item_size(type.dtype)), sizes_);
    } catch (const Error&) {
      return 0;  // A size that depends on data.
    }
  }

  const ValueScope& scope_;
  const Bindings& sizes_;
  std::shared_ptr<const ops::OpTable> table_ = ops::standard_ops();
  size_t step_ = 0;
  std::vector<Block> blocks_;
  std::unordered_map<std::string, size_t> memories_;  ///< Block by name of a value.
};

}  // namespace

int64_t peak_of_results(const JsonValue& graph, const JsonPath& path, const ValueScope& scope,
                        const Bindings& sizes) {
  ResultMemory memory(scope, sizes);
  for (const JsonValue& node : graph.at("nodes", path).as_array(path / "nodes")) {
    memory.add_node(node, path / "nodes");
  }
  for (const JsonValue& output : graph.at("outputs", path).as_array(path / "outputs")) {
    visit_tensors(output.as_union(path / "outputs"), path,
                  [&](std::string_view name) { memory.keep(name); });
  }
  return memory.peak();
}

}  // namespace litz::import_
