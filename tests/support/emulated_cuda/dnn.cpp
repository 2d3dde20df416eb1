// cuDNN for the emulated card: convolutions one element after the other, as work of a stream.

#include <algorithm>
#include <cstring>

#include "machine.h"
#include "numbers.h"

namespace emulated {
namespace {

enum Status : int { kDnnSuccess = 0, kDnnBadParameter = 2000, kDnnNotSupported = 3000 };

constexpr int kTypes[][2] = {{0, kF32}, {1, kF64}, {2, kF16}, {9, kBf16}};

/// The number of a type in cuBLASLt's terms; -1 if unknown.
int type_of(int type) {
  for (const auto& [own, other] : kTypes) {
    if (own == type) return other;
  }
  return -1;
}

struct TensorData {
  int type = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

struct Convolution {
  std::vector<int64_t> padding;
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  int mode = 0;
  int groups = 1;
  int math = 0;
};

struct Library {
  void* stream = nullptr;
};

struct Dnn {
  Handles<Library> libraries{"handle of cuDNN"};
  Handles<TensorData> tensors{"description of a tensor"};
  Handles<TensorData> filters{"description of a filter"};
  Handles<Convolution> convolutions{"description of a convolution"};
};

Dnn& dnn() {
  static auto* const only = new Dnn;
  return *only;
}

/// An algorithm with its properties, as the library writes it.
struct Found {
  int algorithm;
  int status;
  float time;
  size_t memory;
  int determinism;
  int math;
  int reserved[3];
};

struct Operand {
  TensorData described;
  void* base = nullptr;

  void require_inside(const char* what) const {
    int64_t last = 0;
    for (size_t i = 0; i < described.sizes.size(); ++i) {
      last += (described.sizes[i] - 1) * described.strides[i];
    }
    require_usable(reinterpret_cast<uintptr_t>(base),
                   static_cast<size_t>(last + 1) * item_bytes(described.type), what);
  }

  int64_t place(const std::vector<int64_t>& index) const {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) at += index[i] * described.strides[i];
    return at;
  }
};

/// Steps through all indices below `sizes`; false after the last.
bool advance(std::vector<int64_t>& index, const std::vector<int64_t>& sizes) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++index[i] < sizes[i]) return true;
    index[i] = 0;
  }
  return false;
}

/// The pairs (x, y) with y = convolution of x by w; a transposed one computes x from y.
struct Work {
  Operand x;
  Operand w;
  Operand y;
  Convolution convolution;
  bool is_transposed = false;
};

void run(const Work& work) {
  work.x.require_inside("the input of a convolution");
  work.w.require_inside("the filter of a convolution");
  work.y.require_inside("the result of a convolution");
  const std::vector<int64_t>& out = work.y.described.sizes;
  const std::vector<int64_t>& in = work.x.described.sizes;
  const std::vector<int64_t>& filter = work.w.described.sizes;
  const Operand& target = work.is_transposed ? work.x : work.y;
  int64_t count = 1;
  for (const int64_t size : target.described.sizes) count *= size;
  std::vector<double> sums(static_cast<size_t>(count));
  const auto flat = [&](const std::vector<int64_t>& index) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) at = at * target.described.sizes[i] + index[i];
    return static_cast<size_t>(at);
  };
  const int64_t channels_out = out[1] / work.convolution.groups;
  std::vector<int64_t> y(out.size());
  do {
    std::vector<int64_t> inner(filter.begin() + 1, filter.end());
    std::vector<int64_t> f(inner.size());
    do {
      std::vector<int64_t> x(in.size());
      x[0] = y[0];
      x[1] = y[1] / channels_out * filter[1] + f[0];
      bool is_inside = true;
      for (size_t i = 2; i < in.size(); ++i) {
        const size_t d = i - 2;
        x[i] = y[i] * work.convolution.stride[d] - work.convolution.padding[d] +
               f[i - 1] * work.convolution.dilation[d];
        is_inside = is_inside && x[i] >= 0 && x[i] < in[i];
      }
      if (!is_inside) continue;
      std::vector<int64_t> w{y[1]};
      w.insert(w.end(), f.begin(), f.end());
      const double weight = load(work.w.base, work.w.described.type, work.w.place(w));
      const Operand& source = work.is_transposed ? work.y : work.x;
      const double value =
          load(source.base, source.described.type, source.place(work.is_transposed ? y : x));
      sums[flat(work.is_transposed ? x : y)] += weight * value;
    } while (advance(f, inner));
  } while (advance(y, out));
  std::vector<int64_t> index(target.described.sizes.size());
  do {
    store(target.base, target.described.type, target.place(index), sums[flat(index)]);
  } while (advance(index, target.described.sizes));
}

