// Litz: runs exported PyTorch programs from C++.
//
//   litz::Result<litz::Executable> loaded = litz::load("model.pt2");
//   if (!loaded) { std::cerr << loaded.error().message << "\n"; return 1; }
//   auto outputs = loaded->run({litz::Tensor::from<float>({2, 8}, values)});
//
// What can fail as programs run gives a Result. Mistakes of the code that calls throw, as each comment
// says: tensors whose sizes and elements do not fit, and Result::value() of a failure.

#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if defined(__GNUC__)
#define LITZ_API __attribute__((visibility("default")))
#else
#define LITZ_API
#endif

struct litz_operator_library;  // litz/operators.h

namespace litz {
// An inline namespace: the names are litz::Tensor and so on, the symbols stay apart from the
// library's own.
inline namespace v1 {

/// Element types. Halves and float8 are given and taken as their bits (uint16_t, uint8_t).
enum class DType : uint8_t {
  bool_,
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  uint64,
  int64,
  float8_e4m3fn,
  float8_e5m2,
  float8_e4m3fnuz,
  float8_e5m2fnuz,
  float8_e8m0fnu,
  float16,
  bfloat16,
  float32,
  float64,
  complex32,
  complex64,
  complex128,
};

/// The element type of T: bool, whole numbers by their size and sign, float, double, and std::complex
/// of these two. Others do not compile.
template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return DType::bool_;
  } else if constexpr (std::is_same_v<T, float>) {
    return DType::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DType::float64;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return DType::complex64;
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return DType::complex128;
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= sizeof(int64_t),
                  "tensors have no elements of this type");
    constexpr DType kSigned[] = {DType::int8, DType::int16, DType::int32, DType::int64};
    constexpr DType kUnsigned[] = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
    constexpr size_t kSize = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kSize] : kUnsigned[kSize];
  }
}

/// Kind of a failure; programs switch on it, people read the message.
enum class ErrorKind : uint8_t {
  invalid_argument,  ///< Inputs or options that do not fit.
  not_found,
  corrupt,      ///< The file breaks the rules of its format.
  unsupported,  ///< Valid, but not implemented; the message names the operator.
  limit_exceeded,
  out_of_range,  ///< An index or size computed from data lies outside its range.
  io,
  internal,  ///< A bug in Litz.
};

struct Failure {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  ///< What must hold, where, and what to try; may have several lines.
};

/// A value or a Failure.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}  // NOLINT: returns read `return value;`

  Result(Failure failure) : content_(std::move(failure)) {}  // NOLINT: and `return failure;`

  explicit operator bool() const { return content_.index() == 0; }

  /// Requires success.
  T& operator*() { return std::get<0>(content_); }

  T* operator->() { return &std::get<0>(content_); }

  /// Requires failure.
  const Failure& error() const { return std::get<1>(content_); }

  /// The value; throws std::runtime_error with the message on failure.
  T& value() {
    if (content_.index() != 0) throw std::runtime_error(error().message);
    return std::get<0>(content_);
  }

 private:
  std::variant<T, Failure> content_;
};

/// A row-major tensor on the host; copies share their memory.
class LITZ_API Tensor {
 public:
  Tensor();
  ~Tensor();
  Tensor(const Tensor&);
  Tensor(Tensor&&) noexcept;
  Tensor& operator=(const Tensor&);
  Tensor& operator=(Tensor&&) noexcept;

  /// A zero-filled tensor; sizes must be >= 0 and fit memory (std::length_error otherwise).
  Tensor(DType dtype, std::vector<int64_t> sizes);

  /// A copy of `values`, as many as the sizes say (else std::length_error), of type dtype_of<T>().
  template <typename T>
  static Tensor from(std::vector<int64_t> sizes, std::span<const T> values) {
    return copy_of(dtype_of<T>(), std::move(sizes), values.data(), values.size_bytes());
  }

  template <typename T>
  static Tensor from(std::vector<int64_t> sizes, const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, bool>) {  // Whose elements are bits.
      const auto bytes = std::make_unique<bool[]>(values.size());
      std::copy(values.begin(), values.end(), bytes.get());
      return from<bool>(std::move(sizes), std::span<const bool>(bytes.get(), values.size()));
    } else {
      return from<T>(std::move(sizes), std::span<const T>(values));
    }
  }

  DType dtype() const;
  const std::vector<int64_t>& sizes() const;
  int64_t numel() const;
  size_t bytes() const;
  /// Row-major elements; writable.
  std::byte* data();
  const std::byte* data() const;

  /// The elements as T, whose dtype_of must be theirs; halves are uint16_t and float8 uint8_t, their
  /// bits. Else std::invalid_argument.
  template <typename T>
  std::span<T> as() {
    require_elements(dtype_of<T>());
    return {reinterpret_cast<T*>(data()), bytes() / sizeof(T)};
  }

  template <typename T>
  std::span<const T> as() const {
    require_elements(dtype_of<T>());
    return {reinterpret_cast<const T*>(data()), bytes() / sizeof(T)};
  }

 private:
  friend class Executable;
  struct Impl;
  explicit Tensor(std::unique_ptr<Impl> impl);
  void require_elements(DType type) const;
  static Tensor copy_of(DType dtype, std::vector<int64_t> sizes, const void* values, size_t bytes);
  std::unique_ptr<Impl> impl_;
};

