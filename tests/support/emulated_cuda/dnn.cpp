// cuDNN for the emulated card: convolutions one element after the other, as work of a stream.

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>

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
};

/// The numbers of kinds and attributes of the graph interface that the emulation has.
enum Kind : int {
  kConvolution = 1,
  kEngine = 2,
  kConfig = 3,
  kHeuristics = 4,
  kPlan = 5,
  kForward = 10,
  kBackward = 12,
  kGraph = 15,
  kPack = 16,
  kTensor = 17,
};

/// A descriptor: attributes as words, which hold numbers, bits of reals, or handles.
struct Descriptor {
  int kind = 0;
  bool is_final = false;
  std::map<int, std::vector<uint64_t>> attributes;
  int engine = -1;  ///< Of a configuration.

  bool has(int attribute) const { return attributes.count(attribute) != 0; }

  uint64_t word(int attribute) const { return attributes.at(attribute).at(0); }

  std::vector<int64_t> integers(int attribute) const {
    const std::vector<uint64_t>& words = attributes.at(attribute);
    return {words.begin(), words.end()};
  }
};

struct Library {
  void* stream = nullptr;
};

struct Dnn {
  Handles<Library> libraries{"handle of cuDNN"};
  Handles<TensorData> tensors{"description of a tensor"};
  Handles<Descriptor> descriptors{"descriptor of cuDNN"};
};

Dnn& dnn() {
  static auto* const only = new Dnn;
  return *only;
}

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
  const int64_t channels_out = out[1] / (in[1] / filter[1]);
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
  if (rank < 4 || w.sizes.size() != rank || y.sizes.size() != rank ||
      c.padding.size() != rank - 2 || x.type != w.type || x.type != y.type || w.sizes[1] == 0) {
    return false;
  }
  const int64_t groups = x.sizes[1] / w.sizes[1];
  bool fits = groups > 0 && x.sizes[0] == y.sizes[0] && w.sizes[0] == y.sizes[1] &&
              w.sizes[1] * groups == x.sizes[1] && y.sizes[1] % groups == 0;
  for (size_t i = 2; i < rank; ++i) {
    const size_t d = i - 2;
    const int64_t reach = c.dilation[d] * (w.sizes[i] - 1) + 1;
    fits = fits && (x.sizes[i] + 2 * c.padding[d] - reach) / c.stride[d] + 1 == y.sizes[i];
  }
  return fits;
}

// --- The graph interface

Descriptor& descriptor(uint64_t word) {
  return dnn().descriptors.get(reinterpret_cast<void*>(word));
}

/// The engines that the heuristics name, the fastest first. One gives other results each time, one
/// rounds operands of f32 to fewer bits, one refuses, and the last one is good.
enum Engine : int { kRandomOrder, kFewerBits, kRefusing, kGood, kEngines };

constexpr int kWorkspaceBytes = 512;

TensorData tensor_data(const Descriptor& tensor) {
  return {type_of(static_cast<int>(tensor.word(901))), tensor.integers(902), tensor.integers(903)};
}

/// The convolution of a graph, whose operands have no addresses yet.
Work work_of(const Descriptor& graph) {
  const Descriptor& operation = descriptor(graph.word(801));
  const bool is_back = operation.kind == kBackward;
  const auto operand = [&](int forward, int backward) {
    return Operand{tensor_data(descriptor(operation.word(is_back ? backward : forward)))};
  };
  const Descriptor& shape = descriptor(operation.word(is_back ? 708 : 702));
  return {.x = operand(704, 710),
          .w = operand(703, 709),
          .y = operand(705, 711),
          .convolution = {shape.integers(105), shape.integers(103), shape.integers(102)},
          .is_transposed = is_back};
}

bool are_set(const Descriptor& own, std::initializer_list<int> attributes) {
  for (const int attribute : attributes) {
    if (!own.has(attribute)) return false;
  }
  return true;
}