void add(const Operand& addend, const Operand& target) {
  addend.require_inside("an addend");
  target.require_inside("the target of an addition");
  std::vector<int64_t> index(target.described.sizes.size());
  do {
    std::vector<int64_t> from = index;
    for (size_t i = 0; i < from.size(); ++i) {
      if (addend.described.sizes[i] == 1) from[i] = 0;
    }
    const int64_t at = target.place(index);
    store(target.base, target.described.type, at,
          load(target.base, target.described.type, at) +
              load(addend.base, addend.described.type, addend.place(from)));
  } while (advance(index, target.described.sizes));
}

/// False unless the shapes fit each other.
bool fit(const TensorData& x, const TensorData& w, const TensorData& y, const Convolution& c) {
  const size_t rank = x.sizes.size();
  if (rank < 4 || w.sizes.size() != rank || y.sizes.size() != rank || c.mode != 1 ||
      c.padding.size() != rank - 2 || x.type != w.type || x.type != y.type) {
    return false;
  }
  bool fits = x.sizes[0] == y.sizes[0] && w.sizes[0] == y.sizes[1] &&
              w.sizes[1] * c.groups == x.sizes[1] && y.sizes[1] % c.groups == 0;
  for (size_t i = 2; i < rank; ++i) {
    const size_t d = i - 2;
    const int64_t reach = c.dilation[d] * (w.sizes[i] - 1) + 1;
    fits = fits && (x.sizes[i] + 2 * c.padding[d] - reach) / c.stride[d] + 1 == y.sizes[i];
  }
  return fits;
}

int choose(void* handle, void* x, void* w, void* convolution, void* y, int wanted, int* count,
           Found* found) {
  const std::lock_guard lock(machine().mutex);
  dnn().libraries.get(handle);
  const Convolution& own = dnn().convolutions.get(convolution);
  *count = 0;
  if (wanted < 2 || !fit(dnn().tensors.get(x), dnn().filters.get(w), dnn().tensors.get(y), own)) {
    return kDnnNotSupported;
  }
  // The first gives other results each time, and is faster.
  found[0] = {.algorithm = 0, .status = 0, .memory = 0, .determinism = 0, .math = own.math};
  found[1] = {.algorithm = 1, .status = 0, .memory = 512, .determinism = 1, .math = own.math};
  *count = 2;
  return kDnnSuccess;
}

int give_work(void* handle, const Work& work, int algorithm, void* workspace, size_t bytes,
              const void* alpha, const void* beta) {
  return enter("a convolution", true, [&] {
    const bool fits = fit(work.x.described, work.w.described, work.y.described, work.convolution);
    if (!fits || algorithm != 1) return static_cast<int>(kDnnBadParameter);
    require_usable(reinterpret_cast<uintptr_t>(workspace), bytes, "a workspace");
    const int scale = work.x.described.type == kF64 ? kF64 : kF32;
    if (load(alpha, scale, 0) != 1 || load(beta, scale, 0) != 0) {
      misuse("a convolution whose factors the emulation lacks");
    }
    give(dnn().libraries.get(handle).stream, [work] { run(work); });
    return static_cast<int>(kDnnSuccess);
  });
}

template <typename T, typename... Arguments>
int make(Handles<T>& handles, void** handle, Arguments... arguments) {
  const std::lock_guard lock(machine().mutex);
  *handle = handles.add(std::make_unique<T>(arguments...));
  return kDnnSuccess;
}

template <typename T>
int drop(Handles<T>& handles, void* handle) {
  const std::lock_guard lock(machine().mutex);
  handles.remove(handle);
  return kDnnSuccess;
}

Operand operand(Handles<TensorData>& handles, void* description, const void* base) {
  return {handles.get(description), const_cast<void*>(base)};
}

}  // namespace

size_t live_convolutions() {
  return dnn().libraries.count() + dnn().tensors.count() + dnn().filters.count() +
         dnn().convolutions.count();
}

}  // namespace emulated

using namespace emulated;

