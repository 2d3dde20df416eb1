// Runs single operators in tests: infers types, builds kernels, decomposes, interprets, calls the
// library.

#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "ops/op_table.h"
#include "types/tensor.h"

namespace litz::ops {

/// An argument of a test call: a tensor, a list of tensors, or any attribute.
using TestArgument = std::variant<Tensor, std::vector<Tensor>, ir::Attribute>;

/// The table that all tests share.
const std::shared_ptr<const OpTable>& test_ops();

/// Evaluates nodes of one graph on demand.
class GraphRunner {
 public:
  GraphRunner();

  ir::Graph& graph() { return *graph_; }

  ir::Value add_input(const Tensor& tensor);
  void bind(ir::Value value, const Tensor& tensor);

  void bind(SymbolId symbol, int64_t value) { bindings_.set(symbol, value); }

  const Bindings& bindings() const { return bindings_; }

  /// A node that makes a sample call (ops/samples.h). The n-th input is filled with seed n.
  ir::Node& add_sample(const ir::OpInfo& op, std::string_view text);
  /// All tensor results of a sample call.
  std::vector<Tensor> run_sample(const ir::OpInfo& op, std::string_view text);

  /// Throws Error{unsupported} for structural operators other than reading a number.
  Tensor evaluate(ir::Value value);

 private:
  void run(ir::Node& node);
  void run_kernel(ir::Node& node, const Call& call);
  void run_library(ir::Node& node, std::string_view function);
  void run_decomposition(const ir::Node& node, const Call& call, const Decompose& decompose);
  void read_number(ir::Node& node);
  bool is_evaluated(const ir::Node& node) const;
  Tensor tensor_of(const TensorType& type);
  /// Binds the symbols that are sizes of a tensor whose type has just been made.
  void bind_sizes(const TensorType& type, const Tensor& tensor);

  ir::Module module_;
  ir::Graph* graph_;
  Bindings bindings_;
  std::map<const void*, Tensor> values_;
};

/// All tensor results of one call; arguments in schema order, trailing defaults left out.
std::vector<Tensor> run_all(std::string_view op, const std::vector<TestArgument>& arguments);
/// The first result.
Tensor run(std::string_view op, const std::vector<TestArgument>& arguments);
/// The types that the call is inferred to have.
std::vector<ir::ValueType> infer(std::string_view op, const std::vector<TestArgument>& arguments);

/// Short forms for test arguments.
Tensor f32(std::vector<int64_t> sizes, std::initializer_list<float> values);
Tensor i64(std::vector<int64_t> sizes, std::initializer_list<int64_t> values);
TestArgument number(double value);
TestArgument integer(int64_t value);
TestArgument boolean(bool value);
TestArgument text(std::string value);
TestArgument none();
TestArgument integers(std::vector<int64_t> values);

/// Values in row-major order.
std::vector<double> values(const Tensor& tensor);

}  // namespace litz::ops
