/* Custom operators for Litz, in plain C.
 *
 *   static int32_t run(const litz_call* call) { ... return 0; }
 *
 *   static const litz_operator operators[] = {
 *       {.schema = "mylib::stamp(Tensor x, int at=0) -> Tensor", .run = run, .results_like = "x"},
 *   };
 *   LITZ_OPERATORS(operators)
 *
 * Build it as a shared object (cc -shared -fPIC) and pass it to `litz run --operators FILE.so` or
 * to litz::register_operators (litz/litz.h). No library of Litz needs to be linked.
 * docs/operators.md has the details.
 *
 * Memory that these structs point to belongs to Litz and lasts as long as the call. The table of
 * operators and the memory that it points to belong to you and must last as long as the process.
 */
#ifndef LITZ_OPERATORS_H
#define LITZ_OPERATORS_H

#include <stdint.h>

/* Raised by every change except a new member at the end of a struct. */
#define LITZ_OPERATORS_ABI 1

#if defined(__cplusplus)
#define LITZ_OPERATORS_C extern "C"
#else
#define LITZ_OPERATORS_C
#endif
#if defined(__GNUC__)
#define LITZ_OPERATORS_EXPORT LITZ_OPERATORS_C __attribute__((visibility("default")))
#else
#define LITZ_OPERATORS_EXPORT LITZ_OPERATORS_C
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names follow C. */

/* Element types. Halves and float8 are their bits, in uint16_t and uint8_t. */
enum litz_dtype {
  LITZ_NO_TENSOR = -1, /* The dtype of None in a list of tensors. */
  LITZ_BOOL = 0,       /* One byte, 0 or 1. */
  LITZ_UINT8,
  LITZ_INT8,
  LITZ_UINT16,
  LITZ_INT16,
  LITZ_UINT32,
  LITZ_INT32,
  LITZ_UINT64,
  LITZ_INT64,
  LITZ_FLOAT8_E4M3FN,
  LITZ_FLOAT8_E5M2,
  LITZ_FLOAT8_E4M3FNUZ,
  LITZ_FLOAT8_E5M2FNUZ,
  LITZ_FLOAT8_E8M0FNU,
  LITZ_FLOAT16,
  LITZ_BFLOAT16,
  LITZ_FLOAT32,
  LITZ_FLOAT64,
  LITZ_COMPLEX32,
  LITZ_COMPLEX64,
  LITZ_COMPLEX128
};

/* A tensor in memory. Element (i, j, ...) lies i * strides[0] + j * strides[1] + ... elements after
 * `data`. */
typedef struct litz_tensor {
  void* data; /* NULL in calls of result_types, and for results not made yet. */
  const int64_t* sizes;
  const int64_t* strides; /* In elements; may be 0 or larger than a row. */
  int32_t rank;
  int32_t dtype; /* enum litz_dtype */
} litz_tensor;

/* The kind of an argument. The schema decides which kinds can occur. */
enum litz_kind {
  LITZ_KIND_NONE = 0,
  LITZ_KIND_TENSOR,  /* value.tensor */
  LITZ_KIND_TENSORS, /* value.tensors: Tensor[], Tensor?[] */
  LITZ_KIND_INT,     /* value.integer: int, SymInt, Scalar */
  LITZ_KIND_INTS,    /* value.integers */
  LITZ_KIND_FLOAT,   /* value.real: float, Scalar */
  LITZ_KIND_FLOATS,  /* value.reals */
  LITZ_KIND_BOOL,    /* value.boolean: 0 or 1 */
  LITZ_KIND_BOOLS,   /* value.booleans: 0 or 1 each */
  LITZ_KIND_COMPLEX, /* value.complex_number: real part, imaginary part; Scalar */
  LITZ_KIND_STRING,  /* value.string, ended by 0: str, Device, Layout, MemoryFormat */
  LITZ_KIND_STRINGS, /* value.strings */
  LITZ_KIND_DTYPE    /* value.dtype: enum litz_dtype; ScalarType */
};

