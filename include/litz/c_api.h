/* The C interface: runs programs that `litz compile` wrote, without a compiler.
 *
 *   litz_error* error = NULL;
 *   litz_program* program = NULL;
 *   if (litz_program_load("model.litz", NULL, &program, &error) != LITZ_OK) {
 *     fprintf(stderr, "%s\n", litz_error_message(error));
 *     litz_error_free(error);
 *     return 1;
 *   }
 *   const int64_t sizes[] = {1, 3, 224, 224};
 *   litz_value input = {.kind = LITZ_KIND_TENSOR};
 *   input.tensor = (litz_tensor){.data = pixels, .sizes = sizes, .rank = 4, .dtype = LITZ_FLOAT32};
 *   litz_results* results = NULL;
 *   if (litz_program_run(program, &input, 1, &results, &error) == LITZ_OK) {
 *     litz_value logits;
 *     litz_results_get(results, 0, &logits);
 *     ...
 *     litz_results_free(results);
 *   }
 *   litz_program_free(program);
 *
 * Link with litz_runtime (CMake: litz::runtime) or with litz, which also has these functions.
 *
 * Functions that can fail return a status. On failure they store an error at `error`, unless it is
 * NULL; the caller frees it. No function throws. All functions are thread-safe, except that one
 * thread frees an object after all others have stopped using it.
 */
#ifndef LITZ_C_API_H
#define LITZ_C_API_H

#include <stddef.h>
#include <stdint.h>

#include "litz/operators.h"

#if defined(__GNUC__)
#define LITZ_C_API __attribute__((visibility("default")))
#else
#define LITZ_C_API
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names follow C. */

typedef enum litz_status {
  LITZ_OK = 0,
  LITZ_INVALID_ARGUMENT, /* Inputs or options do not fit. */
  LITZ_NOT_FOUND,
  LITZ_CORRUPT,     /* The file breaks the rules of its format. */
  LITZ_UNSUPPORTED, /* Valid, but for another version or processor, or not implemented. */
  LITZ_LIMIT_EXCEEDED,
  LITZ_OUT_OF_RANGE, /* An index or size computed from data lies outside its range. */
  LITZ_IO,
  LITZ_INTERNAL,     /* A bug in Litz. */
  LITZ_OUT_OF_MEMORY /* The system refused memory. */
} litz_status;

typedef struct litz_error litz_error;
typedef struct litz_program litz_program;
typedef struct litz_results litz_results;

/* What must hold, where, and what to try. May have several lines. Lives as long as the error. */
LITZ_C_API const char* litz_error_message(const litz_error* error);
LITZ_C_API litz_status litz_error_status(const litz_error* error);
LITZ_C_API void litz_error_free(litz_error* error); /* NULL is fine. */

/* "0.1.0" */
LITZ_C_API const char* litz_version(void);

/* --- Loading */

typedef struct litz_load_options {
  uint32_t size;   /* sizeof(litz_load_options) */
  int32_t threads; /* Threads that run, the caller included, at most 1024; 0: one per CPU. */
  uint64_t seed;   /* Call i, from 0, draws the same random numbers for the same seed and i. */
} litz_load_options;

/* `options` may be NULL: one thread per CPU, seed 0. The file holds machine code: load only what
 * you would run. It is mapped, so it must not change while the program lives. */
LITZ_C_API litz_status litz_program_load(const char* path, const litz_load_options* options,
                                         litz_program** program, litz_error** error);
/* Loads a file in memory, which must not change until the program is freed. `bytes` must be a
 * multiple of 64. */
LITZ_C_API litz_status litz_program_load_memory(const void* bytes, size_t count,
                                                const litz_load_options* options,
                                                litz_program** program, litz_error** error);
LITZ_C_API void litz_program_free(litz_program* program); /* NULL is fine. */

/* --- Signature. Texts and arrays live as long as the program. */

typedef struct litz_input_info {
  const char* name; /* "x", "opts['k']" */
  int32_t kind;     /* enum litz_kind: TENSOR, INT, FLOAT, BOOL; NONE or STRING: fixed at export. */
  int32_t dtype;    /* Tensors only. */
  int32_t rank;     /* Tensors only. */
  int32_t reserved;
  const int64_t* sizes; /* Tensors only; -1: every call decides. */
} litz_input_info;

LITZ_C_API size_t litz_program_input_count(const litz_program* program);
LITZ_C_API litz_status litz_program_input(const litz_program* program, size_t index,
                                          litz_input_info* info, litz_error** error);
LITZ_C_API size_t litz_program_output_count(const litz_program* program);
/* Returns "out0" if the export gave no name; NULL if the index is too large. */
LITZ_C_API const char* litz_program_output_name(const litz_program* program, size_t index);

/* --- Calls */

/* An input or output: None, a tensor, a number, text. */
typedef struct litz_value {
  int32_t kind; /* enum litz_kind: NONE, TENSOR, INT, FLOAT, BOOL or STRING. */
  int32_t reserved;

  union {
    litz_tensor tensor; /* Strides of an input may be NULL: row-major. */
    int64_t integer;
    double real;
    int32_t boolean;
    const char* string;
  };
} litz_value;

/* Runs on all inputs in order. Tensors that the program writes are changed in place; memory of
 * inputs is used only during the call. Calls of a program that changes its buffers run one after
 * another, other calls run concurrently. */
LITZ_C_API litz_status litz_program_run(litz_program* program, const litz_value* inputs,
                                        size_t count, litz_results** results, litz_error** error);

LITZ_C_API size_t litz_results_count(const litz_results* results);
/* The memory that a value points to lives as long as the results. */
LITZ_C_API litz_status litz_results_get(const litz_results* results, size_t index,
                                        litz_value* value, litz_error** error);
LITZ_C_API void litz_results_free(litz_results* results); /* NULL is fine. */

/* --- Weights */

LITZ_C_API size_t litz_program_weight_count(const litz_program* program);
/* Returns the full name of a parameter, buffer or constant: "encoder.layer.0.weight"; NULL if the
 * index is too large. */
LITZ_C_API const char* litz_program_weight_name(const litz_program* program, size_t index);
/* Replaces the contents of weights: of all that are named or, on failure, of none. Tensors must
 * have the dtype and sizes of the weights that they replace, and are copied. Running calls continue
 * with the old contents; calls that begin after the return use the new ones. Other weights, buffers
 * included, keep their contents. */
LITZ_C_API litz_status litz_program_set_weights(litz_program* program, const char* const* names,
                                                const litz_tensor* tensors, size_t count,
                                                litz_error** error);

/* NOLINTEND(readability-identifier-naming) */

#if defined(__cplusplus)
}
#endif

#endif /* LITZ_C_API_H */