extern "C" {

const char* cudnnGetErrorString(int status) {
  return status == kDnnSuccess ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_NOT_SUPPORTED";
}

int cudnnCreate(void** handle) {
  return enter("cudnnCreate", true, [&] {
    *handle = dnn().libraries.add(std::make_unique<Library>());
    return static_cast<int>(kDnnSuccess);
  });
}

int cudnnDestroy(void* handle) { return drop(dnn().libraries, handle); }

int cudnnSetStream(void* handle, void* stream) {
  const std::lock_guard lock(machine().mutex);
  dnn().libraries.get(handle).stream = stream;
  return kDnnSuccess;
}

int cudnnCreateTensorDescriptor(void** tensor) { return make(dnn().tensors, tensor); }

int cudnnDestroyTensorDescriptor(void* tensor) { return drop(dnn().tensors, tensor); }

int cudnnCreateFilterDescriptor(void** filter) { return make(dnn().filters, filter); }

int cudnnDestroyFilterDescriptor(void* filter) { return drop(dnn().filters, filter); }

int cudnnCreateConvolutionDescriptor(void** c) { return make(dnn().convolutions, c); }

int cudnnDestroyConvolutionDescriptor(void* c) { return drop(dnn().convolutions, c); }

int cudnnSetTensorNdDescriptor(void* tensor, int type, int rank, const int* sizes,
                               const int* strides) {
  const std::lock_guard lock(machine().mutex);
  TensorData& own = dnn().tensors.get(tensor);
  own.type = type_of(type);
  own.sizes.assign(sizes, sizes + rank);
  own.strides.assign(strides, strides + rank);
  const bool is_valid = own.type >= 0 && rank >= 4 && rank <= 8 &&
                        std::all_of(sizes, sizes + rank, [](int size) { return size > 0; });
  return is_valid ? kDnnSuccess : kDnnBadParameter;
}

int cudnnSetFilterNdDescriptor(void* filter, int type, int format, int rank, const int* sizes) {
  const std::lock_guard lock(machine().mutex);
  TensorData& own = dnn().filters.get(filter);
  own.type = type_of(type);
  own.sizes.assign(sizes, sizes + rank);
  own.strides.assign(static_cast<size_t>(rank), 1);
  if (own.type < 0 || rank < 4) return kDnnBadParameter;
  // Channels are last, or after the filters.
  int64_t step = format == 1 ? own.sizes[1] : 1;
  for (size_t i = own.sizes.size(); i-- > 2;) {
    own.strides[i] = step;
    step *= own.sizes[i];
  }
  own.strides[1] = format == 1 ? 1 : step;
  own.strides[0] = format == 1 ? step : step * own.sizes[1];
  return kDnnSuccess;
}

int cudnnSetConvolutionNdDescriptor(void* convolution, int rank, const int* padding,
                                    const int* stride, const int* dilation, int mode,
                                    int /*type*/) {
  const std::lock_guard lock(machine().mutex);
  Convolution& own = dnn().convolutions.get(convolution);
  own.padding.assign(padding, padding + rank);
  own.stride.assign(stride, stride + rank);
  own.dilation.assign(dilation, dilation + rank);
  own.mode = mode;
  return kDnnSuccess;
}

int cudnnSetConvolutionGroupCount(void* convolution, int groups) {
  const std::lock_guard lock(machine().mutex);
  dnn().convolutions.get(convolution).groups = groups;
  return kDnnSuccess;
}

int cudnnSetConvolutionMathType(void* convolution, int math) {
  const std::lock_guard lock(machine().mutex);
  dnn().convolutions.get(convolution).math = math;
  return kDnnSuccess;
}

int cudnnGetConvolutionForwardAlgorithm_v7(void* handle, void* x, void* w, void* convolution,
                                           void* y, int wanted, int* count, Found* found) {
  return choose(handle, x, w, convolution, y, wanted, count, found);
}

int cudnnGetConvolutionBackwardDataAlgorithm_v7(void* handle, void* w, void* dy, void* convolution,
                                                void* dx, int wanted, int* count, Found* found) {
  return choose(handle, dx, w, convolution, dy, wanted, count, found);
}

int cudnnConvolutionForward(void* handle, const void* alpha, void* x_type, const void* x,
                            void* w_type, const void* w, void* convolution, int algorithm,
                            void* workspace, size_t bytes, const void* beta, void* y_type,
                            void* y) {
  const std::lock_guard lock(machine().mutex);
  const Work work{operand(dnn().tensors, x_type, x), operand(dnn().filters, w_type, w),
                  operand(dnn().tensors, y_type, y), dnn().convolutions.get(convolution)};
  return give_work(handle, work, algorithm, workspace, bytes, alpha, beta);
}

int cudnnConvolutionBackwardData(void* handle, const void* alpha, void* w_type, const void* w,
                                 void* dy_type, const void* dy, void* convolution, int algorithm,
                                 void* workspace, size_t bytes, const void* beta, void* dx_type,
                                 void* dx) {
  const std::lock_guard lock(machine().mutex);
  const Work work{operand(dnn().tensors, dx_type, dx), operand(dnn().filters, w_type, w),
                  operand(dnn().tensors, dy_type, dy), dnn().convolutions.get(convolution), true};
  return give_work(handle, work, algorithm, workspace, bytes, alpha, beta);
}

int cudnnAddTensor(void* handle, const void* /*alpha*/, void* a_type, const void* a,
                   const void* /*beta*/, void* c_type, void* c) {
  return enter("cudnnAddTensor", true, [&] {
    const Operand addend = operand(dnn().tensors, a_type, a);
    const Operand target = operand(dnn().tensors, c_type, c);
    give(dnn().libraries.get(handle).stream, [addend, target] { add(addend, target); });
    return static_cast<int>(kDnnSuccess);
  });
}

}  // extern "C"
