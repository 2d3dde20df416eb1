// Litz: runs exported PyTorch programs from C++.
//
//   litz::Result<litz::Executable> loaded = litz::load("model.pt2");
//   if (!loaded) { std::cerr << loaded.error().message << "\n"; return 1; }
//   auto outputs = loaded->run({litz::Tensor::from<float>({2, 8}, values)});
//
// Functions that can fail at run time return a Result. Errors of the caller throw, as each comment
// says: tensors whose sizes and elements do not fit, and Result::value() of a failure.

#pragma once

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
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
// The namespace is inline: callers write litz::Tensor, and the symbols differ from those of the
// library's internals.
inline namespace v1 {

/// Element types. Halves and float8 are passed and returned as their bits (uint16_t, uint8_t).
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

/// The element type of T: bool, integers by size and sign, float, double, and std::complex of float
/// or double. Other types do not compile.
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

/// The kind of a failure. Programs switch on it; people read the message.
enum class ErrorKind : uint8_t {
  invalid_argument,  ///< Inputs or options do not fit.
  not_found,
  corrupt,      ///< The file breaks the rules of its format.
  unsupported,  ///< Valid, but not implemented; the message names the operator.
  limit_exceeded,
  out_of_range,  ///< An index or size computed from data lies outside its range.
  io,
  cancelled,  ///< The caller stopped the call, or its deadline passed.
  internal,   ///< A bug in Litz.
  out_of_memory,
  untrusted,  ///< A file is not signed by a key that Options::trusted_keys names.
};

struct Failure {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  ///< What must hold, where, and what to try. May have several lines.
};

/// A value or a Failure.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}  // NOLINT: returns read `return value;`

  Result(Failure failure) : content_(std::move(failure)) {}  // NOLINT: and `return failure;`

  explicit operator bool() const { return content_.index() == 0; }

  /// Requires success.
  T& operator*() & { return std::get<0>(content_); }

  const T& operator*() const& { return std::get<0>(content_); }

  T&& operator*() && { return std::move(std::get<0>(content_)); }

  T* operator->() { return &std::get<0>(content_); }

  const T* operator->() const { return &std::get<0>(content_); }

  /// Requires failure.
  const Failure& error() const { return std::get<1>(content_); }

  /// The value; throws std::runtime_error with the message on failure.
  T& value() & { return checked(*this); }

  const T& value() const& { return checked(*this); }

  T value() && { return std::move(checked(*this)); }

 private:
  template <typename Self>
  static auto& checked(Self& self) {
    if (self.content_.index() != 0) throw std::runtime_error(self.error().message);
    return std::get<0>(self.content_);
  }

  std::variant<T, Failure> content_;
};

/// Success without a value, or a Failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;

  Result(Failure failure)  // NOLINT: returns read `return failure;`
      : failure_(std::move(failure)) {}

  explicit operator bool() const { return !failure_.has_value(); }

  /// Requires failure.
  const Failure& error() const { return *failure_; }

  /// Throws std::runtime_error with the message on failure.
  void value() const {
    if (failure_) throw std::runtime_error(failure_->message);
  }

 private:
  std::optional<Failure> failure_;
};

class Index;  // litz/index.h
class Size;   // litz/size.h
class Tensor;

/// How Tensor::backward runs.
struct BackwardOptions {
  /// The gradient of the tensor itself; null: 1, for a tensor of one real number.
  const Tensor* gradient = nullptr;
  /// Keeps what gradients need, so that another pass can follow.
  bool retains = false;
};

/// A tensor on the host or on an NVIDIA card (docs/cuda.md). Copies share their memory. A tensor that was
/// moved from has one dimension of size 0.
///
/// Work on tensors of a card may run after the call that begins it has returned, in order. Reading
/// elements and copies to the host wait for it, and throw what it has reported by then.
class LITZ_API Tensor {
 public:
  Tensor();
  ~Tensor();
  Tensor(const Tensor&);
  Tensor(Tensor&&) noexcept;
  /// The name then stands for the other tensor. To write elements, as in x[{0}] = y, call copy_.
  Tensor& operator=(const Tensor&) &;
  Tensor& operator=(Tensor&&) & noexcept;

  /// Makes a zero-filled tensor. Sizes must be >= 0 and fit memory (std::length_error otherwise).
  Tensor(DType dtype, std::vector<int64_t> sizes);

  /// Makes a tensor with unspecified elements. Throws as the constructor does.
  static Tensor uninitialized(DType dtype, std::vector<int64_t> sizes);