typedef struct litz_argument {
  int32_t kind; /* enum litz_kind */
  int32_t reserved;
  int64_t count; /* The elements of a list; the bytes of a string. */

  union {
    litz_tensor tensor;
    const litz_tensor* tensors;
    int64_t integer;
    const int64_t* integers;
    double real;
    const double* reals;
    int32_t boolean;
    const uint8_t* booleans;
    double complex_number[2];
    const char* string;
    const char* const* strings;
    int32_t dtype;
  } value;
} litz_argument;

/* One call of an operator. */
typedef struct litz_call {
  uint32_t size; /* Bytes of this struct: members beyond them do not exist. */
  int32_t argument_count;
  const litz_argument* arguments; /* In schema order; absent ones have their defaults. */
  /* The results to write, at their given strides. Tensors of a Tensor[] follow one another; numbers
   * are tensors of rank 0 (int64, float64, bool). An argument that is written (`Tensor(a!)`) is
   * changed in place; a result that is this argument is left out here. */
  const litz_tensor* results; /* NULL in calls of result_types. */
  int32_t result_count;
  int32_t reserved;
  uint64_t seed;   /* For random operators: differs for every node and call. */
  void* user_data; /* litz_operator.user_data */
  /* In result_types: states a result; a size of -1 depends on data. In `run`: makes a result whose
   * sizes depend on data (results[i].data is NULL), row-major, contents unspecified. Returns
   * nonzero for a result of another kind; the operator then returns that value. */
  int32_t (*set_result)(const struct litz_call* call, int32_t index, int32_t dtype, int32_t rank,
                        const int64_t* sizes);
  /* Reports why the call fails, as printf does. Returns 1: `return call->fail(call, ...);`. */
  int32_t (*fail)(const struct litz_call* call, const char* format, ...);
  void* host; /* Reserved for Litz. */
} litz_call;

/* Returns 0, or another value if the call fails. Must not throw or keep pointers to its arguments.
 * */
typedef int32_t (*litz_function)(const litz_call* call);

/* Facts that a schema does not state; litz_operator.flags. */
enum litz_operator_flag {
  LITZ_OPERATOR_RANDOM = 1,          /* Draws random numbers: equal calls may differ. */
  LITZ_OPERATOR_UNSAFE_CAPTURE = 2,  /* Must not run while a device graph is captured. */
  LITZ_OPERATOR_HAS_EFFECTS = 4,     /* Has effects beyond the schema, such as printing: every call
                                      * is kept, in order. An operator without results and written
                                      * arguments is also kept. */
  LITZ_OPERATOR_NOT_THREAD_SAFE = 8, /* At most one thread at a time may run it. */
  LITZ_OPERATOR_CONTIGUOUS = 16      /* Takes only row-major tensors; others are copied first. */
};

typedef struct litz_operator {
  /* PyTorch notation: "mylib::name.overload(Tensor(a!) x, *, float by=1.0) -> (Tensor, int)".
   * */
  const char* schema;
  litz_function run; /* Runs on the host. */
  /* States every result with call->set_result, from arguments without data. Programs also state the
   * types of results; if the two differ, the call fails. NULL: the types that programs state. */
  litz_function result_types;
  /* Instead of result_types: the name of a tensor argument whose dtype and sizes all results have.
   * */
  const char* results_like;
  uint32_t flags; /* enum litz_operator_flag, added */
  uint32_t reserved;
  void* user_data; /* Passed to its calls; may be NULL. */
} litz_operator;

typedef struct litz_operator_library {
  uint32_t abi;           /* LITZ_OPERATORS_ABI */
  uint32_t operator_size; /* sizeof(litz_operator): the distance between operators. */
  uint64_t count;
  const litz_operator* operators;
} litz_operator_library;

/* NOLINTEND(readability-identifier-naming) */

#if defined(__cplusplus)
}
#endif

/* Defines litz_operators, the function that Litz looks up in a shared object. */
#define LITZ_OPERATORS(table)                                                                   \
  LITZ_OPERATORS_EXPORT const litz_operator_library* litz_operators(void);                      \
  const litz_operator_library* litz_operators(void) {                                           \
    static const litz_operator_library library = {LITZ_OPERATORS_ABI,                           \
                                                  (uint32_t)sizeof(litz_operator),              \
                                                  sizeof(table) / sizeof((table)[0]), (table)}; \
    return &library;                                                                            \
  }

#endif /* LITZ_OPERATORS_H */
