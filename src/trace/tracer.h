// A program under construction by calls of operators: what C++ code states when it computes with
// traced values.
//
// Tensors that the code did not get as arguments are captured: each becomes an input, so that a call
// of the finished program sees their present contents and may write them.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "ir/program.h"
#include "trace/call_sizes.h"
#include "types/tensor.h"

namespace litz::trace {

/// What an input stands for: an argument (nothing), a tensor with data, or a value of the program
/// around this one.
using Origin = std::variant<std::monostate, Tensor, ir::Value>;

class Tracer {
 public:
  /// `sizes` may be null: then all sizes are numbers. Functions that are traced inside of one another
  /// share them.
  explicit Tracer(std::shared_ptr<const ir::OpSet> ops, std::shared_ptr<CallSizes> sizes = nullptr);

  /// An input that calls give.
  ir::Value add_argument(const TensorType& type, std::string label);
  /// The input that stands for a tensor; one for all tensors with the same memory, layout and owner.
  /// An owner is what callers know of a tensor besides its elements.
  ir::Value capture(const Tensor& tensor, std::shared_ptr<void> owner = nullptr);
  /// The input that stands for a value of the program around this one.
  ir::Value capture(ir::Value outer);
  /// Says which tensors the arguments are, in their order.
  void bind_arguments(std::span<const Tensor> tensors);
  /// The results of a call. Throws Error for arguments that the operator refuses.
  std::vector<ir::Value> call(std::string_view op, std::vector<ir::Argument> arguments);

  /// Adds the nodes of a graph, with these values for its inputs, which may be null where nothing reads
  /// them, and the graphs that they call. Its sizes must be numbers or those of this trace. Returns its
  /// outputs.
  std::vector<ir::Argument> add_graph(const ir::Graph& source, std::span<const ir::Value> inputs);

  /// Adds the nodes of a program, with these values for its inputs. Its sizes must be numbers or those of
  /// this trace. Returns its outputs. Throws Error{unsupported} for sizes that depend on data.
  std::vector<ir::Argument> add_program(const ir::Program& program,
                                        std::span<const ir::Value> inputs);

  /// Adds a program as a graph that calls can name, with inputs of these types: `places` says which of
  /// them each input of the program is. Throws as add_program does.
  ir::GraphRef add_child(const ir::Program& program, std::span<const TensorType> types,
                         std::span<const size_t> places);

  ir::Graph& graph() { return program_.graph(); }

  const std::shared_ptr<CallSizes>& sizes() const { return sizes_; }

  bool is_finished() const { return program_.module == nullptr; }

  /// The program with these results. Nothing can be added afterwards. If it writes, captured tensors that
  /// share memory are views of one input, so that each sees what is written through another.
  ir::Program finish(std::vector<ir::Argument> outputs);

  /// What each input of the program stands for.
  const std::vector<Origin>& origins() const { return origins_; }

  /// The owner of each input that stands for a captured tensor; null for others.
  const std::vector<std::shared_ptr<void>>& owners() const { return owners_; }

 private:
  /// Memory, layout and owner of a tensor.
  using Place = std::tuple<const Storage*, DType, std::vector<int64_t>, std::vector<int64_t>,
                           int64_t, const void*>;

  void require_own_sizes(const ir::Program& program) const;
  std::vector<ir::Argument> copy_nodes(const ir::Graph& source, ir::Graph& target,
                                       std::span<const ir::Value> inputs);
  ir::GraphRef copy_child(const ir::Graph& source);
  ir::Value add_input(const TensorType& type, std::string label, Origin origin);
  void share_memory();
  void view_one_memory(const std::vector<size_t>& inputs);
  ir::Node* call_of_user(const ir::OpInfo& op, std::vector<ir::Argument> arguments);
  void settle_sizes(ir::Value value);

  std::shared_ptr<CallSizes> sizes_;
  ir::Program program_;
  std::vector<Origin> origins_;
  std::vector<std::shared_ptr<void>> owners_;
  std::map<Place, ir::Value> captured_;
  std::map<const ir::ValueData*, ir::Value> captured_values_;
};

/// The type of a tensor, at offset 0.
TensorType type_of(const Tensor& tensor);

}  // namespace litz::trace
