#include "import/type_check.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ops/call.h"
#include "support/check.h"

namespace litz::import_ {
namespace {

// Inference asks for symbols of data-dependent sizes before it is known which were recorded. It
// gets placeholders; if a placeholder occurs alone, the recorded expression gives its meaning.
// Conversely, if inference finds an expression for a recorded symbol, such as the size of a slice
// up to a data-dependent number, the symbol is bound to that expression before the node.
class PlaceholderSymbols : public ir::InferContext {
 public:
  explicit PlaceholderSymbols(GraphImportContext& context)
      : context_(context), module_(context.module) {}

  ir::Module& module() override { return module_; }

  /// Assumes conditions that may hold; they are checked once the inputs or the data are known.
  void assume(Expr condition, const std::string& what) override {
    if (known(condition) == true) return;
    if (depends_on_data(condition)) {
      of_data_.push_back({condition, what});
      return;
    }
    const auto same = [&](const Guard& guard) { return guard.condition == condition; };
    if (std::ranges::any_of(context_.assumed_sizes, same)) return;
    context_.assumed_sizes.push_back({condition, what + ": " + to_string(condition)});
  }

  Expr data_dependent(int ordinal, Interval range) override {
    for (size_t attempt = 0;; ++attempt) {
      SymbolInfo info;
      info.name = "recorded." + std::to_string(ordinal) + "." + std::to_string(attempt);
      if (module_.exprs().find_symbol(info.name)) continue;
      info.kind = SymbolKind::data_dependent;
      info.range = range;
      const Expr symbol = module_.exprs().add_symbol(std::move(info));
      symbols_.push_back(symbol);
      return symbol;
    }
  }

  bool any() const { return !symbols_.empty(); }

  /// Accepts `recorded` as the meaning of a lone placeholder without one.
  bool learn(Expr inferred, Expr recorded) {
    if (!inferred.is_symbol()) return false;
    for (const Expr symbol : symbols_) {
      if (symbol != inferred) continue;
      for (const auto& [id, meaning] : meanings_) {
        if (id == symbol.symbol()) return meaning == recorded;
      }
      meanings_.emplace_back(symbol.symbol(), recorded);
      return true;
    }
    return false;
  }

  /// The same for an offset, which older files do not record: a symbol that the node defines shows
  /// it.
  void learn_place(Expr inferred, Expr recorded) {
    if (recorded.is_symbol() && context_.defined_by_node.contains(recorded.symbol())) {
      learn(inferred, recorded);
    }
  }

  Expr resolve(Expr inferred) const {
    return meanings_.empty() ? inferred : substitute(inferred, meanings_);
  }

  /// Binds the recorded symbol to the inferred value, if the node defines the symbol.
  void bind(Expr recorded, Expr inferred) {
    if (!recorded.is_symbol() || !context_.defined_by_node.contains(recorded.symbol())) return;
    if (!is_known_before(inferred)) return;
    const auto same = [&](const auto& bound) { return bound.first == recorded; };
    if (std::ranges::none_of(bound_, same)) bound_.emplace_back(recorded, inferred);
  }

  /// Inserts assertions about data and bindings of symbols before the node.
  void state_before(ir::Node& node) const {
    ir::Graph& graph = node.graph();
    const auto scope = graph.insert_before(&node);
    const auto stated = [&](std::string_view op, std::vector<ir::Argument> arguments,
                            std::vector<ir::ValueType> types) {
      ir::Node* made =
          graph.create_typed(*module_.ops().find(op), std::move(arguments), std::move(types));
      graph.set_location(made, node.location());
      graph.set_annotations(made, node.annotations());
      return made;
    };
    for (const Guard& guard : of_data_) {
      const Expr condition = resolve(guard.condition);
      if (known(condition) == true || !is_known_before(condition)) continue;
      if (!context_.asserted[&graph].insert(condition).second) continue;
      stated("aten._assert_scalar", {condition, guard.text}, {});
    }
    for (const auto& [symbol, value] : bound_) {
      const ir::Node* number =
          stated("aten.scalar_tensor", {value, DType::i64}, {contiguous_type(DType::i64, {}, {})});
      stated("aten.item", {number->output()}, {ir::ScalarType{ExprDomain::integer, symbol}});
    }
  }

 private:
  bool is_known_before(Expr expr) const {
    return std::ranges::all_of(free_symbols(expr), [&](SymbolId id) {
      return context_.defined.contains(id) && !context_.defined_by_node.contains(id);
    });
  }