bool are_final(const Descriptor& own, std::initializer_list<int> attributes) {
  for (const int attribute : attributes) {
    if (!descriptor(own.word(attribute)).is_final) return false;
  }
  return true;
}

/// Factors of f64 for convolutions of f64, of f32 for others.
bool has_plain_factors(const Descriptor& operation, int alpha, int beta, int type) {
  double one = 1;
  float single = 1;
  uint64_t expected = 0;
  if (type == kF64) {
    std::memcpy(&expected, &one, sizeof one);
  } else {
    std::memcpy(&expected, &single, sizeof single);
  }
  return operation.word(alpha) == expected && operation.word(beta) == 0;
}

bool can_finalize(const Descriptor& own) {
  switch (own.kind) {
    case kTensor: {
      if (!are_set(own, {900, 901, 902, 903, 906})) return false;
      const TensorData data = tensor_data(own);
      return data.type >= 0 && data.sizes.size() >= 4 && data.sizes.size() == data.strides.size() &&
             std::all_of(data.sizes.begin(), data.sizes.end(), [](int64_t s) { return s > 0; });
    }
    case kConvolution:
      return are_set(own, {100, 101, 102, 103, 104, 105, 106}) && own.word(101) == 1 &&
             own.integers(104) == own.integers(105);
    case kForward:
    case kBackward: {
      const bool is_back = own.kind == kBackward;
      if (is_back ? !are_set(own, {706, 707, 708, 709, 710, 711})
                  : !are_set(own, {700, 701, 702, 703, 704, 705})) {
        return false;
      }
      if (is_back ? !are_final(own, {708, 709, 710, 711}) : !are_final(own, {702, 703, 704, 705})) {
        return false;
      }
      const int type = tensor_data(descriptor(own.word(is_back ? 709 : 703))).type;
      return has_plain_factors(own, is_back ? 706 : 700, is_back ? 707 : 701, type);
    }
    case kGraph: {
      if (!are_set(own, {800, 801}) || !are_final(own, {801})) return false;
      dnn().libraries.get(reinterpret_cast<void*>(own.word(800)));
      return true;
    }
    case kHeuristics: {
      if (!are_set(own, {200, 201}) || !are_final(own, {201})) return false;
      const Work work = work_of(descriptor(own.word(201)));
      return fit(work.x.described, work.w.described, work.y.described, work.convolution);
    }
    case kPlan:
      return are_set(own, {400, 401}) && are_final(own, {401}) &&
             descriptor(own.word(401)).engine != kRefusing;
    case kPack:
      return are_set(own, {1000, 1001, 1003}) &&
             own.attributes.at(1000).size() == own.attributes.at(1001).size();
    default:
      return false;
  }
}

size_t item_of(int attribute_type) {
  switch (attribute_type) {
    case 1:
    case 4:
    case 7:
    case 8:
    case 11:
      return 4;
    default:
      return 8;
  }
}

int set_attribute(Descriptor& own, int attribute, int type, int64_t count, const void* values) {
  if (own.is_final || count < 1) return kDnnBadParameter;
  std::vector<uint64_t>& words = own.attributes[attribute];
  words.assign(static_cast<size_t>(count), 0);
  for (size_t i = 0; i < words.size(); ++i) {
    std::memcpy(&words[i], static_cast<const char*>(values) + i * item_of(type), item_of(type));
  }
  return kDnnSuccess;
}

