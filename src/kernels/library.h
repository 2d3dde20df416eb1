// Library calls: computations that are not generated loop nests (matrix products, convolution,
// decompositions of matrices, ...), behind one interface.
//
// A function receives the evaluated arguments of the operator call in schema order: tensors,
// numbers, lists. The caller allocates result tensors from the inferred types, except where sizes
// depend on data: then `results[i]` is undefined and the function creates it.

#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "machine/function_facts.h"
#include "types/dtype.h"
#include "types/tensor.h"

namespace litz::kernels {

class LibraryContext;
class TileEpilogue;

using LibraryArgument = std::variant<std::monostate, Tensor, std::vector<Tensor>, int64_t, double,
                                     bool, std::complex<double>, std::string, std::vector<int64_t>,
                                     std::vector<double>, DType, std::vector<std::string>>;

/// The results of a call. Compiled files say how many there are, so access by number throws Error
/// past the last one.
class CallResults {
 public:
  template <std::convertible_to<std::span<Tensor>> Tensors>
  CallResults(Tensors&& results)  // NOLINT(google-explicit-constructor)
      : results_(results) {}

  size_t size() const { return results_.size(); }

  Tensor& operator[](size_t i) const;

 private:
  std::span<Tensor> results_;
};

struct LibraryCall {
  std::string_view function;
  std::span<const LibraryArgument> arguments;
  CallResults results;
  /// Threads and memory that calls share. Null: the caller runs alone, with the call's own memory.
  LibraryContext* context = nullptr;
  /// Bit i: argument i has the same values at the same address in every call with this context.
  uint64_t constants = 0;
  /// Runs on every tile of the result if not null; only for functions whose facts accept one.
  const TileEpilogue* epilogue = nullptr;

  bool is_constant(size_t i) const { return i < 64 && (constants >> i & 1) != 0; }

  // Typed access; check-fails on another kind.
  const Tensor& tensor(size_t i) const;
  /// Undefined for None.
  const Tensor& optional_tensor(size_t i) const;
  std::span<const Tensor> tensors(size_t i) const;
  int64_t integer(size_t i) const;
  double real(size_t i) const;
  bool flag(size_t i) const;
  std::string_view str(size_t i) const;
  std::span<const int64_t> integers(size_t i) const;
  bool is_none(size_t i) const;
};

/// Throws Error for values that the function does not support.
using LibraryFunction = void (*)(LibraryCall& call);

/// A call in which only addresses change. Everything that depends on sizes, layouts, numbers and
/// constants is computed already.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  /// `addresses` are those of element 0: argument i at index i, then the results. Addresses of
  /// constants must be those of the preparation. One run at a time.
  virtual void run(std::span<std::byte* const> addresses, const TileEpilogue* epilogue) = 0;
};

/// Throws what the function throws. Returns null if such a call cannot be prepared.
using PrepareFunction = std::unique_ptr<PreparedCall> (*)(const LibraryCall& call);

struct LibraryEntry {
  std::string_view name;
  LibraryFunction run;
  PrepareFunction prepare = nullptr;  ///< Null: every call is described anew.
  machine::FunctionFacts facts = {};
};

/// The reference functions, sorted by name.
std::span<const LibraryEntry> reference_library();
/// Returns a function of the reference library or of a user (user_functions.h); null if unknown.
const LibraryEntry* find_library_entry(std::string_view name);
LibraryFunction find_library_function(std::string_view name);
/// The facts of a function, for machine::Machine; null if unknown.
const machine::FunctionFacts* function_facts(std::string_view name);

}  // namespace litz::kernels
