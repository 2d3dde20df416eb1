// The functions of litz/c_api.h: C++ values behind handles, errors as statuses.

#include "litz/c_api.h"

#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/program/model.h"
#include "runtime/program/program_loader.h"
#include "support/check.h"
#include "types/dtype.h"
#include "types/lent_tensor.h"

struct litz_error {
  litz_status status = LITZ_INTERNAL;
  std::string message;
};

struct litz_program {
  explicit litz_program(litz::artifact::Program program, const litz::runtime::ModelOptions& options)
      : model(std::move(program), options) {}

  litz::runtime::Model model;
  std::vector<litz_input_info> inputs;
  std::vector<std::vector<int64_t>> sizes;  // By input.
  std::vector<std::string> outputs;
  std::vector<std::string> weights;
};

struct litz_results {
  std::vector<litz::runtime::Value> values;
};

namespace {

using litz::DType;
using litz::Error;
using litz::ErrorCode;
using litz::Tensor;
using litz::runtime::Value;

static_assert(static_cast<int>(DType::c128) == LITZ_COMPLEX128 &&
                  static_cast<int>(DType::f32) == LITZ_FLOAT32,
              "both enumerations list the types in one order");
static_assert(static_cast<int>(ErrorCode::invalid_argument) + 1 == LITZ_INVALID_ARGUMENT &&
                  static_cast<int>(ErrorCode::internal) + 1 == LITZ_INTERNAL,
              "both enumerations list the errors in one order");

litz_status refuse(litz_error** error, litz_status status, const char* message) noexcept {
  if (error == nullptr) return status;
  *error = new (std::nothrow) litz_error;
  if (*error == nullptr) return LITZ_OUT_OF_MEMORY;
  (*error)->status = status;
  try {
    (*error)->message = message;
  } catch (const std::bad_alloc&) {  // The status says enough.
  }
  return status;
}

/// Runs `work` and turns what it throws into a status and a litz_error.
template <typename Work>
litz_status guarded(litz_error** error, const Work& work) noexcept {
  try {
    work();
    return LITZ_OK;
  } catch (const Error& thrown) {
    return refuse(error, static_cast<litz_status>(static_cast<int>(thrown.code()) + 1),
                  thrown.what());
  } catch (const std::bad_alloc&) {
    return refuse(error, LITZ_OUT_OF_MEMORY, "memory must be available");
  } catch (const std::exception& thrown) {
    return refuse(error, LITZ_INTERNAL, thrown.what());
  }
}

litz::runtime::ModelOptions model_options(const litz_load_options* options) {
  litz::runtime::ModelOptions how;
  if (options == nullptr) return how;
  litz::require(options->size >= sizeof(litz_load_options),
                "the size of options must be set to sizeof(litz_load_options):", options->size);
  how.threads = options->threads;
  how.seed = options->seed;
  return how;
}

struct InputKind {
  int32_t operator()(std::monostate) const { return LITZ_KIND_NONE; }

  int32_t operator()(const litz::TensorType&) const { return LITZ_KIND_TENSOR; }

