// Shared parts of the public API's files: aliases for the library's own names, which the public
// names would hide, and the one place where errors become values. Include it after the library's
// own headers.

#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/executable.h"
#include "distributed/communicator.h"
#include "ir/value.h"
#include "runtime/call_limit.h"
#include "runtime/trees/context.h"
#include "support/check.h"
#include "support/log.h"
#include "support/thread_pool.h"

namespace litz {
using OwnTensor = Tensor;
using OwnDType = DType;
using OwnError = Error;
using OwnErrorCode = ErrorCode;
using OwnLogLevel = LogLevel;
using OwnMemoryFormat = MemoryFormat;
}  // namespace litz

#include "litz/arguments.h"
#include "litz/graph_trees.h"
#include "litz/litz.h"

/// For what nested types of exported classes have: they would inherit their visibility.
#if defined(__GNUC__)
#define LITZ_HIDDEN __attribute__((visibility("hidden")))
#else
#define LITZ_HIDDEN
#endif

namespace litz {
inline namespace v1 {

// Both enumerations list the types in the same order.
inline OwnDType own(v1::DType dtype) {
  require(static_cast<int>(dtype) < kDTypeCount,
          "a dtype must be one of enum DType:", static_cast<int>(dtype));
  return static_cast<OwnDType>(dtype);
}

inline v1::DType shown(OwnDType dtype) { return static_cast<v1::DType>(dtype); }

inline Failure failure_of(const OwnError& error) {
  static_assert(static_cast<int>(ErrorKind::untrusted) ==
                static_cast<int>(OwnErrorCode::untrusted));
  return {static_cast<ErrorKind>(error.code()), error.what()};
}

/// Runs `work` and turns what it throws into a Failure.
template <typename T, typename Work>
Result<T> guarded(Work&& work) {
  try {
    return work();
  } catch (const OwnError& error) {
    return failure_of(error);
  } catch (const std::bad_alloc&) {
    return Failure{ErrorKind::out_of_memory, "memory must be available"};
  } catch (const std::logic_error& error) {
    return Failure{ErrorKind::invalid_argument, error.what()};
  } catch (const std::exception& error) {
    return Failure{ErrorKind::internal, error.what()};
  }
}

template <typename Work>
Result<void> guarded_void(Work&& work) {
  const Result<bool> done = guarded<bool>([&] {
    work();
    return true;
  });
  return done ? Result<void>() : Result<void>(done.error());
}

compiler::Options own_options(const Options& options);

/// The elements of a call, which few calls need the heap for.
template <typename T>
class CallList {
 public:
  explicit CallList(size_t size) : elements_(&memory_) { elements_.reserve(size); }

  CallList(const CallList&) = delete;
  CallList& operator=(const CallList&) = delete;

  void add(T element) { elements_.push_back(std::move(element)); }

  std::span<T> get() { return elements_; }

 private:
  static constexpr size_t kUsual = 12;

  alignas(T) std::byte bytes_[kUsual * sizeof(T)];
  std::pmr::monotonic_buffer_resource memory_{bytes_, sizeof bytes_};
  std::pmr::vector<T> elements_;
};

class FunctionTracer;
struct Variable;  // compiler/api/tape.h

/// A value of the program that is being traced.
struct TracedValue {
  std::shared_ptr<FunctionTracer> tracer;
  ir::Value value;
  /// The numbers that were asked for.
  std::optional<std::vector<int64_t>> sizes = std::nullopt;
  std::optional<std::vector<int64_t>> strides = std::nullopt;
  /// After the value's part of the function has run: see graph_break in litz/compile.h.
  std::optional<OwnTensor> data = std::nullopt;
  /// Then, if gradients are recorded; null: it requires none.
  std::shared_ptr<Variable> variable = nullptr;
};

/// What the user says of the sizes of a tensor, by dimension (the first 64).
struct SizeMarks {
  uint64_t dynamic = 0;
  uint64_t fixed = 0;
};

struct LITZ_HIDDEN Tensor::Impl {
  OwnTensor tensor;
  std::shared_ptr<TracedValue> traced = nullptr;  ///< If not null, the tensor is its.
  SizeMarks marks = {};
  std::shared_ptr<Variable> variable = nullptr;  ///< Null: it requires no gradient.
};

/// The public tensors' insides.
struct TensorAccess {
  /// The traced value; null for a tensor with data.
  static const std::shared_ptr<TracedValue>& traced(const Tensor& tensor);
  /// Ends the part of the function that makes a traced value; throws Error where that cannot be.
  static const OwnTensor& own(const Tensor& tensor);
  static Tensor shown(OwnTensor tensor);
  /// A tensor over memory of a device that lies as `like` says.
  static Tensor lent(const OwnTensor& like, Device device, std::shared_ptr<const void> owner);
  static Tensor shown(const std::shared_ptr<FunctionTracer>& tracer, ir::Value value);
  static Tensor shown(OwnTensor tensor, std::shared_ptr<Variable> variable);
  static const std::shared_ptr<Variable>& variable(const Tensor& tensor);
  static void set_variable(Tensor& tensor, std::shared_ptr<Variable> variable);
  static SizeMarks& marks(Tensor& tensor);
  static SizeMarks marks(const Tensor& tensor);
};

/// Runs `work` and throws what it throws as Error.
template <typename Work>
decltype(auto) raising(Work&& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const OwnError& error) {
    throw Error(static_cast<ErrorKind>(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::out_of_memory, "memory must be available");
  }
}

struct LITZ_HIDDEN Threads::Impl {
  std::shared_ptr<ThreadPool> pool;
};

struct LITZ_HIDDEN Group::Impl {
  std::shared_ptr<distributed::Communicator> communicator;
};

struct LITZ_HIDDEN GraphContext::Impl {
  std::shared_ptr<ThreadPool> pool;  ///< Of the device; null: callers run alone.
  std::shared_ptr<runtime::trees::Context> context;
};

struct OptionsAccess {
  /// Keeps the context's threads too.
  static std::shared_ptr<runtime::trees::Context> graphs(const Options& options) {
    if (options.graphs == nullptr) return nullptr;
    return {options.graphs, options.graphs->impl_->context.get()};
  }

  static std::shared_ptr<distributed::Communicator> communicator(const Options& options) {
    return options.group == nullptr ? nullptr : options.group->impl_->communicator;
  }

  static std::shared_ptr<ThreadPool> pool(const Options& options) {
    return options.pool == nullptr ? nullptr : options.pool->impl_->pool;
  }
};

/// The limit of a call as the library has it; none if it is null.
class Limited {
 public:
  explicit Limited(const CallLimit* limit) {
    if (limit == nullptr) return;
    own_.stop = limit->stop;
    if (limit->deadline != std::chrono::steady_clock::time_point::max()) {
      own_.deadline = limit->deadline;
    }
    calls_.emplace(own_);
  }

 private:
  runtime::CallLimit own_;
  std::optional<runtime::LimitedCalls> calls_;
};

struct LITZ_HIDDEN Executable::Impl {
  /// Regions live in the program around them, which may be this one.
  std::shared_ptr<compiler::Executable> executable;
  std::vector<std::string> names;

  static std::unique_ptr<Impl> make(std::shared_ptr<compiler::Executable> executable) {
    std::vector<std::string> names;
    for (const artifact::ProgramInput& input : executable->signature().inputs) {
      if (is_given_by_caller(input.kind)) names.push_back(input.label);
    }
    return std::make_unique<Impl>(Impl{std::move(executable), std::move(names)});
  }

  /// Tensors of callers and the library's own share memory.
  static const OwnTensor& own(const Tensor& tensor) { return TensorAccess::own(tensor); }

  static Tensor shown(OwnTensor tensor) { return TensorAccess::shown(std::move(tensor)); }

  static compiler::Leaf own(const Value& value);
  std::vector<Value> run(runtime::ProgramCalls& calls, std::span<const Value> inputs,
                         const CallLimit* limit = nullptr) const;
  void run_into(runtime::ProgramCalls& calls, std::span<const Value> inputs,
                std::span<Tensor> outputs, const CallLimit* limit = nullptr) const;
  void run_into(runtime::ProgramCalls& calls, std::span<const Value> inputs,
                std::vector<Value>& outputs, const CallLimit* limit = nullptr) const;
  Tensor read_buffer(runtime::ProgramCalls& calls, const std::string& name) const;
  void write_buffer(runtime::ProgramCalls& calls, const std::string& name,
                    const Tensor& value) const;
  /// Callers get tensors row-major and writable.
  static Value shown_value(const compiler::Leaf& leaf);
};

}  // namespace v1
}  // namespace litz
