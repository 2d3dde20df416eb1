// Shared parts of the public API's files: aliases for the library's own names, which the public
// names would hide, and the one place where errors become values. Include it after the library's
// own headers.

#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "compiler/executable.h"
#include "support/check.h"

namespace litz {
using OwnTensor = Tensor;
using OwnDType = DType;
using OwnError = Error;
using OwnErrorCode = ErrorCode;
}  // namespace litz

#include "litz/litz.h"

namespace litz {
inline namespace v1 {

// Both enumerations list the types in the same order.
inline OwnDType own(v1::DType dtype) { return static_cast<OwnDType>(dtype); }

inline v1::DType shown(OwnDType dtype) { return static_cast<v1::DType>(dtype); }

inline Failure failure_of(const OwnError& error) {
  static_assert(static_cast<int>(ErrorKind::internal) == static_cast<int>(OwnErrorCode::internal));
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
    throw;
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

struct Tensor::Impl {
  OwnTensor tensor;
};

struct Executable::Impl {
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
  static const OwnTensor& own(const Tensor& tensor) {
    static const OwnTensor empty = OwnTensor::zeros(OwnDType::f32, {0});
    return tensor.impl_ == nullptr ? empty : tensor.impl_->tensor;
  }

  static Tensor shown(OwnTensor tensor) {
    return Tensor(std::make_unique<Tensor::Impl>(Tensor::Impl{std::move(tensor)}));
  }

  static std::vector<compiler::Leaf> own(std::span<const Value> values);
  void run_into(runtime::ProgramCalls& calls, std::span<const Value> inputs,
                std::span<Tensor> outputs) const;
  Tensor read_buffer(runtime::ProgramCalls& calls, const std::string& name) const;
  void write_buffer(runtime::ProgramCalls& calls, const std::string& name,
                    const Tensor& value) const;
  /// Callers get tensors row-major and writable.
  static std::vector<Value> shown(const std::vector<compiler::Leaf>& leaves);
};

}  // namespace v1
}  // namespace litz