/// An input or output of a program, flattened: a tensor, a host scalar, or None.
using Value = std::variant<std::monostate, Tensor, int64_t, double, bool>;

/// How programs run.
enum class Executor : uint8_t {
  cpu,         ///< Compiled for this processor.
  interpreter  ///< The reference: slow, the same results up to rounding.
};

struct Options {
  std::string model;  ///< Which model of an archive with several.
  Executor executor = Executor::cpu;
  /// Threads that compile and run, the caller included, at most 1024; 0: one for each CPU. Results
  /// do not depend on it, so where the system starts fewer, those work (and a warning is logged).
  int threads = 0;
  /// Keeps compiled kernels on disk, in $LITZ_CACHE_DIR or the user's cache folder.
  bool use_cache = true;
  /// Compiles only what annotations of the exported program mark (torch.fx.traceback.annotate with
  /// compile_with_inductor), each region by its own options; the rest runs operator by operator.
  bool regional = false;
  /// Runs a region that cannot be compiled operator by operator, too, instead of failing.
  bool region_fallback = false;
  /// Replays the parts that a CUDA graph can record as lists of launches, as exported, and runs the rest
  /// operator by operator. Regions are then told apart by that instead of by annotations.
  bool cuda_graphs = false;
  /// Where the program runs: "cpu", or "sim", a simulated device for tests, whose memory the host
  /// cannot read and whose work runs late and out of order. Empty: on the host, with a warning in the
  /// log if the program was exported on another device. Inputs and results lie on the host in any
  /// case. `load` fails for "cuda" and "cuda:N", which have no executor yet.
  std::string device;
  /// Of the numbers that random operators draw (dropout, rand, ...). Call i of an Executable, counted
  /// from 0, draws the same numbers wherever seed and i are the same: with every executor, number of
  /// threads and kind of compilation, and in every process. They are not PyTorch's numbers.
  uint64_t seed = 0;
};

/// A loaded program with its weights. Buffers that it changes keep their contents between calls.
/// Several threads may run one: calls of a program that changes buffers follow each other, others
/// run side by side. Who passes one tensor to several calls that write it keeps them apart.
class LITZ_API Executable {
 public:
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  /// Readable names of the flat inputs, in the order that `run` takes them.
  const std::vector<std::string>& input_names() const;
  /// Runs on flat inputs in order. Tensors that the program writes are changed in place; inputs that
  /// share memory with one of them are read as they were when the call began. After an error, buffers
  /// and these tensors may hold a part of what the call would have written.
  Result<std::vector<Value>> run(std::span<const Value> inputs);

  Result<std::vector<Value>> run(std::initializer_list<Value> inputs) {
    return run(std::span<const Value>(inputs.begin(), inputs.size()));
  }

  /// How many regions were compiled by themselves: see Options::regional.
  size_t region_count() const;
  /// A region as a program: its inputs are the operands that are no weights, and after them sizes
  /// that no operand has. It stays usable when this program is gone.
  Result<Executable> region(size_t i) const;

  /// Writes code, weights and signature to a file that `load_compiled` takes, without the .pt2; buffers with their
  /// contents of now. Programs with regions are saved region by region. Gives the size of the file.
  Result<size_t> save(const std::string& path) const;

 private:
  friend class Program;  // litz/partition.h
  friend LITZ_API Result<Executable> load(const std::string& path, const Options& options);
  friend LITZ_API Result<Executable> load_compiled(const std::string& path, const Options& options);
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads an exported program (.pt2), or one that `litz partition -o` wrote, and makes it ready to run.
/// Nothing in the file is executed; a file of `save` is refused, since it holds machine code.
LITZ_API Result<Executable> load(const std::string& path, const Options& options = {});

/// Reads what `save` or `litz compile` wrote; nothing is compiled. Fails for files of another build of
/// Litz, for another processor, for damaged ones and for exported programs, and says which. Of the options, threads and seed
/// count, and the executor must be cpu. Files hold machine code: load only what you would run.
LITZ_API Result<Executable> load_compiled(const std::string& path, const Options& options = {});

/// Registers the operators of a shared object or of a table, as litz/operators.h describes them, all of
/// them or, where that fails, none. Programs that are loaded from then on may call them. They stay until
/// the process ends; registering the same ones again changes nothing. Gives how many there are. Thread-
/// safe. A shared object runs code: load only what you trust.
LITZ_API Result<size_t> register_operators(const std::string& path);
LITZ_API Result<size_t> register_operators(const litz_operator_library& library);

/// "0.1.0"
LITZ_API const char* version();

}  // namespace v1
}  // namespace litz