  int32_t operator()(const litz::artifact::HostScalar& scalar) const {
    switch (scalar.domain) {
      case litz::ExprDomain::integer:
        return LITZ_KIND_INT;
      case litz::ExprDomain::real:
        return LITZ_KIND_FLOAT;
      case litz::ExprDomain::boolean:
        return LITZ_KIND_BOOL;
    }
    return LITZ_KIND_NONE;
  }
};

int32_t kind_of(const litz::artifact::ProgramInput& input) {
  if (input.kind != litz::InputKind::constant_value) return std::visit(InputKind(), input.type);
  if (std::holds_alternative<std::string>(input.literal)) return LITZ_KIND_STRING;
  const auto* number = std::get_if<litz::Expr>(&input.literal);
  if (number == nullptr) return LITZ_KIND_NONE;
  return InputKind()(litz::artifact::HostScalar{number->domain(), *number});
}

void describe(litz_program& program) {
  const litz::artifact::Signature& signature = program.model.signature();
  program.sizes.reserve(signature.inputs.size());
  for (const litz::artifact::ProgramInput& input : signature.inputs) {
    if (litz::is_weight(input.kind)) program.weights.push_back(input.label);
    if (!litz::is_given_by_caller(input.kind)) continue;
    litz_input_info info{};
    info.name = input.label.c_str();
    info.kind = kind_of(input);
    std::vector<int64_t>& sizes = program.sizes.emplace_back();
    if (const auto* type = std::get_if<litz::TensorType>(&input.type)) {
      info.dtype = static_cast<int32_t>(type->dtype);
      info.rank = static_cast<int32_t>(type->rank());
      for (const litz::Expr size : type->sizes) {
        sizes.push_back(size.maybe_constant().value_or(-1));
      }
      info.sizes = sizes.data();
    }
    program.inputs.push_back(info);
  }
  for (const litz::artifact::ProgramOutput& output : signature.outputs) {
    if (!litz::is_user_output(output.kind)) continue;
    const std::string number = "out" + std::to_string(program.outputs.size());
    program.outputs.push_back(output.label.empty() ? number : output.label);
  }
}

litz_program* made(litz::artifact::Program program, const litz_load_options* options) {
  auto result = std::make_unique<litz_program>(std::move(program), model_options(options));
  describe(*result);
  return result.release();
}

/// A tensor on the caller's memory, which must live during the call.
Tensor borrowed(const litz_tensor& given) {
  litz::require(given.dtype >= 0 && given.dtype <= LITZ_COMPLEX128,
                "the dtype of a tensor must be one of enum litz_dtype:", given.dtype);
  litz::require(given.rank >= 0 && given.rank <= 64,
                "the rank of a tensor must be at most 64:", given.rank);
  litz::require(given.rank == 0 || given.sizes != nullptr, "a tensor must have sizes");
  const auto rank = static_cast<size_t>(given.rank);
  std::vector<int64_t> sizes(given.sizes, given.sizes + rank);
  std::vector<int64_t> strides;
  if (given.strides != nullptr) strides.assign(given.strides, given.strides + rank);
  return litz::lent_tensor(static_cast<DType>(given.dtype), std::move(sizes), std::move(strides),
                           given.data);
}

Value value_of(const litz_value& given) {
  switch (given.kind) {
    case LITZ_KIND_NONE:
      return std::monostate();
    case LITZ_KIND_TENSOR:
      return borrowed(given.tensor);
    case LITZ_KIND_INT:
      return given.integer;
    case LITZ_KIND_FLOAT:
      return given.real;
    case LITZ_KIND_BOOL:
      return given.boolean != 0;
    case LITZ_KIND_STRING:
      litz::require(given.string != nullptr, "a string must not be NULL");
      return std::string(given.string);
    default:
      break;
  }
  litz::fail(ErrorCode::invalid_argument,
             "an input must be none, a tensor, a number or a string:", given.kind);
}

struct Shown {
  litz_value& to;

  void operator()(std::monostate) const { to.kind = LITZ_KIND_NONE; }

  void operator()(const Tensor& tensor) const {
    to.kind = LITZ_KIND_TENSOR;
    to.tensor.data = const_cast<std::byte*>(tensor.data());
    to.tensor.sizes = tensor.sizes().data();
    to.tensor.strides = tensor.strides().data();
    to.tensor.rank = static_cast<int32_t>(tensor.rank());
    to.tensor.dtype = static_cast<int32_t>(tensor.dtype());
  }

  void operator()(int64_t number) const {
    to.kind = LITZ_KIND_INT;
    to.integer = number;
  }

  void operator()(double number) const {
    to.kind = LITZ_KIND_FLOAT;
    to.real = number;
  }

  void operator()(bool flag) const {
    to.kind = LITZ_KIND_BOOL;
    to.boolean = flag ? 1 : 0;
  }

  void operator()(const std::string& text) const {
    to.kind = LITZ_KIND_STRING;
    to.string = text.c_str();
  }
};

/// Throws if the pointer to a result is NULL.
void require_place(const void* place) {
  litz::require(place != nullptr, "a pointer to a result must not be NULL");
}

}  // namespace

