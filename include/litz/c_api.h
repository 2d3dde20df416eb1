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
#define LITZ_C11 __extension__ /* For a member without a name, which C99 lacks. */
#else
#define LITZ_C_API
#define LITZ_C11
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
  LITZ_CANCELLED,     /* The caller stopped the call, or its time was over. */
  LITZ_INTERNAL,      /* A bug in Litz. */
  LITZ_OUT_OF_MEMORY, /* The system refused memory. */
  LITZ_UNTRUSTED      /* A file is not signed by a key that the options trust. */
} litz_status;

typedef struct litz_error litz_error;
typedef struct litz_program litz_program;
typedef struct litz_session litz_session;
typedef struct litz_results litz_results;

/* What must hold, where, and what to try. May have several lines. Lives as long as the error. */
LITZ_C_API const char* litz_error_message(const litz_error* error);
LITZ_C_API litz_status litz_error_status(const litz_error* error);
LITZ_C_API void litz_error_free(litz_error* error); /* NULL is fine. */

/* "0.1.0" */
LITZ_C_API const char* litz_version(void);

/* --- Ranks of programs that were sharded over several */

typedef struct litz_group litz_group;

enum litz_group_engine { LITZ_GROUP_MPI = 0, LITZ_GROUP_NCCL = 1 };

typedef struct litz_group_options {
  uint32_t size;  /* sizeof(litz_group_options) */
  int32_t engine; /* enum litz_group_engine */
  /* "NAME=0,2": the ranks of groups, the same on all ranks. PyTorch's default group, "0", is all. */
  const char* const* groups;
  size_t group_count;
  int64_t patience_ms; /* How long a rank waits for others at a time; 0: for ever. */
  /* NCCL without mpirun: a file that all ranks name and that does not exist yet, and who this is. */
  const char* rendezvous; /* NULL: ranks meet over MPI. */
  int32_t rank;
  int32_t world;
  int32_t card;     /* NCCL: the number of this rank's card. */
  int32_t reserved; /* 0 */
} litz_group_options;

/* Makes this process a rank, as one of those that mpirun started, unless the options say otherwise. All
 * ranks must join at the same time. */
LITZ_C_API litz_status litz_group_join(const litz_group_options* options, litz_group** group,
                                       litz_error** error);
LITZ_C_API int32_t litz_group_rank(const litz_group* group);
LITZ_C_API int32_t litz_group_world(const litz_group* group);
/* This rank failed for this reason: others that wait for it fail too. */
LITZ_C_API litz_status litz_group_leave(litz_group* group, const char* reason, litz_error** error);
/* Programs of the group may outlive it. The last of them waits for the other ranks to end. */
LITZ_C_API void litz_group_free(litz_group* group); /* NULL is fine. */

/* Where results lie, for programs on a card. */
enum litz_result_place {
  LITZ_RESULTS_AUTOMATIC = 0, /* On the card if an input of the call is there, else on the host. */
  LITZ_RESULTS_HOST,          /* Calls wait for them. */
  LITZ_RESULTS_CARD           /* Calls return when their work is submitted. */
};

/* --- Loading */

typedef struct litz_load_options {
  uint32_t size;   /* sizeof(litz_load_options) */
  int32_t threads; /* Threads that run, the caller included, at most 1024; 0: one per CPU. */
  uint64_t seed;   /* Call i, from 0, draws the same random numbers for the same seed and i. */
  /* Texts of public keys (NAME.pub of `litz key new`, or their 64 digits), one of which must have
   * signed the file (LITZ_UNTRUSTED otherwise); it is verified before anything in it is used. None: any
   * file is loaded. */
  const char* const* trusted_keys;
  size_t trusted_key_count;
  /* Not 0: the file is copied to memory instead of mapped, so that it may change. */
  int32_t copy_file;
  int32_t card; /* Where a program for NVIDIA's cards runs: N + 1 is card N; 0: the first. */
  /* The rank that this program is, or NULL. Loading then compares the programs of all ranks, so that all
   * must load at the same time. */
  const litz_group* group;
  int32_t results;  /* enum litz_result_place */
  int32_t reserved; /* 0 */
} litz_load_options;

/* `options` may be NULL: one thread per CPU, seed 0. Later versions add fields at the end; what lies
 * past the caller's `size` is 0. The file holds machine code: load only what you would run, or what a
 * trusted key signed. It is mapped, so it must not change while the program lives; with copy_file or
 * trusted keys it is copied, and may. */
LITZ_C_API litz_status litz_program_load(const char* path, const litz_load_options* options,
                                         litz_program** program, litz_error** error);