  /// Makes a tensor over the caller's memory, without a copy: `data` is element 0, and strides count
  /// elements (row-major if empty). The memory must live as long as the tensor, its copies and results
  /// that are views of it; `owner` is released after the last of them. Throws std::length_error for
  /// sizes or strides that are negative or do not match, and for null data of a tensor with elements.
  ///
  /// `device` "cuda:N" is for memory of a card: what makes its elements must be done, or be work of this
  /// thread's StreamScope. `owner` is then released once the work that uses the memory is done, by a call
  /// of Litz on that card. Throws Error for other devices, and if there is no such card.
  static Tensor over(DType dtype, std::vector<int64_t> sizes, void* data,
                     std::vector<int64_t> strides = {}, std::shared_ptr<const void> owner = nullptr,
                     const std::string& device = "cpu");

  /// Copies `values` into a tensor of type dtype_of<T>(). Throws std::length_error unless there are
  /// as many values as the sizes say.
  template <typename T>
  static Tensor from(std::vector<int64_t> sizes, std::span<const T> values) {  // NOLINT: moved.
    return copy_of(dtype_of<T>(), std::move(sizes), values.data(), values.size_bytes());
  }

  template <typename T>
  static Tensor from(std::vector<int64_t> sizes, const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> stores bits.
      const auto bytes = std::make_unique<bool[]>(values.size());
      std::copy(values.begin(), values.end(), bytes.get());
      return from<bool>(std::move(sizes), std::span<const bool>(bytes.get(), values.size()));
    } else {
      return from<T>(std::move(sizes), std::span<const T>(values));
    }
  }

  /// "cpu" or "cuda:N"; "sim:N" for results of programs on the simulated device.
  std::string device() const;

  /// A copy on a device, in the order of this thread's work on it; the tensor itself if it is there. A
  /// copy to the host waits. The copy requires no gradients. Throws Error if there is no such card.
  Tensor to(const std::string& device) const;

  /// Returns when the elements are there. Throws Error if work until then has failed, such as an index
  /// out of range, with the operator. Does nothing for tensors on the host.
  void wait() const;

  /// Makes the work that a stream of the card (a CUstream or cudaStream_t) gets from now on run after
  /// the elements are there. Memory of results is used again only after it, if it was given before the
  /// tensor was dropped. Throws Error for tensors on the host.
  void wait_on(void* stream) const;

  DType dtype() const;
  const std::vector<int64_t>& sizes() const;
  /// The number of dimensions.
  int64_t dim() const;
  /// The size of one dimension; negative ones count from the last. Inside of a compiled function it can
  /// be another one in each call (litz/size.h). Throws Error for other dimensions.
  Size size(int64_t dim) const;
  /// Elements from one index to the next, by dimension. Results of programs are row-major on the host,
  /// and on a card as the program states.
  const std::vector<int64_t>& strides() const;
  bool is_row_major() const;
  int64_t numel() const;
  /// The bytes of all elements, without those between them.
  size_t bytes() const;
  /// Returns element 0, which may be written; null for a tensor without elements. On a card it is an
  /// address that only work of the card may access, after wait() or wait_on().
  std::byte* data();
  const std::byte* data() const;

  /// Views the elements of a row-major tensor on the host as T. Throws std::invalid_argument for others, and
  /// unless dtype_of<T>() is their type, or T is uint16_t for halves or uint8_t for float8.
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

  /// Copies the elements, in row-major order, converted to T as PyTorch converts them.
  template <typename T>
  std::vector<T> to_vector() const {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> stores bits; take uint8_t");
    std::vector<T> values(static_cast<size_t>(numel()));
    copy_to(dtype_of<T>(), values.data());
    return values;
  }

  /// The only element, converted to T. Throws std::length_error unless there is one.
  template <typename T>
  T item() const {
    if (numel() != 1) throw std::length_error("a tensor with one element has an item");
    T value{};
    copy_to(dtype_of<T>(), &value);
    return value;
  }

  /// A part of the tensor, as in PyTorch: x[{0, slice(1, {}, 2), newaxis}] (litz/index.h). Without
  /// tensors among the indices, it shares the memory.
  Tensor operator[](std::initializer_list<Index> indices) const;

  /// True for floating and complex tensors.
  bool is_differentiable() const;

  /// True for a leaf, and for what operators computed from one while gradients were recorded
  /// (litz/tape.h).
  bool requires_grad() const;

  /// Makes the tensor a leaf: operators that it is given to record what its gradient needs. This handle
  /// and copies that are made of it from now on are that leaf. Throws Error for dtypes without gradients,
  /// and if a result of operators shall no longer require them: detach it.
  Tensor& requires_grad_(bool required = true);  // NOLINT: PyTorch's name.

  /// Adds the gradients of this number to those of all leaves that it depends on, in one program, which
  /// is kept for the next time. Throws Error for tensors that depend on no leaf, for operators without
  /// gradients, and if a tensor that gradients need was written in place or released by an earlier pass.
  /// No other thread may use the same leaves meanwhile.
  void backward(const BackwardOptions& options = {}) const;

  /// The gradients that a leaf has collected so far.
  std::optional<Tensor> grad() const;
  /// Replaces them; with nothing, the leaf starts again.
  void set_grad(const std::optional<Tensor>& gradient) const;
  /// Returns them, zeros if there are none, and starts again.
  Tensor take_grad() const;

 private:
  friend class Executable;
  friend struct TensorAccess;
  struct Impl;
  explicit Tensor(std::shared_ptr<Impl> impl);
  void require_elements(DType type) const;
  void copy_to(DType dtype, void* values) const;
  static Tensor copy_of(DType dtype, std::vector<int64_t> sizes, const void* values, size_t bytes);
  std::shared_ptr<Impl> impl_;  ///< Shared by copies; null: no elements.
};