  GraphImportContext& context_;
  ir::Module& module_;
  std::vector<Expr> symbols_;
  std::vector<std::pair<SymbolId, Expr>> meanings_;
  std::vector<Guard> of_data_;                ///< Data-dependent conditions of the node.
  std::vector<std::pair<Expr, Expr>> bound_;  ///< Symbols that the node defines, and their values.
};

bool agree(Expr inferred, Expr recorded, PlaceholderSymbols& symbols) {
  if (inferred == recorded || symbols.learn(inferred, recorded)) return true;
  return !known_not_equal(symbols.resolve(inferred), recorded);
}

// Exporters record positions and counts of distinct values in the values' dtype, distinct lines
// with wrong sizes, and sizes of bags as if the last offset started one.
constexpr std::array<std::string_view, 6> kWronglyRecorded{
    "aten._embedding_bag_forward_only", "aten._unique2",           "aten.embedding_bag",
    "aten.embedding_bag.padding_idx",   "aten.unique_consecutive", "aten.unique_dim",
};

// Up to PyTorch 2.10, LSTM states were recorded with an extra dimension, and results computed from
// them were wrong too.
bool is_wrongly_recorded(const ir::Node& node, size_t i, const TensorType& inferred,
                         const TensorType& recorded, const GraphImportContext& context) {
  if (std::ranges::binary_search(kWronglyRecorded, node.op().name())) return true;
  if (inferred.dtype != recorded.dtype) return false;
  if (context.distrust_recorded_sizes) return true;
  return node.is("aten.lstm.input") && i > 0 && recorded.rank() == inferred.rank() + 1 &&
         recorded.sizes[1].is(1);
}

void assume_equal(Expr inferred, Expr recorded, const ir::Node& node, size_t dimension,
                  PlaceholderSymbols& symbols) {
  if (inferred == recorded) return;
  symbols.assume(eq(inferred, recorded), "size " + std::to_string(dimension) + " of a result of " +
                                             std::string(node.op().name()) + " is " +
                                             to_string(recorded) + " as recorded");
}

// Tracing assumes that a free size is more than 1, so a squeeze was exported as keeping it; PyTorch
// itself drops the dimension if the size is 1.
void assume_kept_dimensions(const ir::Node& node, PlaceholderSymbols& symbols) {
  const bool all = node.is("aten.squeeze");
  if (!all && !node.is("aten.squeeze.dim") && !node.is("aten.squeeze.dims")) return;
  const ops::Call call(node);
  const Sizes& sizes = call.type("self").sizes;
  std::vector<int64_t> dims;
  if (node.is("aten.squeeze.dim")) dims = {call.dim("dim", sizes.size())};
  if (node.is("aten.squeeze.dims")) {
    dims = call.dims("dim", sizes.size(), ops::Call::WhenEmpty::none);
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool named = all || std::ranges::find(dims, static_cast<int64_t>(d)) != dims.end();
    if (!named || known_equal(sizes[d], 1)) continue;
    symbols.assume(ne(sizes[d], 1), std::string(node.op().name()) + " keeps dimension " +
                                        std::to_string(d) + " as it was exported");
  }
}

// Operands of an elementwise operator have its result's sizes, or 1. Tracing has made them equal, so other
// sizes are those of an edited file, and would be read beyond their ends.
void assume_broadcast(const ir::Node& node, const TensorType& result, PlaceholderSymbols& symbols) {
  for (const ir::Argument& argument : node.arguments()) {
    if (!argument.is_value() || !argument.value().is_tensor()) continue;
    const Sizes& sizes = argument.value().tensor().sizes;
    if (sizes.size() > result.rank()) continue;
    const size_t first = result.rank() - sizes.size();
    for (size_t d = 0; d < sizes.size(); ++d) {
      const Expr wide = symbols.resolve(result.sizes[first + d]);
      if (sizes[d] == wide || sizes[d].is(1)) continue;
      symbols.assume(
          logical_or(eq(sizes[d], wide), eq(sizes[d], 1)),
          "an operand of " + std::string(node.op().name()) + " has the sizes of its result");
    }
  }
}

bool is_empty(const TensorType& type) {
  return std::ranges::any_of(type.sizes, [](Expr size) { return size.is(0); });
}

TensorType resolved(TensorType type, const PlaceholderSymbols& symbols) {
  for (Expr& size : type.sizes) size = symbols.resolve(size);
  for (Expr& stride : type.strides) stride = symbols.resolve(stride);
  type.offset = symbols.resolve(type.offset);
  return type;
}

// Operators whose kernels keep a layout that is recorded as contiguous. Results computed from
// theirs were then also recorded with wrong layouts.
constexpr std::array<std::string_view, 1> kWronglyStrided{"aten.roll"};

// Types of views follow from their operands; other results keep their recorded strides. Offsets
// were not recorded up to PyTorch 2.8, so they are always inferred.
void adopt(const ir::Node& node, size_t i, const TensorType& inferred, TensorType recorded,
           GraphImportContext& context) {
  if (std::ranges::binary_search(kWronglyStrided, node.op().name()) &&
      inferred.strides != recorded.strides) {
    context.distrust_recorded_strides = true;
  }
  if (context.distrust_recorded_strides || ir::has(node.op().traits, ir::Trait::view)) {
    recorded.strides = inferred.strides;
  }
  recorded.offset = inferred.offset;
  node.graph().set_type(node.output(i), std::move(recorded));
}

void check_tensor(const ir::Node& node, size_t i, TensorType inferred, TensorType recorded,
                  PlaceholderSymbols& symbols, GraphImportContext& context) {
  const bool is_recast = context.distrust_recorded_dtypes && is_floating(inferred.dtype) &&
                         is_floating(recorded.dtype);
  if (is_recast && inferred.dtype != recorded.dtype) {
    recorded.dtype = inferred.dtype;
    node.graph().set_type(node.output(i), recorded);
  }
  bool same = inferred.dtype == recorded.dtype && inferred.rank() == recorded.rank() &&
              !std::ranges::binary_search(kWronglyRecorded, node.op().name());
  for (size_t k = 0; same && k < recorded.rank(); ++k) {
    same = agree(inferred.sizes[k], recorded.sizes[k], symbols);
  }
  // Empty slots of a call are recorded with arbitrary dtypes, and have no contents; recorded dtypes
  // of unread results do not matter.
  const bool is_read = context.is_read == nullptr || context.is_read(node.output(i).name());
  if (!same && ((is_empty(inferred) && is_empty(recorded)) || !is_read)) {
    node.graph().set_type(node.output(i), resolved(std::move(inferred), symbols));
    return;
  }
  if (!same && is_wrongly_recorded(node, i, inferred, recorded, context)) {
    context.distrust_recorded_sizes = true;
    for (size_t k = 0; k < std::min(inferred.rank(), recorded.rank()); ++k) {
      symbols.learn(inferred.sizes[k], recorded.sizes[k]);
    }
    node.graph().set_type(node.output(i), resolved(std::move(inferred), symbols));
    return;
  }
  require(same, ErrorCode::corrupt,
          "G10: the recorded type must be what the operator gives:", node.op().name(), "result", i,
          "recorded", recorded, "inferred", inferred);
  symbols.learn_place(inferred.offset, recorded.offset);
  inferred = resolved(std::move(inferred), symbols);
  for (size_t k = 0; k < recorded.rank(); ++k) {
    symbols.bind(recorded.sizes[k], inferred.sizes[k]);
    symbols.bind(recorded.strides[k], inferred.strides[k]);
    assume_equal(inferred.sizes[k], recorded.sizes[k], node, k, symbols);
  }
  symbols.bind(recorded.offset, inferred.offset);
  if (context.options.on_type) context.options.on_type(node, i, inferred, recorded);
  if (inferred != recorded) adopt(node, i, inferred, recorded, context);
}

}  // namespace

void check_inferred_types(ir::Node& node, GraphImportContext& context) {
  if (node.op().infer == nullptr) return;
  PlaceholderSymbols symbols(context);
  assume_kept_dimensions(node, symbols);
  const std::vector<ir::ValueType> types = node.op().infer(node.op(), node.arguments(), symbols);
  require(types.size() == node.output_count(), ErrorCode::corrupt,
          "G5: a node must have as many results as its operator:", node.op().name(), "recorded",
          node.output_count(), "inferred", types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const ir::ValueType& recorded = node.output(i).type();
    if (std::holds_alternative<ir::NoneType>(recorded)) continue;
    const auto* tensor = std::get_if<TensorType>(&types[i]);
    require((tensor != nullptr) == ir::is_tensor(recorded), ErrorCode::corrupt,
            "G5: a result must be of the recorded kind:", node.op().name(), "result", i, "recorded",
            ir::to_string(recorded), "inferred", ir::to_string(types[i]));
    if (tensor != nullptr) {
      check_tensor(node, i, *tensor, std::get<TensorType>(recorded), symbols, context);
    }
  }
  const auto* const first = types.empty() ? nullptr : std::get_if<TensorType>(&types[0]);
  if (first != nullptr && ir::has(node.op().traits, ir::Trait::pointwise)) {
    assume_broadcast(node, *first, symbols);
  }
  // Symbols of a called graph's results may be bound inside it.
  if (!ir::has(node.op().traits, ir::Trait::higher_order)) symbols.state_before(node);
}

}  // namespace litz::import_
