/* Runs a compiled program on made-up inputs, with the runtime alone.
 *
 *   litz compile model.pt2 -o model.litz
 *   run_compiled model.litz
 */
#include <litz/c_api.h>

#include <stdio.h>
#include <stdlib.h>

static int report(litz_error* error) {
  fprintf(stderr, "%s\n", litz_error_message(error));
  litz_error_free(error);
  return 1;
}

/* float32 tensors of ones; sizes that calls decide are 2, or the least that is allowed. */
static int make_input(const litz_entry* info, litz_value* value) {
  if (info->kind != LITZ_KIND_TENSOR || info->dtype != LITZ_FLOAT32) {
    fprintf(stderr, "this example makes float32 tensors only, not input %s\n", info->name);
    return 1;
  }
  int64_t* sizes = malloc(sizeof(int64_t) * (size_t)(info->rank + 1));
  if (sizes == NULL) return 1;
  size_t count = 1;
  for (int32_t d = 0; d < info->rank; ++d) {
    const litz_size* size = &info->sizes[d];
    sizes[d] = size->least > 2 || size->most < 2 ? size->least : 2;
    count *= (size_t)sizes[d];
  }
  float* data = malloc(sizeof(float) * (count + 1));
  if (data == NULL) return 1;
  for (size_t i = 0; i < count; ++i) data[i] = 1;
  value->kind = LITZ_KIND_TENSOR;
  value->tensor.data = data;
  value->tensor.sizes = sizes;
  value->tensor.strides = NULL; /* Row-major. */
  value->tensor.rank = info->rank;
  value->tensor.dtype = info->dtype;
  return 0;
}

static void show(const char* name, const litz_value* value) {
  if (value->kind != LITZ_KIND_TENSOR) {
    printf("%s: no tensor\n", name);
    return;
  }
  printf("%s: [", name);
  for (int32_t d = 0; d < value->tensor.rank; ++d) {
    printf(d == 0 ? "%lld" : ", %lld", (long long)value->tensor.sizes[d]);
  }
  printf("]");
  if (value->tensor.dtype == LITZ_FLOAT32) {
    printf(" %g ...", (double)*(const float*)value->tensor.data);
  }
  printf("\n");
}

int main(int argc, char** argv) {
  litz_error* error = NULL;
  litz_program* program = NULL;
  litz_results* results = NULL;
  litz_value inputs[16] = {{0}};
  if (argc != 2) {
    fprintf(stderr, "usage: run_compiled MODEL.litz\n");
    return 2;
  }
  if (litz_program_load(argv[1], NULL, &program, &error) != LITZ_OK) return report(error);
  const size_t count = litz_program_input_count(program);
  if (count > 16) return 2;
  for (size_t i = 0; i < count; ++i) {
    litz_entry info = {.size = sizeof(info)};
    if (litz_program_input(program, i, &info, &error) != LITZ_OK) return report(error);
    if (make_input(&info, &inputs[i]) != 0) return 1;
  }
  if (litz_program_run(program, inputs, count, &results, &error) != LITZ_OK) return report(error);
  for (size_t i = 0; i < litz_results_count(results); ++i) {
    litz_value value;
    if (litz_results_get(results, i, &value, &error) != LITZ_OK) return report(error);
    litz_entry info = {.size = sizeof(info)};
    if (litz_program_output(program, i, &info, &error) != LITZ_OK) return report(error);
    show(info.name, &value);
  }
  litz_results_free(results);
  litz_program_free(program);
  for (size_t i = 0; i < count; ++i) {
    free((void*)inputs[i].tensor.sizes);
    free(inputs[i].tensor.data);
  }
  return 0;
}