extern "C" {

const char* litz_error_message(const litz_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}

litz_status litz_error_status(const litz_error* error) {
  return error == nullptr ? LITZ_OK : error->status;
}

void litz_error_free(litz_error* error) { delete error; }

const char* litz_version(void) { return LITZ_VERSION; }

litz_status litz_program_load(const char* path, const litz_load_options* options,
                              litz_program** program, litz_error** error) {
  return guarded(error, [&] {
    require_place(program);
    litz::require(path != nullptr, "a path must not be NULL");
    *program = made(litz::runtime::load_program(path), options);
  });
}

litz_status litz_program_load_memory(const void* bytes, size_t count,
                                     const litz_load_options* options, litz_program** program,
                                     litz_error** error) {
  return guarded(error, [&] {
    require_place(program);
    litz::require(bytes != nullptr && reinterpret_cast<uintptr_t>(bytes) % 64 == 0,
                  "a file in memory must begin at a multiple of 64");
    *program =
        made(litz::runtime::load_program({static_cast<const std::byte*>(bytes), count}, nullptr),
             options);
  });
}

void litz_program_free(litz_program* program) { delete program; }

size_t litz_program_input_count(const litz_program* program) {
  return program == nullptr ? 0 : program->inputs.size();
}

litz_status litz_program_input(const litz_program* program, size_t index, litz_input_info* info,
                               litz_error** error) {
  return guarded(error, [&] {
    require_place(info);
    litz::require(index < litz_program_input_count(program), ErrorCode::out_of_range,
                  "an input must be one of the program's:", index);
    *info = program->inputs[index];
  });
}

size_t litz_program_output_count(const litz_program* program) {
  return program == nullptr ? 0 : program->outputs.size();
}

const char* litz_program_output_name(const litz_program* program, size_t index) {
  if (index >= litz_program_output_count(program)) return nullptr;
  return program->outputs[index].c_str();
}

litz_status litz_program_run(litz_program* program, const litz_value* inputs, size_t count,
                             litz_results** results, litz_error** error) {
  return guarded(error, [&] {
    require_place(results);
    litz::require(program != nullptr && (inputs != nullptr || count == 0),
                  "a call must have a program and inputs");
    std::vector<Value> given;
    given.reserve(count);
    for (size_t i = 0; i < count; ++i) given.push_back(value_of(inputs[i]));
    auto made = std::make_unique<litz_results>();
    made->values = program->model.run(given);
    *results = made.release();
  });
}

size_t litz_results_count(const litz_results* results) {
  return results == nullptr ? 0 : results->values.size();
}

litz_status litz_results_get(const litz_results* results, size_t index, litz_value* value,
                             litz_error** error) {
  return guarded(error, [&] {
    require_place(value);
    litz::require(index < litz_results_count(results), ErrorCode::out_of_range,
                  "a result must be one of the call's:", index);
    *value = litz_value{};
    std::visit(Shown{*value}, results->values[index]);
  });
}

void litz_results_free(litz_results* results) { delete results; }

size_t litz_program_weight_count(const litz_program* program) {
  return program == nullptr ? 0 : program->weights.size();
}

const char* litz_program_weight_name(const litz_program* program, size_t index) {
  if (index >= litz_program_weight_count(program)) return nullptr;
  return program->weights[index].c_str();
}

litz_status litz_program_set_weights(litz_program* program, const char* const* names,
                                     const litz_tensor* tensors, size_t count, litz_error** error) {
  return guarded(error, [&] {
    litz::require(program != nullptr && (count == 0 || (names != nullptr && tensors != nullptr)),
                  "weights must have names and tensors");
    std::vector<std::pair<std::string, Tensor>> weights;
    for (size_t i = 0; i < count; ++i) {
      litz::require(names[i] != nullptr, "the name of a weight must not be NULL");
      weights.emplace_back(names[i], borrowed(tensors[i]));
    }
    program->model.set_weights(weights);
  });
}

}  // extern "C"
