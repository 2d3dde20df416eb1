// Operators of litz/custom_op.h: tables of litz/operators.h that call C++ functions.

#include <exception>
#include <memory>

#include "compiler/api/operator_calls.h"
#include "compiler/operator_library.h"
#include "litz/operators.h"
#include "schema/spelled_names.h"
#include "support/check.h"
#include "types/lent_tensor.h"

// After the library's own names.
#include "compiler/api/public_support.h"
#include "litz/custom_op.h"

namespace litz {
inline namespace v1 {
namespace {

/// What a table of one operator points to. Lives until the process ends.
struct Registered {
  std::string schema;
  CustomFunction run;
  CustomOpOptions options;
  litz_operator op = {};
  litz_operator_library library = {};
};

int32_t answer(const litz_call* call, const CustomFunction& function) {
  try {
    function(CustomCall(*call));
    return 0;
  } catch (const std::exception& error) {
    return call->fail(call, "%s", error.what());
  }
}

int32_t run(const litz_call* call) {
  return answer(call, static_cast<const Registered*>(call->user_data)->run);
}

int32_t result_types(const litz_call* call) {
  return answer(call, static_cast<const Registered*>(call->user_data)->options.result_types);
}

uint32_t flags_of(const CustomOpOptions& options) {
  uint32_t flags = 0;
  if (options.is_random) flags |= LITZ_OPERATOR_RANDOM;
  if (options.unsafe_to_capture) flags |= LITZ_OPERATOR_UNSAFE_CAPTURE;
  if (options.has_effects) flags |= LITZ_OPERATOR_HAS_EFFECTS;
  if (!options.thread_safe) flags |= LITZ_OPERATOR_NOT_THREAD_SAFE;
  if (options.row_major) flags |= LITZ_OPERATOR_CONTIGUOUS;
  return flags;
}

std::vector<int64_t> list_of(const int64_t* numbers, int32_t count) {
  return {numbers, numbers + count};
}

Tensor tensor_over(const litz_tensor& tensor) {
  require(tensor.dtype >= 0, OwnErrorCode::invalid_argument, "a tensor of the list is None");
  return TensorAccess::shown(lent_tensor(static_cast<OwnDType>(tensor.dtype),
                                         list_of(tensor.sizes, tensor.rank),
                                         list_of(tensor.strides, tensor.rank), tensor.data));
}

const litz_argument& argument_of(const litz_call& call, size_t i, litz_kind kind,
                                 const char* what) {
  require(i < static_cast<size_t>(call.argument_count), OwnErrorCode::invalid_argument,
          "an operator has no argument", i);
  const litz_argument& argument = call.arguments[i];
  require(argument.kind == kind, OwnErrorCode::invalid_argument, "argument", i,
          "of an operator is not", what);
  return argument;
}

const litz_tensor& tensor_argument(const litz_call& call, size_t i) {
  return argument_of(call, i, LITZ_KIND_TENSOR, "a tensor").value.tensor;
}

}  // namespace

bool CustomCall::has(size_t i) const {
  return i < static_cast<size_t>(call_->argument_count) &&
         call_->arguments[i].kind != LITZ_KIND_NONE;
}

Tensor CustomCall::tensor(size_t i) const {
  return raising([&] { return tensor_over(tensor_argument(*call_, i)); });
}

std::vector<Tensor> CustomCall::tensors(size_t i) const {
  return raising([&] {
    const litz_argument& list = argument_of(*call_, i, LITZ_KIND_TENSORS, "a list of tensors");
    std::vector<Tensor> tensors;
    for (int64_t k = 0; k < list.count; ++k) tensors.push_back(tensor_over(list.value.tensors[k]));
    return tensors;
  });
}

DType CustomCall::dtype(size_t i) const {
  return raising([&] { return static_cast<DType>(tensor_argument(*call_, i).dtype); });
}

std::vector<int64_t> CustomCall::sizes(size_t i) const {
  return raising([&] {
    const litz_tensor& tensor = tensor_argument(*call_, i);
    return list_of(tensor.sizes, tensor.rank);
  });
}

int64_t CustomCall::integer(size_t i) const {
  return raising([&] { return argument_of(*call_, i, LITZ_KIND_INT, "an integer").value.integer; });
}

std::vector<int64_t> CustomCall::integers(size_t i) const {
  return raising([&] {
    const litz_argument& list = argument_of(*call_, i, LITZ_KIND_INTS, "a list of integers");
    return list_of(list.value.integers, static_cast<int32_t>(list.count));
  });
}

double CustomCall::real(size_t i) const {
  if (has(i) && call_->arguments[i].kind == LITZ_KIND_INT) return static_cast<double>(integer(i));
  return raising([&] { return argument_of(*call_, i, LITZ_KIND_FLOAT, "a number").value.real; });
}

bool CustomCall::flag(size_t i) const {
  return raising(
      [&] { return argument_of(*call_, i, LITZ_KIND_BOOL, "a bool").value.boolean != 0; });
}

std::string_view CustomCall::text(size_t i) const {
  return raising([&]() -> std::string_view {
    const litz_argument& text = argument_of(*call_, i, LITZ_KIND_STRING, "a text");
    return {text.value.string, static_cast<size_t>(text.count)};
  });
}

Tensor CustomCall::result(size_t i) const {
  return raising([&] {
    require(i < static_cast<size_t>(call_->result_count) && call_->results != nullptr &&
                (call_->results[i].data != nullptr || call_->results[i].rank > 0),
            OwnErrorCode::invalid_argument, "an operator has no memory for result", i,
            "- results whose sizes depend on data are made by make_result");
    return tensor_over(call_->results[i]);
  });
}

Tensor CustomCall::make_result(size_t i, DType dtype, const std::vector<int64_t>& sizes) const {
  set_type(i, dtype, sizes);
  return result(i);
}

uint64_t CustomCall::seed() const { return call_->seed; }

void CustomCall::set_type(size_t i, DType dtype, const std::vector<int64_t>& sizes) const {
  raising([&] {
    const int32_t status =
        call_->set_result(call_, static_cast<int32_t>(i), static_cast<int32_t>(dtype),
                          static_cast<int32_t>(sizes.size()), sizes.data());
    require(status == 0, OwnErrorCode::invalid_argument, "an operator cannot have this result:", i);
  });
}

std::vector<Tensor> CustomOp::call(std::initializer_list<detail::Argument> arguments) const {
  return detail::call(name_, arguments);
}

CustomOp custom_op(const std::string& schema, CustomFunction run_function,
                   CustomOpOptions options) {
  return raising([&] {
    auto registered = std::make_unique<Registered>(
        Registered{schema, std::move(run_function), std::move(options)});
    litz_operator& op = registered->op;
    op.schema = registered->schema.c_str();
    if (registered->run) op.run = run;
    if (registered->options.result_types) op.result_types = result_types;
    if (!registered->options.results_like.empty()) {
      op.results_like = registered->options.results_like.c_str();
    }
    op.flags = flags_of(registered->options);
    op.user_data = registered.get();
    registered->library = {LITZ_OPERATORS_ABI, sizeof(litz_operator), 1, &op};
    compiler::register_operators(registered->library, "this program");
    const Registered& kept = *registered.release();
    return CustomOp(ir::parse_spelled_schema(kept.op.schema).name);
  });
}

}  // namespace v1
}  // namespace litz
