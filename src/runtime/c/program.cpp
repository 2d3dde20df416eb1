// The functions of litz/c_api.h that load programs, describe them and run them.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "litz/c_api.h"
#include "runtime/c/handles.h"
#include "runtime/c/values.h"
#include "runtime/call_limit.h"
#include "runtime/call_stream.h"
#include "runtime/device_tensor.h"
#include "runtime/program/output_memory.h"
#include "runtime/program/program_loader.h"
#include "support/log.h"
#include "support/signing.h"

using litz::ErrorCode;
using litz::require;
using litz::Tensor;
using litz::runtime::ModelCalls;
using litz::runtime::Value;
using litz::runtime::c::borrowed;
using litz::runtime::c::guarded;
using litz::runtime::c::require_given;
using litz::runtime::c::require_reserved;
using litz::runtime::c::values_of;

namespace {

constexpr const char* kResultPlace = "a pointer to a result";

/// What the caller's version of the struct says, with zeros for the fields that it lacks.
litz_load_options known_options(const litz_load_options* options) {
  constexpr size_t kFirstVersion = offsetof(litz_load_options, trusted_keys);
  litz_load_options known{};
  if (options == nullptr) return known;
  require(options->size >= kFirstVersion,
          "the size of options must be set to sizeof(litz_load_options):", options->size);
  std::memcpy(&known, options, std::min<size_t>(options->size, sizeof known));
  // A field of a later version must not be ignored silently if it says something.
  const auto* const bytes = reinterpret_cast<const std::byte*>(options);
  for (size_t i = sizeof known; i < options->size; ++i) {
    require(bytes[i] == std::byte{0}, ErrorCode::unsupported,
            "options must be those that this version knows:", options->size);
  }
  require_reserved(known.reserved);
  return known;
}

litz::runtime::ModelOptions model_options(const litz_load_options& options) {
  litz::runtime::ModelOptions how;
  how.threads = options.threads;
  how.seed = options.seed;
  if (options.group != nullptr) how.communicator = options.group->communicator;
  require(options.card >= 0, "a card must be a number of one plus 1, or 0:", options.card);
  if (options.card > 0) how.device = {litz::DeviceKind::cuda, options.card - 1};
  require(options.results >= LITZ_RESULTS_AUTOMATIC && options.results <= LITZ_RESULTS_CARD,
          "a place of results must be one of enum litz_result_place:", options.results);
  how.results = static_cast<litz::runtime::ResultPlace>(options.results);
  return how;
}

std::vector<litz::PublicKey> trusted_keys(const litz_load_options& options) {
  require(options.trusted_key_count == 0 || options.trusted_keys != nullptr,
          "trusted keys must not be NULL");
  std::vector<litz::PublicKey> keys;
  for (size_t i = 0; i < options.trusted_key_count; ++i) {
    require_given(options.trusted_keys[i], "a trusted key");
    keys.push_back(litz::parse_public_key(options.trusted_keys[i]));
  }
  return keys;
}

litz_program* made(litz::artifact::Program program, const litz_load_options& options) {
  return std::make_unique<litz_program>(std::move(program), model_options(options)).release();
}

void run(ModelCalls& calls, const litz_value* inputs, size_t count, litz_results** results) {
  require_given(results, kResultPlace);
  auto made = std::make_unique<litz_results>();
  made->values = calls.run(values_of(inputs, count));
  *results = made.release();
}

void run_into(ModelCalls& calls, const litz_value* inputs, size_t count, const litz_tensor* outputs,
              size_t output_count) {
  std::vector<Value> into;
  for (Tensor& tensor : borrowed(outputs, output_count)) into.emplace_back(std::move(tensor));
  calls.run_into(values_of(inputs, count), into);
}

void run_into(ModelCalls& calls, const litz_value* inputs, size_t count, litz_value* outputs,
              size_t output_count) {
  require(outputs != nullptr || output_count == 0, "outputs must not be NULL");
  std::vector<Value> into(output_count);
  for (size_t i = 0; i < output_count; ++i) {
    if (outputs[i].kind == LITZ_KIND_TENSOR) into[i] = borrowed(outputs[i]);
  }
  calls.run_into(values_of(inputs, count), into);
  for (size_t i = 0; i < output_count; ++i) {
    if (outputs[i].kind == LITZ_KIND_TENSOR) continue;
    require(
        !std::holds_alternative<Tensor>(into[i]) && !std::holds_alternative<std::string>(into[i]),
        "a result that is a tensor must have a tensor to be written to, and texts have no owner:",
        i);
    outputs[i] = litz::runtime::c::shown(into[i]);
  }
}

void read_buffer(ModelCalls& calls, const char* name, const litz_tensor* value) {
  require_given(name, "the name of a buffer");
  require_given(value, "the tensor for a buffer");
  Tensor to = borrowed(*value);
  const Tensor contents = calls.read_buffer(name);
  require(to.dtype() == contents.dtype() && to.sizes() == contents.sizes(),
          "a tensor for the contents of a buffer must have its dtype and sizes:", name);
  to.copy_from(contents);
}

void write_buffer(ModelCalls& calls, const char* name, const litz_tensor* value) {
  require_given(name, "the name of a buffer");
  require_given(value, "the contents of a buffer");
  calls.write_buffer(name, borrowed(*value));
}

thread_local const litz_call_limit* limit_of_thread = nullptr;
thread_local std::optional<litz::runtime::CallStream> stream_of_thread;

/// Runs `work` on this thread's stream.
template <typename Work>
void with_stream(const Work& work) {
  std::optional<litz::runtime::CallsOnStream> on;
  if (stream_of_thread) on.emplace(*stream_of_thread);
  work();
}

/// Runs `work` under this thread's limit.
template <typename Work>
void with_limit(const Work& work) {
  if (limit_of_thread == nullptr) return work();
  litz::runtime::CallLimit limit;
  limit.stop_flag = limit_of_thread->stop;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::nanoseconds time(limit_of_thread->nanoseconds);
  const bool has_end = time < std::chrono::steady_clock::time_point::max() - now;
  if (time.count() > 0 && has_end) limit.deadline = now + time;
  const litz::runtime::LimitedCalls limited(limit);
  work();
}

/// Runs `work` on the calls of a program, or of a session.
template <typename Work>
litz_status with_calls(litz_program* program, litz_error** error, const Work& work) {
  return guarded(error, [&] {
    require_given(program, "a program");
    ModelCalls calls = program->model.calls();
    with_stream([&] { with_limit([&] { work(calls); }); });
  });
}

template <typename Work>
litz_status with_calls(litz_session* session, litz_error** error, const Work& work) {
  return guarded(error, [&] {
    require_given(session, "a session");
    with_stream([&] { with_limit([&] { work(session->calls); }); });
  });
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

// --- Loading

litz_status litz_program_load(const char* path, const litz_load_options* options,
                              litz_program** program, litz_error** error) {
  return guarded(error, [&] {
    require_given(program, kResultPlace);
    require_given(path, "a path");
    const litz_load_options known = known_options(options);
    *program =
        made(litz::runtime::load_program(path, trusted_keys(known), known.copy_file != 0), known);
  });
}

litz_status litz_program_load_memory(const void* bytes, size_t count,
                                     const litz_load_options* options, litz_program** program,
                                     litz_error** error) {
  return guarded(error, [&] {
    require_given(program, kResultPlace);
    require(bytes != nullptr && reinterpret_cast<uintptr_t>(bytes) % 64 == 0,
            "a file in memory must begin at a multiple of 64");
    const litz_load_options known = known_options(options);
    *program = made(litz::runtime::load_program({static_cast<const std::byte*>(bytes), count},
                                                nullptr, trusted_keys(known)),
                    known);
  });
}

void litz_program_free(litz_program* program) { delete program; }

// --- Signature

size_t litz_program_input_count(const litz_program* program) {
  return program == nullptr ? 0 : program->inputs.size();
}

litz_status litz_program_input(const litz_program* program, size_t index, litz_entry* entry,
                               litz_error** error) {
  return guarded(error, [&] {
    require_given(program, "a program");
    program->inputs.get(index, entry);
  });
}

size_t litz_program_output_count(const litz_program* program) {
  return program == nullptr ? 0 : program->outputs.size();
}

litz_status litz_program_output(const litz_program* program, size_t index, litz_entry* entry,
                                litz_error** error) {
  return guarded(error, [&] {
    require_given(program, "a program");
    program->outputs.get(index, entry);
  });
}

size_t litz_program_buffer_count(const litz_program* program) {
  return program == nullptr ? 0 : program->buffers.size();
}

litz_status litz_program_buffer(const litz_program* program, size_t index, litz_entry* entry,
                                litz_error** error) {
  return guarded(error, [&] {
    require_given(program, "a program");
    program->buffers.get(index, entry);
  });
}

// --- Calls

litz_status litz_program_run(litz_program* program, const litz_value* inputs, size_t count,
                             litz_results** results, litz_error** error) {
  return with_calls(program, error, [&](ModelCalls& calls) { run(calls, inputs, count, results); });
}

litz_status litz_program_run_into(litz_program* program, const litz_value* inputs, size_t count,
                                  const litz_tensor* outputs, size_t output_count,
                                  litz_error** error) {
  return with_calls(program, error, [&](ModelCalls& calls) {
    run_into(calls, inputs, count, outputs, output_count);
  });
}

litz_status litz_program_run_into_values(litz_program* program, const litz_value* inputs,
                                         size_t count, litz_value* outputs, size_t output_count,
                                         litz_error** error) {
  return with_calls(program, error, [&](ModelCalls& calls) {
    run_into(calls, inputs, count, outputs, output_count);
  });
}

litz_status litz_set_call_limit(const litz_call_limit* limit, litz_error** error) {
  return guarded(error, [&] {
    require(limit == nullptr || limit->size >= sizeof(litz_call_limit),
            "the size of a limit must be set to sizeof(litz_call_limit)");
    if (limit != nullptr) require_reserved(limit->reserved);
    require(limit == nullptr || limit->nanoseconds >= 0, "the time of a call must not be negative");
    limit_of_thread = limit;
  });
}

litz_status litz_set_call_stream(const litz_call_stream* stream, litz_error** error) {
  return guarded(error, [&] {
    require(stream == nullptr || stream->size >= sizeof(litz_call_stream),
            "the size of a stream must be set to sizeof(litz_call_stream)");
    require(stream == nullptr || stream->card >= 0,
            "a stream must be that of a card, whose number is not negative");
    stream_of_thread.reset();
    if (stream != nullptr) stream_of_thread = {.card = stream->card, .handle = stream->stream};
  });
}

litz_status litz_results_wait(const litz_results* results, litz_error** error) {
  return guarded(error, [&] {
    require_given(results, "results");
    for (const Value& value : results->values) {
      const auto* const tensor = std::get_if<Tensor>(&value);
      if (tensor != nullptr && tensor->defined()) litz::runtime::wait_for(*tensor);
    }
  });
}

litz_status litz_results_read(const litz_results* results, size_t index, const litz_tensor* to,
                              litz_error** error) {
  return guarded(error, [&] {
    require_given(to, "the tensor for a result");
    require(index < litz_results_count(results), ErrorCode::out_of_range,
            "a result must be one of the call's:", index);
    const auto* const tensor = std::get_if<Tensor>(&results->values[index]);
    require(tensor != nullptr && tensor->defined(), "only tensors are read:", index);
    Tensor memory = borrowed(*to);
    litz::runtime::require_fits(*tensor, memory, index);
    with_stream([&] { memory.copy_from(litz::runtime::copied_to(*tensor, {})); });
  });
}

litz_status litz_set_log(int32_t level, void (*sink)(int32_t, const char*, void*), void* user_data,
                         litz_error** error) {
  return guarded(error, [&] {
    require(level >= 0 && level <= static_cast<int32_t>(litz::LogLevel::off),
            "a level of messages must be 0 to 4:", level);
    litz::set_log_level(static_cast<litz::LogLevel>(level));
    if (sink == nullptr) return litz::set_log_sink({});
    litz::set_log_sink([=](litz::LogLevel of, std::string_view message) {
      sink(static_cast<int32_t>(of), std::string(message).c_str(), user_data);
    });
  });
}

size_t litz_results_count(const litz_results* results) {
  return results == nullptr ? 0 : results->values.size();
}

litz_status litz_results_get(const litz_results* results, size_t index, litz_value* value,
                             litz_error** error) {
  return guarded(error, [&] {
    require_given(value, kResultPlace);
    require(index < litz_results_count(results), ErrorCode::out_of_range,
            "a result must be one of the call's:", index);
    *value = litz::runtime::c::shown(results->values[index]);
  });
}

void litz_results_free(litz_results* results) { delete results; }

// --- Buffers and sessions

litz_status litz_program_read_buffer(litz_program* program, const char* name,
                                     const litz_tensor* value, litz_error** error) {
  return with_calls(program, error, [&](ModelCalls& calls) { read_buffer(calls, name, value); });
}

litz_status litz_program_write_buffer(litz_program* program, const char* name,
                                      const litz_tensor* value, litz_error** error) {
  return with_calls(program, error, [&](ModelCalls& calls) { write_buffer(calls, name, value); });
}

litz_status litz_program_reset_buffers(litz_program* program, litz_error** error) {
  return with_calls(program, error, [](ModelCalls& calls) { calls.reset_buffers(); });
}

litz_status litz_session_new(litz_program* program, litz_session** session, litz_error** error) {
  return guarded(error, [&] {
    require_given(program, "a program");
    require_given(session, kResultPlace);
    *session = new litz_session{program->model.session()};
  });
}

void litz_session_free(litz_session* session) { delete session; }

litz_status litz_session_run(litz_session* session, const litz_value* inputs, size_t count,
                             litz_results** results, litz_error** error) {
  return with_calls(session, error, [&](ModelCalls& calls) { run(calls, inputs, count, results); });
}

litz_status litz_session_run_into(litz_session* session, const litz_value* inputs, size_t count,
                                  const litz_tensor* outputs, size_t output_count,
                                  litz_error** error) {
  return with_calls(session, error, [&](ModelCalls& calls) {
    run_into(calls, inputs, count, outputs, output_count);
  });
}

litz_status litz_session_run_into_values(litz_session* session, const litz_value* inputs,
                                         size_t count, litz_value* outputs, size_t output_count,
                                         litz_error** error) {
  return with_calls(session, error, [&](ModelCalls& calls) {
    run_into(calls, inputs, count, outputs, output_count);
  });
}

litz_status litz_session_read_buffer(litz_session* session, const char* name,
                                     const litz_tensor* value, litz_error** error) {
  return with_calls(session, error, [&](ModelCalls& calls) { read_buffer(calls, name, value); });
}

litz_status litz_session_write_buffer(litz_session* session, const char* name,
                                      const litz_tensor* value, litz_error** error) {
  return with_calls(session, error, [&](ModelCalls& calls) { write_buffer(calls, name, value); });
}

litz_status litz_session_reset_buffers(litz_session* session, litz_error** error) {
  return with_calls(session, error, [](ModelCalls& calls) { calls.reset_buffers(); });
}

// --- Weights

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
    require_given(program, "a program");
    require(count == 0 || names != nullptr, "weights must have names");
    std::vector<Tensor> values = borrowed(tensors, count);
    std::vector<std::pair<std::string, Tensor>> weights;
    for (size_t i = 0; i < count; ++i) {
      require_given(names[i], "the name of a weight");
      weights.emplace_back(names[i], std::move(values[i]));
    }
    program->model.set_weights(weights);
  });
}

}  // extern "C"
