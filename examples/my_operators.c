/* Operators of one's own: what programs that call torch.ops.demo.* are run with.
 *
 *   cc -shared -fPIC -O2 -I<prefix>/include my_operators.c -o my_operators.so
 *   litz run my_operators.pt2 --operators my_operators.so
 *
 * docs/operators.md says how such a program is exported, and what each field means.
 */
#include <litz/operators.h>
#include <stddef.h>

/* The address of the element at a position, by strides. */
static float* at(const litz_tensor* tensor, const int64_t* position) {
  int64_t offset = 0;
  for (int32_t d = 0; d < tensor->rank; ++d) offset += position[d] * tensor->strides[d];
  return (float*)tensor->data + offset;
}

static int64_t count(const litz_tensor* tensor) {
  int64_t elements = 1;
  for (int32_t d = 0; d < tensor->rank; ++d) elements *= tensor->sizes[d];
  return elements;
}

/* The next position in row-major order. */
static void advance(const litz_tensor* tensor, int64_t* position) {
  for (int32_t d = tensor->rank - 1; d >= 0; --d) {
    if (++position[d] < tensor->sizes[d]) return;
    position[d] = 0;
  }
}

enum { MOST_DIMENSIONS = 8 };

/* Tensors of any layout, element by element; numbers with defaults; an error that says why. */
static int32_t clip(const litz_call* call) {
  const litz_tensor* x = &call->arguments[0].value.tensor;
  const double low = call->arguments[1].value.real;
  const double high = call->arguments[2].value.real;
  const litz_tensor* y = &call->results[0];
  if (x->dtype != LITZ_FLOAT32) return call->fail(call, "x must be float32");
  if (x->rank > MOST_DIMENSIONS) return call->fail(call, "x has %d dimensions", (int)x->rank);
  if (low > high) return call->fail(call, "low must not exceed high: %g, %g", low, high);
  int64_t position[MOST_DIMENSIONS] = {0};
  const int64_t elements = count(x);
  for (int64_t i = 0; i < elements; ++i, advance(x, position)) {
    const float value = *at(x, position);
    *at(y, position) = value < low ? (float)low : value > high ? (float)high : value;
  }
  return 0;
}

/* Result types that follow from those of arguments: one row less. */
static int32_t row_range_types(const litz_call* call) {
  const litz_tensor* x = &call->arguments[0].value.tensor;
  if (x->rank < 1) return call->fail(call, "x must have rows");
  call->set_result(call, 0, x->dtype, x->rank - 1, x->sizes);
  return call->set_result(call, 1, x->dtype, x->rank - 1, x->sizes);
}

/* LITZ_OPERATOR_CONTIGUOUS: row-major tensors only, so rows can be walked by a pointer. */
static int32_t row_range(const litz_call* call) {
  const litz_tensor* x = &call->arguments[0].value.tensor;
  if (x->dtype != LITZ_FLOAT32) return call->fail(call, "x must be float32");
  const int64_t length = x->sizes[x->rank - 1];
  const int64_t rows = count(&call->results[0]);
  if (length == 0) return call->fail(call, "rows must not be empty");
  const float* row = (const float*)x->data;
  float* least = (float*)call->results[0].data;
  float* most = (float*)call->results[1].data;
  for (int64_t r = 0; r < rows; ++r, row += length) {
    least[r] = most[r] = row[0];
    for (int64_t i = 1; i < length; ++i) {
      if (row[i] < least[r]) least[r] = row[i];
      if (row[i] > most[r]) most[r] = row[i];
    }
  }
  return 0;
}

/* An argument that is written, `Tensor(a!)`. It is given as a tensor like any other. */
static int32_t accumulate(const litz_call* call) {
  const litz_tensor* total = &call->arguments[0].value.tensor;
  const litz_tensor* x = &call->arguments[1].value.tensor;
  const int64_t elements = count(total);
  if (count(x) != elements) return call->fail(call, "total and x must have one size");
  for (int64_t i = 0; i < elements; ++i) ((float*)total->data)[i] += ((const float*)x->data)[i];
  return 0;
}

/* A result whose size depends on data: made when it is known. */
static int32_t positive(const litz_call* call) {
  const litz_tensor* x = &call->arguments[0].value.tensor;
  const float* values = (const float*)x->data;
  const int64_t elements = count(x);
  int64_t found = 0;
  for (int64_t i = 0; i < elements; ++i) found += values[i] > 0;
  const int32_t status = call->set_result(call, 0, LITZ_FLOAT32, 1, &found);
  if (status != 0) return status;
  float* result = (float*)call->results[0].data;
  for (int64_t i = 0; i < elements; ++i) {
    if (values[i] > 0) *result++ = values[i];
  }
  return 0;
}

static const litz_operator operators[] = {
    {
        .schema = "demo::clip(Tensor x, float low=-1.0, float high=1.0) -> Tensor",
        .run = clip,
        .results_like = "x",
    },
    {
        .schema = "demo::row_range(Tensor x) -> (Tensor, Tensor)",
        .run = row_range,
        .result_types = row_range_types,
        .flags = LITZ_OPERATOR_CONTIGUOUS,
    },
    {
        .schema = "demo::accumulate(Tensor(a!) total, Tensor x) -> ()",
        .run = accumulate,
        .flags = LITZ_OPERATOR_CONTIGUOUS,
    },
    {
        .schema = "demo::positive(Tensor x) -> Tensor",
        .run = positive,
        .flags = LITZ_OPERATOR_CONTIGUOUS,
    },
};

LITZ_OPERATORS(operators)
