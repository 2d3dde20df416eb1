#include "user_test_operators.h"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace litz::compiler {
namespace {

int logged_calls = 0;

const litz_tensor& tensor(const litz_call* call, int i) { return call->arguments[i].value.tensor; }

/// By row-major position, of ranks up to 2.
float& element(const litz_tensor& of, int64_t i) {
  auto* data = static_cast<float*>(of.data);
  if (of.rank == 0) return *data;
  if (of.rank == 1) return data[i * of.strides[0]];
  return data[i / of.sizes[1] * of.strides[0] + i % of.sizes[1] * of.strides[1]];
}

int64_t count(const litz_tensor& of) {
  int64_t elements = 1;
  for (int32_t d = 0; d < of.rank; ++d) elements *= of.sizes[d];
  return elements;
}

int32_t twice(const litz_call* call) {
  for (int64_t i = 0; i < count(tensor(call, 0)); ++i) {
    element(call->results[0], i) = 2 * element(tensor(call, 0), i);
  }
  return 0;
}

int32_t add_to(const litz_call* call) {
  for (int64_t i = 0; i < count(tensor(call, 0)); ++i) {
    element(tensor(call, 0), i) += static_cast<float>(call->arguments[1].value.real);
  }
  element(call->results[0], 0) = element(tensor(call, 0), 0);
  return 0;
}

int32_t add_to_all(const litz_call* call) {
  const litz_argument& list = call->arguments[0];
  for (int64_t k = 0; k < list.count; ++k) {
    for (int64_t i = 0; i < count(list.value.tensors[k]); ++i) {
      element(list.value.tensors[k], i) += static_cast<float>(k + 1);
    }
  }
  return 0;
}

int32_t positive(const litz_call* call) {
  std::vector<float> found;
  for (int64_t i = 0; i < count(tensor(call, 0)); ++i) {
    if (element(tensor(call, 0), i) > 0) found.push_back(element(tensor(call, 0), i));
  }
  const auto size = static_cast<int64_t>(found.size());
  if (call->set_result(call, 0, LITZ_FLOAT32, 1, &size) != 0) return 1;
  for (int64_t i = 0; i < size; ++i) element(call->results[0], i) = found[static_cast<size_t>(i)];
  return 0;
}

int32_t how_many(const litz_call* call) {
  int64_t found = 0;
  for (int64_t i = 0; i < count(tensor(call, 0)); ++i) found += element(tensor(call, 0), i) > 0;
  *static_cast<int64_t*>(call->results[0].data) = found;
  return 0;
}

int32_t rows(const litz_call* call) {
  if (call->result_count != tensor(call, 0).sizes[0]) return call->fail(call, "one result a row");
  for (int32_t r = 0; r < call->result_count; ++r) {
    for (int64_t i = 0; i < count(call->results[r]); ++i) {
      element(call->results[r], i) = element(tensor(call, 0), r * count(call->results[r]) + i);
    }
  }
  return 0;
}

int32_t rows_and_count(const litz_call* call) {
  const litz_tensor& count = call->results[call->result_count - 1];
  *static_cast<int64_t*>(count.data) = call->result_count - 1;
  return 0;
}

int32_t row_types(const litz_call* call) {
  const litz_tensor& x = tensor(call, 0);
  if (x.data != nullptr) return call->fail(call, "types are asked for without data");
  for (int32_t r = 0; r < call->result_count; ++r) {
    if (call->set_result(call, r, x.dtype, 1, x.sizes + 1) != 0) return 1;
  }
  return 0;
}

int32_t log_call(const litz_call* /*call*/) {
  ++logged_calls;
  return 0;
}

int32_t draw(const litz_call* call) {
  for (int64_t i = 0; i < count(call->results[0]); ++i) {
    element(call->results[0], i) = static_cast<float>(call->seed % 1000003);
  }
  return 0;
}

int32_t check_rows(const litz_call* call) {
  const litz_tensor& x = tensor(call, 0);
  const litz_tensor& y = call->results[0];
  if (x.strides[1] != 1 || y.strides[1] != 1) return call->fail(call, "rows must be dense");
  return twice(call);
}

#define EXPECT_ARGUMENT(holds) \
  if (!(holds)) return call->fail(call, "%s", #holds)

int32_t take_all(const litz_call* call) {
  const litz_argument* a = call->arguments;
  EXPECT_ARGUMENT(call->argument_count == 18);
  EXPECT_ARGUMENT(a[0].kind == LITZ_KIND_TENSOR && a[0].value.tensor.dtype == LITZ_FLOAT32);
  EXPECT_ARGUMENT(a[1].kind == LITZ_KIND_NONE);
  EXPECT_ARGUMENT(a[2].kind == LITZ_KIND_TENSORS && a[2].count == 2);
  EXPECT_ARGUMENT(a[3].kind == LITZ_KIND_TENSORS && a[3].count == 2);
  EXPECT_ARGUMENT(a[3].value.tensors[0].dtype == LITZ_NO_TENSOR);
  EXPECT_ARGUMENT(a[3].value.tensors[1].dtype == LITZ_FLOAT32);
  EXPECT_ARGUMENT(a[4].kind == LITZ_KIND_INT && a[4].value.integer == 3);
  EXPECT_ARGUMENT(a[5].kind == LITZ_KIND_FLOAT && a[5].value.real == 0.5);
  EXPECT_ARGUMENT(a[6].kind == LITZ_KIND_BOOL && a[6].value.boolean == 1);
  EXPECT_ARGUMENT(a[7].kind == LITZ_KIND_COMPLEX && a[7].value.complex_number[1] == 2.0);
  EXPECT_ARGUMENT(a[8].kind == LITZ_KIND_INTS && a[8].count == 2 && a[8].value.integers[1] == 7);
  EXPECT_ARGUMENT(a[9].kind == LITZ_KIND_FLOAT && a[9].value.real == 1.0);
  EXPECT_ARGUMENT(a[10].kind == LITZ_KIND_FLOATS && a[10].value.reals[0] == 2.5);
  EXPECT_ARGUMENT(a[11].kind == LITZ_KIND_FLOATS && a[11].count == 0);
  EXPECT_ARGUMENT(a[12].kind == LITZ_KIND_BOOLS && a[12].value.booleans[0] == 1 &&
                  a[12].value.booleans[1] == 0);
  EXPECT_ARGUMENT(a[13].kind == LITZ_KIND_STRING && a[13].count == 4 &&
                  std::string(a[13].value.string) == "fast");
  EXPECT_ARGUMENT(a[14].kind == LITZ_KIND_STRINGS && a[14].count == 2 &&
                  std::string(a[14].value.strings[1]) == "b");
  EXPECT_ARGUMENT(a[15].kind == LITZ_KIND_DTYPE && a[15].value.dtype == LITZ_INT32);
  EXPECT_ARGUMENT(a[16].kind == LITZ_KIND_STRING && std::string(a[16].value.string) == "cpu");
  EXPECT_ARGUMENT(a[17].kind == LITZ_KIND_INT && a[17].value.integer == 2);
  return twice(call);
}

int32_t refuse(const litz_call* call) { return call->fail(call, "%d is too many", 7); }

int32_t refuse_quietly(const litz_call* /*call*/) { return 3; }

int32_t raise(const litz_call* /*call*/) { throw std::runtime_error("out of luck"); }

int32_t do_nothing(const litz_call* /*call*/) { return 0; }

int32_t state_ints(const litz_call* call) {
  return call->set_result(call, 0, LITZ_INT32, tensor(call, 0).rank, tensor(call, 0).sizes);
}

constexpr char kTakeAll[] =
    "test::take_all(Tensor x, Tensor? no, Tensor[] xs, Tensor?[] ys, Scalar i, Scalar r, Scalar b, "
    "Scalar c, int[] is, float f, float[] fs, float[] none, bool[] bs, str s, str[] ss, ScalarType "
    "t, "
    "Device d, SymInt n=2) -> Tensor";

const std::array kOperators{
    litz_operator{.schema = "test::twice(Tensor x) -> Tensor", .run = twice, .results_like = "x"},
    litz_operator{.schema = "test::add_to(Tensor(a0!) x, float by=1.0) -> Tensor", .run = add_to},
    litz_operator{.schema = "test::add_to.again(Tensor(a!) x, float by) -> (Tensor, Tensor(a!))",
                  .run = add_to},
    litz_operator{.schema = "test::add_to_all(Tensor(a!)[] xs) -> ()", .run = add_to_all},
    litz_operator{.schema = "test::positive(Tensor x) -> Tensor", .run = positive},
    litz_operator{.schema = "test::how_many(Tensor x) -> SymInt", .run = how_many},
    litz_operator{
        .schema = "test::rows(Tensor x) -> Tensor[]", .run = rows, .result_types = row_types},
    litz_operator{.schema = "test::rows_and_count(Tensor x) -> (Tensor[], int)",
                  .run = rows_and_count},
    litz_operator{.schema = "test::log(Tensor x) -> ()", .run = log_call},
    litz_operator{.schema = "test::draw(Tensor x) -> Tensor",
                  .run = draw,
                  .results_like = "x",
                  .flags = LITZ_OPERATOR_RANDOM},
    litz_operator{.schema = "test::check_rows(Tensor x) -> Tensor",
                  .run = check_rows,
                  .flags = LITZ_OPERATOR_CONTIGUOUS | LITZ_OPERATOR_NOT_THREAD_SAFE},
    litz_operator{.schema = kTakeAll, .run = take_all},
    litz_operator{.schema = "test::refuse(Tensor x) -> Tensor", .run = refuse},
    litz_operator{.schema = "test::refuse_quietly(Tensor x) -> Tensor", .run = refuse_quietly},
    litz_operator{.schema = "test::raise(Tensor x) -> Tensor", .run = raise},
    litz_operator{.schema = "test::unmade(Tensor x) -> Tensor", .run = do_nothing},
    litz_operator{
        .schema = "test::ints(Tensor x) -> Tensor", .run = do_nothing, .result_types = state_ints},
    litz_operator{.schema = "test::unstated(Tensor x) -> Tensor",
                  .run = do_nothing,
                  .result_types = do_nothing},
};

}  // namespace

std::span<const litz_operator> test_operators() { return kOperators; }

int logged() { return logged_calls; }

litz_operator_library library_of(std::span<const litz_operator> operators) {
  return {LITZ_OPERATORS_ABI, sizeof(litz_operator), operators.size(), operators.data()};
}

}  // namespace litz::compiler
