#include "tiny_ops.h"

#include <map>

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "support/check.h"

namespace litz::ir {
namespace {

using Types = std::vector<ValueType>;
using Arguments = std::span<const Argument>;

const TensorType& tensor_of(const Argument& argument) { return argument.value().tensor(); }

Types like_first(const OpInfo&, Arguments arguments, InferContext&) {
  const TensorType& self = tensor_of(arguments[0]);
  return {contiguous_type(self.dtype, self.sizes, self.device)};
}

Types infer_mm(const OpInfo&, Arguments arguments, InferContext&) {
  const TensorType& a = tensor_of(arguments[0]);
  const TensorType& b = tensor_of(arguments[1]);
  require(a.rank() == 2 && b.rank() == 2, "mm takes matrices:", a, b);
  return {contiguous_type(a.dtype, {a.sizes[0], b.sizes[1]}, a.device)};
}

Types infer_std_mean(const OpInfo&, Arguments arguments, InferContext&) {
  const ValueType scalar = contiguous_type(tensor_of(arguments[0]).dtype, {});
  return {scalar, scalar};
}

Types infer_permute(const OpInfo&, Arguments arguments, InferContext&) {
  const TensorType& self = tensor_of(arguments[0]);
  const auto& dims = std::get<Scalars>(arguments[1].attribute());
  require(dims.size() == self.rank(), "permute needs every dimension:", self);
  TensorType type = self;
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto dim = static_cast<size_t>(dims[i].constant());
    require(dim < self.rank(), "permute dimensions must be in range:", dim);
    type.sizes[i] = self.sizes[dim];
    type.strides[i] = self.strides[dim];
  }
  return {type};
}

Types infer_cat(const OpInfo&, Arguments arguments, InferContext&) {
  require(!arguments[0].values().empty(), "cat needs a tensor");
  TensorType type = arguments[0].values()[0].tensor();
  Expr rows = 0;
  for (const Value value : arguments[0].values()) rows = rows + value.tensor().sizes.at(0);
  type.sizes.at(0) = rows;
  return {contiguous_type(type.dtype, type.sizes)};
}

Types infer_split(const OpInfo&, Arguments arguments, InferContext&) {
  const TensorType& self = tensor_of(arguments[0]);
  const int64_t size = std::get<Expr>(arguments[1].attribute()).constant();
  Types types;
  for (int64_t begin = 0; begin < self.sizes.at(0).constant(); begin += size) {
    TensorType part = self;
    part.sizes[0] = size;
    part.offset = self.strides[0] * begin;
    types.emplace_back(part);
  }
  return types;
}

Types infer_rand(const OpInfo&, Arguments arguments, InferContext&) {
  return {contiguous_type(DType::f32, std::get<Scalars>(arguments[0].attribute()))};
}

Types infer_item(const OpInfo&, Arguments, InferContext& context) {
  return {ScalarType{ExprDomain::integer, context.data_dependent(0, {})}};
}

Types infer_nonzero(const OpInfo&, Arguments arguments, InferContext& context) {
  const Expr count = context.data_dependent(0, {0, Interval::kMax});
  return {
      contiguous_type(DType::i64, {count, static_cast<int64_t>(tensor_of(arguments[0]).rank())})};
}

Types infer_call(const OpInfo&, Arguments arguments, InferContext& context) {
  const Graph& child = context.module().graph(std::get<GraphRef>(arguments[0].attribute()));
  Types types;
  for (const Argument& output : child.outputs()) types.push_back(output.value().type());
  return types;
}

Types like_all(const OpInfo&, Arguments arguments, InferContext&) {
  Types types;
  for (const Value value : arguments[0].values()) types.push_back(value.type());
  return types;
}

Types infer_to(const OpInfo&, Arguments arguments, InferContext&) {
  TensorType type = tensor_of(arguments[0]);
  type.dtype = std::get<DType>(arguments[1].attribute());
  return {type};
}

std::vector<Effect> gives_away(const OpInfo&, Arguments) {
  return {{EffectKind::read, 0}, {EffectKind::free, 0}};
}

constexpr Trait kStart = Trait::collective_start;
constexpr Trait kWait = Trait::collective_wait;

struct TinyOp {
  SchemaText schema;
  InferFn infer = nullptr;
  Trait traits = Trait::none;
  EffectsFn effects = nullptr;
};

constexpr TinyOp kOps[] = {
    {"_c10d_functional.all_reduce(Tensor input, str reduce_op, str group_name) -> Tensor",
     like_first, kStart},
    {"_c10d_functional.all_reduce_(Tensor(a!) input, str reduce_op, str group_name) -> Tensor(a!)",
     like_first, kStart},
    {"_c10d_functional.all_reduce_coalesced(Tensor[] inputs, str reduce_op, str group_name) -> "
     "Tensor[]",
     like_all, kStart},
    {"_c10d_functional.wait_tensor(Tensor(a) tensor) -> Tensor(a)", like_first, kWait},
    {"aten._assert_scalar(Scalar self, str assert_msg) -> ()", nullptr, Trait::side_effect},
    {"aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", like_first},
    {"aten.add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
     like_first},
    {"aten.add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
     like_first},
    {"aten.avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, "
     "bool ceil_mode=False) -> Tensor"},
    {"aten.cat(Tensor[] tensors, int dim=0) -> Tensor", infer_cat},
    {"aten.clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", like_first},
    {"aten.contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> "
     "Tensor(a)"},
    {"aten.gelu(Tensor self, str approximate='none') -> Tensor", like_first},
    {"aten.index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"},
    {"aten.item(Tensor self) -> Scalar", infer_item, Trait::data_dependent},
    {"aten.mm(Tensor self, Tensor mat2) -> Tensor", infer_mm},
    {"aten.nonzero(Tensor self) -> Tensor", infer_nonzero, Trait::data_dependent},
    {"aten.permute(Tensor(a) self, int[] dims) -> Tensor(a)", infer_permute, Trait::view},
    {"aten.rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
     "device=None, bool? pin_memory=None) -> Tensor",
     infer_rand, Trait::random},
    {"aten.relu(Tensor self) -> Tensor", like_first, Trait::pointwise},
    {"aten.split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
     infer_split, Trait::view},
    {"aten.to.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)", infer_to},
    {"aten.std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", infer_std_mean},
    {"c10d.all_reduce(Tensor self) -> Tensor", like_first, Trait::side_effect},
    {"higher_order.call(Graph body, Any[] operands) -> Any[]", infer_call, Trait::higher_order},
    {"test.attributes(Any a=None, Any b=None, Scalar? s=None, float f=0.5, float[]? fs=None, "
     "bool[3] m=False, str[] names=[], ScalarType? dtype=None, Device? device=None, Layout? "
     "layout=None, MemoryFormat? format=None, Op? op=None, int n=0, Tensor? t=None) -> ()",
     nullptr, Trait::side_effect},
    {"test.consume(Tensor self) -> Tensor", like_first, Trait::none, gives_away},
    {"test.either(Tensor(a) self, Tensor(a) other) -> Tensor(a)", like_first},
};

class TinyOps : public OpSet {
 public:
  TinyOps() {
    for (const TinyOp& op : kOps) {
      OpInfo info{.schema = parse_schema(op.schema.text()),
                  .traits = op.traits,
                  .infer = op.infer,
                  .effects = op.effects};
      const std::string name = info.schema.name;
      ops_.emplace(name, std::move(info));
    }
    for (const auto& [name, op] : ops_) sorted_.push_back(&op);
  }