/* Loads a file in memory, which must not change until the program is freed. `bytes` must be a
 * multiple of 64. */
LITZ_C_API litz_status litz_program_load_memory(const void* bytes, size_t count,
                                                const litz_load_options* options,
                                                litz_program** program, litz_error** error);
LITZ_C_API void litz_program_free(litz_program* program); /* NULL is fine. */

/* --- Operators of your own */

/* Registers the operators of a shared object or of a table (litz/operators.h): all of them or, on
 * failure, none. Programs that are loaded from then on may call them. They stay until the process
 * ends; registering the same ones again changes nothing. A shared object runs code: load only what
 * you trust. */
LITZ_C_API litz_status litz_register_operators(const char* path, litz_error** error);
LITZ_C_API litz_status litz_register_operator_table(const litz_operator_library* library,
                                                    litz_error** error);

/* --- Signature. Texts and arrays live as long as the program. */

/* A size of a tensor: one number if least == most, else a range from which each call has a number. */
typedef struct litz_size {
  int64_t least;
  int64_t most;     /* INT64_MAX if nothing bounds it. */
  const char* text; /* "8", "s0", "2*s0 + 1": in one call, sizes of equal text are equal. */
} litz_size;

/* An input, output or buffer. */
typedef struct litz_entry {
  uint32_t size;    /* Set it to sizeof(litz_entry) before the call. */
  int32_t kind;     /* enum litz_kind: NONE, TENSOR, INT, FLOAT, BOOL or STRING. */
  const char* name; /* "x", "opts['k']", "cache.keys"; "out0" for an output without a name. */
  int32_t dtype;    /* Tensors only, as are rank and sizes. */
  int32_t rank;
  const litz_size* sizes;
  /* The value that was fixed at export and that calls must pass: a number, text in quotes or None.
   * Empty for inputs that calls choose. */
  const char* constant;
} litz_entry;

LITZ_C_API size_t litz_program_input_count(const litz_program* program);
LITZ_C_API litz_status litz_program_input(const litz_program* program, size_t index,
                                          litz_entry* entry, litz_error** error);
LITZ_C_API size_t litz_program_output_count(const litz_program* program);
LITZ_C_API litz_status litz_program_output(const litz_program* program, size_t index,
                                           litz_entry* entry, litz_error** error);
/* Buffers that calls change: caches, running statistics, counters. */
LITZ_C_API size_t litz_program_buffer_count(const litz_program* program);
LITZ_C_API litz_status litz_program_buffer(const litz_program* program, size_t index,
                                           litz_entry* entry, litz_error** error);

/* --- Calls */

/* An input or output: None, a tensor, a number, text. */
typedef struct litz_value {
  int32_t kind; /* enum litz_kind: NONE, TENSOR, INT, FLOAT, BOOL or STRING. */
  int32_t card; /* Where the memory of a tensor lies: 0: on the host; N + 1: on card N. */

  LITZ_C11 union {
    litz_tensor tensor; /* Strides of an input may be NULL: row-major. */
    int64_t integer;
    double real;
    int32_t boolean;
    const char* string;
  };
} litz_value;

/* Runs on all inputs in order. Tensors that the program writes are changed in place; memory of
 * inputs is used only during the call, and on a card until its work is done (see "Cards"). Calls of a
 * program that changes its buffers run one after another, other calls run concurrently. */
LITZ_C_API litz_status litz_program_run(litz_program* program, const litz_value* inputs,
                                        size_t count, litz_results** results, litz_error** error);

/* Like litz_program_run, and writes the results, which must be tensors of these types and sizes, to
 * `outputs`. Row-major memory that is aligned to 64 bytes and apart from the inputs is written at once,
 * other memory by a copy. Outputs must not overlap. After an error, they may hold anything. */
LITZ_C_API litz_status litz_program_run_into(litz_program* program, const litz_value* inputs,
                                             size_t count, const litz_tensor* outputs,
                                             size_t output_count, litz_error** error);

/* The same for results that are tensors, numbers or None: writes to the tensors among `outputs` and
 * replaces other values by the results. */
LITZ_C_API litz_status litz_program_run_into_values(litz_program* program, const litz_value* inputs,
                                                    size_t count, litz_value* outputs,
                                                    size_t output_count, litz_error** error);

/* Ends calls of this thread early, between two kernels or library calls; they then fail with
 * LITZ_CANCELLED. */