/// An input or output of a program, flattened: a tensor, a host scalar, text, or None.
using Value = std::variant<std::monostate, Tensor, int64_t, double, bool, std::string>;

/// How a program runs.
enum class Executor : uint8_t {
  cpu,         ///< Compiles for this processor.
  interpreter  ///< The reference: slow, with the same results up to rounding.
};

/// Threads that several programs share: Options::pool. A program that finds them busy with another
/// one's work runs on its caller's thread.
class LITZ_API Threads {
 public:
  /// Makes `count` threads, callers included, at most 1024; 0: one for each CPU that this process may
  /// use. Thread i, from 1 on, stays on CPU `cpus[i % cpus.size()]` if there are CPUs. Throws
  /// std::invalid_argument for another count, and for CPUs that this process may not use.
  explicit Threads(int count = 0, std::span<const int> cpus = {});
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// The number of threads, callers included.
  int count() const;

 private:
  friend struct OptionsAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How the ranks of a program of several find each other (docs/distributed.md).
struct GroupOptions {
  /// The ranks of groups by name, the same on all ranks. PyTorch's default group, "0", is all of them.
  std::map<std::string, std::vector<int>> groups;
  /// How long a rank waits for others at a time before it fails; 0: for ever.
  std::chrono::milliseconds patience{0};
};

/// One of the ranks that run a program together: Options::group. Thread-safe, but all ranks must start
/// the same collectives in the same order, so their calls must come in one order too.
class LITZ_API Group {
 public:
  /// `ranks` ranks in this process, for tests: element i is rank i. Each needs a thread of its own,
  /// because calls wait for the others.
  static Result<std::vector<std::shared_ptr<Group>>> simulated(int ranks,
                                                               const GroupOptions& options = {});
  /// This process as one of those that mpirun started; all must join at the same time. The last owner
  /// waits for the others to end too. Needs liblitz_mpi.so and MPI.
  static Result<std::shared_ptr<Group>> mpi(const GroupOptions& options = {});

  /// The same on NVIDIA cards, through NCCL: programs then run with Options::device "cuda:N" for the
  /// card N. Ranks meet over MPI.
  static Result<std::shared_ptr<Group>> nccl(int card, const GroupOptions& options = {});
  /// Ranks meet through a file that all of them name, and that must not exist yet.
  static Result<std::shared_ptr<Group>> nccl(int card, int rank, int world,
                                             const std::string& rendezvous,
                                             const GroupOptions& options = {});

  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const;
  int world() const;  ///< The number of ranks.

  /// This rank failed for this reason: others that wait for it fail too, instead of for ever.
  void leave(const std::string& reason);