  const OpInfo* find(std::string_view name) const override {
    const auto found = ops_.find(name);
    return found == ops_.end() ? nullptr : &found->second;
  }

  std::vector<std::string> suggestions(std::string_view name) const override {
    std::vector<std::string> names;
    for (const auto& [known, op] : ops_) {
      if (known.substr(0, 6) == name.substr(0, 6) && names.size() < 3) names.push_back(known);
    }
    return names;
  }

  std::span<const OpInfo* const> all() const override { return sorted_; }

 private:
  std::map<std::string, OpInfo, std::less<>> ops_;
  std::vector<const OpInfo*> sorted_;
};

}  // namespace

std::shared_ptr<const OpSet> tiny_ops() {
  static const std::shared_ptr<const OpSet> ops = std::make_shared<TinyOps>();
  return ops;
}

ValueType f32(Sizes sizes) { return contiguous_type(DType::f32, std::move(sizes)); }

std::unique_ptr<Module> module_of(std::string_view text) {
  ParseResult result = parse_module(text, tiny_ops());
  for (const Diagnostic& error : result.errors) ADD_FAILURE() << error.to_string();
  return std::move(result.module);
}

Graph& graph_of(const Module& module, std::string_view name) {
  Graph* graph = module.find_graph(name);
  check(graph != nullptr, "a tested graph must exist:", name);
  return *graph;
}

}  // namespace litz::ir