int get_attribute(const Descriptor& own, int attribute, int64_t wanted, int64_t* count,
                  void* values) {
  const auto give_one = [&](auto value) {
    *count = 1;
    std::memcpy(values, &value, sizeof value);
    return static_cast<int>(kDnnSuccess);
  };
  if (own.kind == kHeuristics && own.is_final && attribute == 202) {
    *count = std::min<int64_t>(wanted, kEngines);
    for (int64_t i = 0; i < *count; ++i) {
      Descriptor& config = dnn().descriptors.get(static_cast<void**>(values)[i]);
      if (config.kind != kConfig) return kDnnBadParameter;
      config.engine = static_cast<int>(i);
      config.attributes[0] = {own.word(201)};
      config.is_final = true;
    }
    return kDnnSuccess;
  }
  if (own.kind == kConfig && own.is_final && attribute == 300 && wanted == 1) {
    Descriptor& engine = dnn().descriptors.get(*static_cast<void**>(values));
    if (engine.kind != kEngine) return kDnnBadParameter;
    engine.engine = own.engine;
    engine.is_final = true;
    *count = 1;
    return kDnnSuccess;
  }
  if (own.kind == kEngine && own.is_final && attribute == 1303) {
    *count = 0;
    const int note = own.engine == kRandomOrder ? 4 : 1;
    return own.engine < kRefusing ? give_one(note) : static_cast<int>(kDnnSuccess);
  }
  if (own.kind == kPlan && own.is_final && attribute == 402) {
    return give_one(static_cast<int64_t>(kWorkspaceBytes));
  }
  return kDnnNotSupported;
}

int execute(void* handle, const Descriptor& plan, const Descriptor& pack) {
  const Descriptor& config = descriptor(plan.word(401));
  if (!plan.is_final || !pack.is_final || config.engine != kGood) return kDnnBadParameter;
  const Descriptor& graph = descriptor(config.word(0));
  const Descriptor& operation = descriptor(graph.word(801));
  Work work = work_of(graph);
  const bool is_back = operation.kind == kBackward;
  const auto bind = [&](Operand& operand, int forward, int backward) {
    const Descriptor& tensor = descriptor(operation.word(is_back ? backward : forward));
    const std::vector<uint64_t>& ids = pack.attributes.at(1000);
    const auto found = std::find(ids.begin(), ids.end(), tensor.word(906));
    if (found == ids.end()) misuse("an operand of a convolution without an address");
    const uint64_t address = pack.attributes.at(1001)[static_cast<size_t>(found - ids.begin())];
    if (address % tensor.word(900) != 0) misuse("an operand of less alignment than was said");
    operand.base = reinterpret_cast<void*>(address);
  };
  bind(work.x, 704, 710);
  bind(work.w, 703, 709);
  bind(work.y, 705, 711);
  require_usable(pack.word(1003), kWorkspaceBytes, "a workspace");
  give(dnn().libraries.get(handle).stream, [work] { run(work); });
  return kDnnSuccess;
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
  return dnn().libraries.count() + dnn().tensors.count() + dnn().descriptors.count();
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

int cudnnBackendCreateDescriptor(int kind, void** made) {
  const std::lock_guard lock(machine().mutex);
  auto own = std::make_unique<Descriptor>();
  own->kind = kind;
  *made = dnn().descriptors.add(std::move(own));
  return kDnnSuccess;
}

int cudnnBackendDestroyDescriptor(void* own) { return drop(dnn().descriptors, own); }

int cudnnBackendFinalize(void* handle) {
  const std::lock_guard lock(machine().mutex);
  Descriptor& own = dnn().descriptors.get(handle);
  if (own.is_final || !can_finalize(own)) return kDnnNotSupported;
  own.is_final = true;
  return kDnnSuccess;
}

int cudnnBackendSetAttribute(void* own, int attribute, int type, int64_t count,
                             const void* values) {
  const std::lock_guard lock(machine().mutex);
  return set_attribute(dnn().descriptors.get(own), attribute, type, count, values);
}

int cudnnBackendGetAttribute(void* own, int attribute, int /*type*/, int64_t wanted, int64_t* count,
                             void* values) {
  const std::lock_guard lock(machine().mutex);
  return get_attribute(dnn().descriptors.get(own), attribute, wanted, count, values);
}

int cudnnBackendExecute(void* handle, void* plan, void* pack) {
  return enter("cudnnBackendExecute", true, [&] {
    return execute(handle, dnn().descriptors.get(plan), dnn().descriptors.get(pack));
  });
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