 private:
  friend struct GroupAccess;
  friend struct OptionsAccess;
  struct Impl;
  explicit Group(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class GraphContext;  // litz/graph_trees.h

/// Calls and copies of this thread that run on a card add their work to a stream of the caller's (a
/// CUstream or cudaStream_t; null is the default stream) while it lives, instead of to a stream of Litz
/// for this thread. Calls whose results stay on the card then only submit work, in the order of the
/// stream. The stream must live until the scope has ended. Scopes nest.
class LITZ_API StreamScope {
 public:
  explicit StreamScope(void* stream, const std::string& device = "cuda:0");
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns when all work of a card is done, and releases what waited for it. Failures stay for those who
/// wait for the tensors. Throws Error if there is no such card.
LITZ_API void synchronize(const std::string& device = "cuda:0");

/// Where results of calls lie, for programs on a card.
enum class ResultPlace : uint8_t {
  automatic,  ///< On the card if an input of the call is there, else on the host.
  host,       ///< Calls wait for them.
  device,     ///< Calls return when their work is submitted.
};

struct Options {
  std::string model;  ///< Names one model of an archive with several.
  Executor executor = Executor::cpu;
  /// The number of threads that compile and run, the caller included, at most 1024; 0: one per CPU.
  /// Results do not depend on it. If the system starts fewer threads, those do the work, and a
  /// warning is logged.
  int threads = 0;
  /// Threads that programs share, instead of `threads` of this program's own.
  std::shared_ptr<Threads> pool;
  /// The rank that this program is, if it was sharded over several. `load` and `load_compiled` then
  /// compare the programs of all ranks, so that all must load at the same time.
  std::shared_ptr<Group> group;
  /// Keeps compiled kernels on disk, in `cache_directory`, $LITZ_CACHE_DIR or the user's cache folder.
  bool use_cache = true;
  std::string cache_directory;
  /// The size of the cache: the least recently used kernels beyond it go. 0: $LITZ_CACHE_SIZE MiB, or
  /// 1 GiB.
  uint64_t cache_bytes = 0;
  /// Compiles only the regions that annotations of the exported program mark
  /// (torch.fx.traceback.annotate with compile_with_inductor), each with its own options. The rest
  /// runs operator by operator.
  bool regional = false;
  /// Runs a region that cannot be compiled operator by operator instead of failing.
  bool region_fallback = false;
  /// Replays the parts that a CUDA graph can record as lists of launches and runs the rest operator
  /// by operator. This property then delimits the regions, instead of annotations.
  bool cuda_graphs = false;
  /// Programs that share memory and steps: all of one context. Null: the program is alone.
  std::shared_ptr<GraphContext> graphs;
  /// The device that the program runs on: "cpu"; "cuda" or "cuda:N", an NVIDIA card; or "sim", a
  /// simulated device for tests, whose memory the host cannot read and whose work runs late and out
  /// of order. If empty, the program runs on the device of `graphs`, else on the host, and a warning is
  /// logged if it was exported on another device. Inputs may be on the host or on the program's device.
  /// `load` fails without the card, its driver, or NVIDIA's run-time compiler (docs/cuda.md).
  std::string device;
  ResultPlace results = ResultPlace::automatic;
  /// The seed of random operators (dropout, rand, ...). Call i of an Executable, counted from 0,
  /// draws the same numbers wherever seed and i are the same: with every executor, number of
  /// threads and kind of compilation, and in every process. They are not PyTorch's numbers.
  uint64_t seed = 0;
  /// What the backward part of a training program may keep from its forward part, as a share from 0 to
  /// 1, like PyTorch's activation_memory_budget; the rest is computed again. 1: what is left when cheap
  /// operators are repeated where that moves less memory. 0: only inputs. Nothing: everything, except
  /// for what litz::checkpoint marks.
  std::optional<double> memory_budget;
  /// Verifies the checksums of all weights, which `load` otherwise reads when calls need them. Without
  /// this, it does so for files up to 16 MiB and for small weights; `load_compiled` always does.
  bool verify_checksums = false;
  /// Copies files to memory instead of mapping them, so that a file which is overwritten, cut or on a
  /// share that goes away while the program lives does no harm. Costs the time to read it and memory of
  /// its size, which processes do not share. Files up to 64 KiB always are copied.
  bool copy_file = false;
  /// For `load_compiled`: refuses files that none of these keys signed (`litz key`, `litz sign`) before
  /// anything in them is used. Each is the text of a public key, NAME.pub, or its 64 digits. If empty,
  /// any file is loaded. See docs/embedding.md, "Signed programs".
  std::vector<std::string> trusted_keys;
};

/// The kind of an input or output.
enum class ValueKind : uint8_t { none, tensor, integer, real, boolean, text };

/// A size of a tensor: one number, or a range from which each call has a number.
struct SizeInfo {
  int64_t least = 0;
  int64_t most = 0;  ///< INT64_MAX where nothing bounds it.
  std::string text;  ///< "8", "s0", "2*s0 + 1": in one call, sizes of equal text are equal.

  bool is_fixed() const { return least == most; }
};

/// An input, output or buffer of a program.
struct SignatureEntry {
  std::string name;  ///< "x", "opts['k']", "out0", "cache.keys".
  ValueKind kind = ValueKind::none;
  DType dtype = DType::float32;  ///< Tensors only.
  std::vector<SizeInfo> sizes;   ///< Tensors only.
  /// The value that the program was exported with and that calls must pass: a number, text in quotes,
  /// or None. Empty for inputs that calls choose.
  std::string constant;
};

/// Ends a call early, between two of its kernels or library calls; one that runs is not interrupted.
/// The call then fails with ErrorKind::cancelled, and buffers and inputs that it changes may hold a
/// part of what it would have written. A call that waits for another call's buffers is not ended.
struct CallLimit {
  std::stop_token stop;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// The time of a part of calls.
struct ProfileEntry {
  std::string label;   ///< The kernel or library call: "%7 = aten.gelu".
  double seconds = 0;  ///< The mean of all calls.
};

class Session;

/// A loaded program with its weights. Buffers that it changes keep their contents between calls.
/// Several threads may call it: calls of a program that changes buffers run one after another,
/// other calls run concurrently. A caller that passes one tensor to several calls that write it
/// must not let these calls overlap.
/// After it was moved from, functions with a Result fail, and others throw std::logic_error.
class LITZ_API Executable {
 public:
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  /// Returns readable names of the flat inputs, in the order that `run` takes them.
  const std::vector<std::string>& input_names() const;
  /// Describes the flat inputs of `run` and its results, in order.
  std::vector<SignatureEntry> inputs() const;
  std::vector<SignatureEntry> outputs() const;

  /// Runs on flat inputs in order. Tensors that the program writes are changed in place. Inputs
  /// that share memory with one of them are read as they were when the call began. After an error,
  /// buffers and these tensors may hold a part of what the call would have written.
  Result<std::vector<Value>> run(std::span<const Value> inputs);

  Result<std::vector<Value>> run(std::initializer_list<Value> inputs) {
    return run(std::span<const Value>(inputs.begin(), inputs.size()));
  }

  /// Like `run`, and writes the results, which must be tensors of these types and sizes, to `outputs`.
  /// Row-major memory that is aligned to 64 bytes and apart from the inputs is written at once, other
  /// memory by a copy. Outputs must not overlap. After an error, they may hold anything.
  Result<void> run_into(std::span<const Value> inputs, std::span<Tensor> outputs);
  /// The same for results of any kind: writes to the tensors among `outputs` and replaces other values,
  /// such as numbers, by the results.
  Result<void> run_into(std::span<const Value> inputs, std::vector<Value>& outputs);

  /// The same, with a limit.
  Result<std::vector<Value>> run(std::span<const Value> inputs, const CallLimit& limit);
  Result<void> run_into(std::span<const Value> inputs, std::span<Tensor> outputs,
                        const CallLimit& limit);
  Result<void> run_into(std::span<const Value> inputs, std::vector<Value>& outputs,
                        const CallLimit& limit);

  /// Does the work of a first call with inputs of these sizes except running: memory is planned and
  /// addresses are bound. Does nothing for programs with control flow or sizes from data.
  Result<void> prepare(std::span<const Value> inputs);

  /// Runs `calls` calls, which change buffers like others, and returns the time of each kernel and
  /// library call, in order. Fails for programs with control flow, sizes from data or regions, and for
  /// the interpreter.
  Result<std::vector<ProfileEntry>> profile(std::span<const Value> inputs, int calls = 1);

  /// Describes the buffers that calls change: caches, running statistics, counters.
  std::vector<SignatureEntry> buffers() const;
  /// Copies the present contents of a buffer; writes new contents of the same type and sizes; gives all
  /// buffers the contents that they were loaded with. Each waits for a call that changes them.
  Result<Tensor> read_buffer(const std::string& name) const;
  Result<void> write_buffer(const std::string& name, const Tensor& value);
  Result<void> reset_buffers();

  /// Makes a session: calls with buffers of their own, which start as they were loaded. Code, constant
  /// weights and threads are this program's, so that a session costs the memory of its buffers.
  Result<Session> session() const;

  /// The number of separately compiled regions: see Options::regional.
  size_t region_count() const;
  /// Returns a region as a program. Its inputs are the operands that are not weights, followed by
  /// sizes that no operand has. It may outlive this program.
  Result<Executable> region(size_t i) const;

  /// Writes code, weights, signature and the present contents of buffers to a file, which
  /// `load_compiled` reads without the .pt2. A program with regions is saved whole: its threads are then
  /// those of `load_compiled`, for all regions.
  /// Returns the size of the file.
  Result<size_t> save(const std::string& path) const;
  /// The bytes of that file.
  Result<std::vector<std::byte>> save() const;

 private:
  friend class Program;  // litz/partition.h
  friend class Session;
  friend class Tensor;
  friend LITZ_API Result<Executable> load(const std::string& path, const Options& options);
  friend LITZ_API Result<Executable> load(std::span<const std::byte> bytes,
                                          std::shared_ptr<const void> owner,
                                          const Options& options);
  friend LITZ_API Result<Executable> load_compiled(const std::string& path, const Options& options);
  friend LITZ_API Result<Executable> load_compiled(std::span<const std::byte> bytes,
                                                   std::shared_ptr<const void> owner,
                                                   const Options& options);
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

/// Calls of an Executable with buffers of their own, for example one conversation with a cache of keys
/// and values. Thread-safe like an Executable; calls of several sessions run concurrently. It may
/// outlive the Executable. Call i, counted from 0 in each session, draws the same random numbers.
class LITZ_API Session {
 public:
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// As of Executable.
  Result<std::vector<Value>> run(std::span<const Value> inputs);

  Result<std::vector<Value>> run(std::initializer_list<Value> inputs) {
    return run(std::span<const Value>(inputs.begin(), inputs.size()));
  }

  Result<void> run_into(std::span<const Value> inputs, std::span<Tensor> outputs);
  Result<void> run_into(std::span<const Value> inputs, std::vector<Value>& outputs);
  Result<std::vector<Value>> run(std::span<const Value> inputs, const CallLimit& limit);
  Result<void> run_into(std::span<const Value> inputs, std::span<Tensor> outputs,
                        const CallLimit& limit);
  Result<void> run_into(std::span<const Value> inputs, std::vector<Value>& outputs,
                        const CallLimit& limit);

  Result<Tensor> read_buffer(const std::string& name) const;
  Result<void> write_buffer(const std::string& name, const Tensor& value);
  Result<void> reset_buffers();

 private:
  friend class Executable;
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

/// Reads an exported program (.pt2), or one that `litz partition -o` wrote, and prepares it to run.
/// Nothing in the file is executed. Files of `save` are refused, since they hold machine code.
LITZ_API Result<Executable> load(const std::string& path, const Options& options = {});

/// The same for a file in memory; `owner` keeps the bytes alive, and is released with the program and
/// with results that are views of its weights. Bytes must begin at a multiple of 64.
LITZ_API Result<Executable> load(std::span<const std::byte> bytes,
                                 std::shared_ptr<const void> owner, const Options& options = {});

/// Reads a file that `save` or `litz compile` wrote; compiles nothing. Fails for damaged files, for
/// those of another build of Litz or another processor, and for exported programs, and says which.
/// Of the options, `threads`, `pool`, `group`, `device`, `results`, `seed` and `trusted_keys` are used;
/// `executor` must be cpu.
/// Files hold machine code: load only what you would run, or what a trusted key signed.
LITZ_API Result<Executable> load_compiled(const std::string& path, const Options& options = {});

/// The same for a file in memory, as for `load`.
LITZ_API Result<Executable> load_compiled(std::span<const std::byte> bytes,
                                          std::shared_ptr<const void> owner,
                                          const Options& options = {});

/// The weight of a message.
enum class LogLevel : uint8_t { debug, info, warning, error, off };

/// Messages below `level` (warning at first) are dropped; others go to `sink`, or to standard error if
/// it is empty. The sink may be called by several threads at a time; what it throws is dropped. Throws
/// std::invalid_argument for another level.
LITZ_API void set_log(LogLevel level,
                      std::function<void(LogLevel level, std::string_view message)> sink = {});

/// Registers the operators of a shared object or of a table (see litz/operators.h): all of them or,
/// on failure, none. Programs that are loaded from then on may call them. They stay until the
/// process ends; registering the same ones again changes nothing. Returns the number of operators.
/// Thread-safe. A shared object runs code: load only what you trust.
LITZ_API Result<size_t> register_operators(const std::string& path);
LITZ_API Result<size_t> register_operators(const litz_operator_library& library);

/// "0.1.0"
LITZ_API const char* version();

}  // namespace v1
}  // namespace litz