typedef struct litz_call_limit {
  uint32_t size;     /* sizeof(litz_call_limit) */
  uint32_t reserved; /* 0 */
  /* Any thread may set it to another value than 0 to stop the calls. May be NULL. */
  const int32_t* stop;
  int64_t nanoseconds; /* The time of each call; 0: any. */
} litz_call_limit;

/* Sets the limit of all later calls of this thread; NULL: none. It must live as long as it is set. */
LITZ_C_API litz_status litz_set_call_limit(const litz_call_limit* limit, litz_error** error);

/* --- Cards
 *
 * Inputs and outputs of calls may lie on the program's card. If all results stay there, a call returns when
 * its work is submitted to a stream: the caller's, or one of the library for this thread. Until that work is
 * done, the caller keeps the memory of inputs and outputs, and does not change it except in the order of its
 * stream. The contents of inputs on a card are there, or are work of the caller's stream. */

typedef struct litz_call_stream {
  uint32_t size; /* sizeof(litz_call_stream) */
  int32_t card;  /* The number of the card. */
  void* stream;  /* A CUstream or cudaStream_t; NULL is the default stream. */
} litz_call_stream;

/* Sets the stream of all later calls of this thread on the card; NULL: the library's own. The stream lives
 * until it is replaced. */
LITZ_C_API litz_status litz_set_call_stream(const litz_call_stream* stream, litz_error** error);

/* Waits for results. Fails with what their work has reported, such as LITZ_OUT_OF_RANGE for an index. */
LITZ_C_API litz_status litz_results_wait(const litz_results* results, litz_error** error);
/* Copies a result to `to`, of its type and sizes on the host, and waits. */
LITZ_C_API litz_status litz_results_read(const litz_results* results, size_t index,
                                         const litz_tensor* to, litz_error** error);

/* --- Messages */

/* Messages below `level` (0 debug, 1 info, 2 warning, 3 error, 4 none; 2 at first) are dropped; others
 * go to `sink` with `user_data`, or to standard error if it is NULL. Several threads may call it at a
 * time. */
LITZ_C_API litz_status litz_set_log(int32_t level,
                                    void (*sink)(int32_t level, const char* message,
                                                 void* user_data),
                                    void* user_data, litz_error** error);

LITZ_C_API size_t litz_results_count(const litz_results* results);
/* The memory that a value points to lives as long as the results. */
LITZ_C_API litz_status litz_results_get(const litz_results* results, size_t index,
                                        litz_value* value, litz_error** error);
LITZ_C_API void litz_results_free(litz_results* results); /* NULL is fine. */

/* --- Buffers and sessions */

/* Copies the present contents of a buffer to `value`; gives a buffer the contents of `value`; gives all
 * buffers the contents that they were loaded with. Types and sizes must be the buffer's. Each waits for
 * a call that changes buffers. */
LITZ_C_API litz_status litz_program_read_buffer(litz_program* program, const char* name,
                                                const litz_tensor* value, litz_error** error);
LITZ_C_API litz_status litz_program_write_buffer(litz_program* program, const char* name,
                                                 const litz_tensor* value, litz_error** error);
LITZ_C_API litz_status litz_program_reset_buffers(litz_program* program, litz_error** error);

/* A session: calls with buffers of their own, for example one conversation with a cache of keys and
 * values. Code, weights and threads are the program's, so that it costs the memory of its buffers.
 * Calls of several sessions run concurrently. It keeps the weights that were current when it was made,
 * and may outlive the program. */
LITZ_C_API litz_status litz_session_new(litz_program* program, litz_session** session,
                                        litz_error** error);
LITZ_C_API void litz_session_free(litz_session* session); /* NULL is fine. */

/* As of programs. */
LITZ_C_API litz_status litz_session_run(litz_session* session, const litz_value* inputs,
                                        size_t count, litz_results** results, litz_error** error);
LITZ_C_API litz_status litz_session_run_into(litz_session* session, const litz_value* inputs,
                                             size_t count, const litz_tensor* outputs,
                                             size_t output_count, litz_error** error);
LITZ_C_API litz_status litz_session_run_into_values(litz_session* session, const litz_value* inputs,
                                                    size_t count, litz_value* outputs,
                                                    size_t output_count, litz_error** error);
LITZ_C_API litz_status litz_session_read_buffer(litz_session* session, const char* name,
                                                const litz_tensor* value, litz_error** error);
LITZ_C_API litz_status litz_session_write_buffer(litz_session* session, const char* name,
                                                 const litz_tensor* value, litz_error** error);
LITZ_C_API litz_status litz_session_reset_buffers(litz_session* session, litz_error** error);

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
