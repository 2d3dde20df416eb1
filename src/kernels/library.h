// Library calls: computations that are not loop nests of our own (matrix products, convolution,
// decompositions of matrices, ...), behind one interface.
//
// A function gets the arguments of the operator call in schema order, evaluated: tensors, numbers,
// lists. Result tensors are allocated by the caller from the inferred types, except where sizes
// depend on data: then `results[i]` arrives undefined and the function creates it.

#pragma once

#include <complex>
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

struct LibraryCall {
  std::string_view function;
  std::span<const LibraryArgument> arguments;
  std::span<Tensor> results;
  /// Threads and memory that calls share; null: the caller alone and memory of the call's own.
  LibraryContext* context = nullptr;
  /// Bit i: argument i holds the same values at the same address in every call with this context.
  uint64_t constants = 0;
  /// Run on every tile of the result where not null; only for functions whose facts take one.
  const TileEpilogue* epilogue = nullptr;

  bool is_constant(size_t i) const { return i < 64 && (constants >> i & 1) != 0; }

  // Typed access; check-fails on another kind.
  const Tensor& tensor(size_t i) const;
  /// Undefined when None.
  const Tensor& optional_tensor(size_t i) const;
  std::span<const Tensor> tensors(size_t i) const;
  int64_t integer(size_t i) const;
  double real(size_t i) const;
  bool flag(size_t i) const;
  std::string_view str(size_t i) const;
  std::span<const int64_t> integers(size_t i) const;
  bool is_none(size_t i) const;
};

/// Throws Error for what the function cannot do with these values.
using LibraryFunction = void (*)(LibraryCall& call);

/// A call of which only addresses change: what depends on sizes, layouts, numbers and constants has
/// been worked out.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  /// `addresses` are those of element 0, of argument i at i and of result i after all arguments; those
  /// of constants are the ones that it was prepared with. One run at a time.
  virtual void run(std::span<std::byte* const> addresses, const TileEpilogue* epilogue) = 0;
};

/// Throws what the function throws. Null where such a call cannot be prepared.
using PrepareFunction = std::unique_ptr<PreparedCall> (*)(const LibraryCall& call);

struct LibraryEntry {
  std::string_view name;
  LibraryFunction run;
  PrepareFunction prepare = nullptr;  ///< Null: calls are described anew every time.
  machine::FunctionFacts facts = {};
};

/// The reference functions, sorted by name.
std::span<const LibraryEntry> reference_library();
/// One of the reference library or of a user (user_functions.h); null when unknown.
const LibraryEntry* find_library_entry(std::string_view name);
LibraryFunction find_library_function(std::string_view name);
/// Those of a function, for machine::Machine; null when unknown.
const machine::FunctionFacts* function_facts(std::string_view name);

}  // namespace litz::kernels
