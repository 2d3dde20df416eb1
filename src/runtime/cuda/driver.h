// The functions of NVIDIA's driver that this project calls, found at run time.
//
// Neither headers nor libraries of CUDA are needed to build. The declarations here name only what is
// used; driver_test.cpp compares them with cuda.h where there is one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "support/check.h"

namespace litz::runtime::cuda {

using Result = int32_t;
using DeviceNumber = int32_t;
using Address = unsigned long long;       // NOLINT(google-runtime-int): the driver's own type.
using MemoryHandle = unsigned long long;  // NOLINT(google-runtime-int)
using Context = struct ContextData*;
using Module = struct ModuleData*;
using Function = struct FunctionData*;
using Stream = struct StreamData*;
using Event = struct EventData*;
using Graph = struct GraphData*;
using GraphExecutable = struct GraphExecutableData*;
using GraphNode = struct GraphNodeData*;

inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotReady = 600;

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostMemoryPortable = 1;
inline constexpr unsigned kHostMemoryMapped = 2;

enum class Attribute : int32_t {
  multiprocessors = 16,
  capability_major = 75,
  capability_minor = 76,
};

enum class MemoryType : int32_t { host = 1, device = 2 };

struct KernelNode {
  Function function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  Context context = nullptr;
};

/// One end of a copy. The driver's structures list the parts in this order.
struct CopyEnd2 {
  size_t x_bytes = 0;
  size_t y = 0;
  MemoryType type = MemoryType::device;
  const void* host = nullptr;
  Address device = 0;
  void* array = nullptr;
  size_t pitch = 0;
};

struct Copy2 {
  CopyEnd2 from;
  CopyEnd2 to;
  size_t width_bytes = 0;
  size_t height = 0;
};

struct CopyEnd3 {
  size_t x_bytes = 0;
  size_t y = 0;
  size_t z = 0;
  size_t level = 0;
  MemoryType type = MemoryType::device;
  const void* host = nullptr;
  Address device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  size_t pitch = 0;
  size_t height = 0;
};

struct CopyNode {
  CopyEnd3 from;
  CopyEnd3 to;
  size_t width_bytes = 0;
  size_t height = 1;
  size_t depth = 1;
};

struct FillNode {
  Address to = 0;
  size_t pitch = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  size_t width = 0;  ///< In elements.
  size_t height = 1;
};

struct MemoryLocation {
  int32_t type = 1;  ///< A device.
  int32_t number = 0;
};

struct MemoryProperties {
  int32_t type = 1;  ///< Pinned.
  int32_t shared_as = 0;
  MemoryLocation location;
  void* unused = nullptr;
  unsigned char flags[8] = {};
};

struct MemoryAccess {
  MemoryLocation location;
  int32_t rights = 3;  ///< To read and to write.
};

class Driver;

/// A function of the driver. A call throws Error if the driver reports a failure.
template <typename... Arguments>
class DriverFunction {
 public:
  DriverFunction(const Driver& driver, const char* name);

  void operator()(Arguments... arguments) const;

  /// Calls the function and returns its result.
  Result result_of(Arguments... arguments) const { return function_(arguments...); }

 private:
  const Driver& driver_;
  const char* name_;
  Result (*function_)(Arguments...);
};

/// An opened library with functions of the driver.
class DriverLibrary {
 public:
  explicit DriverLibrary(void* library) : library_(library) {}

  /// Throws Error{unsupported} if the library lacks the function.
  void* find(const char* name) const;

 private:
  void* library_;
};

class Driver : private DriverLibrary {
 public:
  /// Opens a library (`libcuda.so.1`, or a path) and starts the driver. Throws Error{unsupported}.
  static std::unique_ptr<const Driver> open(const std::string& library);

  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  using DriverLibrary::find;

  /// Throws the Error of a failed call.
  [[noreturn]] void fail_call(const char* name, Result result) const;

  template <typename... A>
  using Call = DriverFunction<A...>;

  Call<Result, const char**> error_name{*this, "cuGetErrorName"};
  Call<Result, const char**> error_text{*this, "cuGetErrorString"};
  Call<unsigned> init{*this, "cuInit"};
  Call<int*> version{*this, "cuDriverGetVersion"};

  Call<int*> device_count{*this, "cuDeviceGetCount"};
  Call<DeviceNumber*, int> device{*this, "cuDeviceGet"};
  Call<char*, int, DeviceNumber> device_name{*this, "cuDeviceGetName"};
  Call<size_t*, DeviceNumber> device_memory{*this, "cuDeviceTotalMem_v2"};
  Call<int*, Attribute, DeviceNumber> device_attribute{*this, "cuDeviceGetAttribute"};
  Call<Context*, DeviceNumber> retain_context{*this, "cuDevicePrimaryCtxRetain"};
  Call<DeviceNumber> release_context{*this, "cuDevicePrimaryCtxRelease_v2"};
  Call<Context> set_context{*this, "cuCtxSetCurrent"};
  Call<> synchronize{*this, "cuCtxSynchronize"};

  Call<Address*, size_t> allocate{*this, "cuMemAlloc_v2"};
  Call<Address> free{*this, "cuMemFree_v2"};
  Call<void**, size_t, unsigned> allocate_host{*this, "cuMemHostAlloc"};
  Call<void*> free_host{*this, "cuMemFreeHost"};
  Call<Address*, void*, unsigned> host_address{*this, "cuMemHostGetDevicePointer_v2"};
  Call<Address*, size_t, size_t, Address, unsigned long long> reserve{// NOLINT
                                                                      *this, "cuMemAddressReserve"};
  Call<Address, size_t> free_reserved{*this, "cuMemAddressFree"};
  Call<MemoryHandle*, size_t, const MemoryProperties*, unsigned long long> create{
      // NOLINT
      *this, "cuMemCreate"};
  Call<MemoryHandle> release{*this, "cuMemRelease"};
  Call<Address, size_t, size_t, MemoryHandle, unsigned long long> map{*this, "cuMemMap"};  // NOLINT
  Call<Address, size_t> unmap{*this, "cuMemUnmap"};
  Call<Address, size_t, const MemoryAccess*, size_t> set_access{*this, "cuMemSetAccess"};
  Call<size_t*, const MemoryProperties*, int> granularity{*this, "cuMemGetAllocationGranularity"};

  Call<Address, const void*, size_t, Stream> upload{*this, "cuMemcpyHtoDAsync_v2"};
  Call<void*, Address, size_t, Stream> download{*this, "cuMemcpyDtoHAsync_v2"};
  Call<Address, Address, size_t, Stream> copy{*this, "cuMemcpyDtoDAsync_v2"};
  Call<const Copy2*, Stream> copy_rows{*this, "cuMemcpy2DAsync_v2"};
  Call<Address, unsigned char, size_t, Stream> fill_bytes{*this, "cuMemsetD8Async"};
  Call<Address, unsigned, size_t, Stream> fill_words{*this, "cuMemsetD32Async"};

  Call<Stream*, unsigned> create_stream{*this, "cuStreamCreate"};
  Call<Stream> destroy_stream{*this, "cuStreamDestroy_v2"};
  Call<Stream> synchronize_stream{*this, "cuStreamSynchronize"};
  Call<Stream, Event, unsigned> wait_event{*this, "cuStreamWaitEvent"};
  Call<Event*, unsigned> create_event{*this, "cuEventCreate"};
  Call<Event> destroy_event{*this, "cuEventDestroy_v2"};
  Call<Event, Stream> record_event{*this, "cuEventRecord"};
  Call<Event> query_event{*this, "cuEventQuery"};
  Call<Event> synchronize_event{*this, "cuEventSynchronize"};
  Call<float*, Event, Event> elapsed_time{*this, "cuEventElapsedTime"};

  Call<Module*, const void*> load_module{*this, "cuModuleLoadData"};
  Call<Module> unload_module{*this, "cuModuleUnload"};
  Call<Function*, Module, const char*> function{*this, "cuModuleGetFunction"};
  Call<Function, size_t, size_t*, size_t*> parameter{*this, "cuFuncGetParamInfo"};
  Call<Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
       void**, void**>
      launch_kernel{*this, "cuLaunchKernel"};

  Call<Graph*, unsigned> create_graph{*this, "cuGraphCreate"};
  Call<Graph> destroy_graph{*this, "cuGraphDestroy"};
  Call<GraphNode*, Graph, const GraphNode*, size_t, const KernelNode*> add_kernel{
      *this, "cuGraphAddKernelNode_v2"};
  Call<GraphNode*, Graph, const GraphNode*, size_t, const CopyNode*, Context> add_copy{
      *this, "cuGraphAddMemcpyNode"};
  Call<GraphNode*, Graph, const GraphNode*, size_t, const FillNode*, Context> add_fill{
      *this, "cuGraphAddMemsetNode"};
  Call<GraphExecutable*, Graph, unsigned long long> instantiate{
      // NOLINT(google-runtime-int)
      *this, "cuGraphInstantiateWithFlags"};
  Call<GraphExecutable> destroy_executable{*this, "cuGraphExecDestroy"};
  Call<GraphExecutable, GraphNode, const KernelNode*> set_kernel{
      *this, "cuGraphExecKernelNodeSetParams_v2"};
  Call<GraphExecutable, GraphNode, const CopyNode*, Context> set_copy{
      *this, "cuGraphExecMemcpyNodeSetParams"};
  Call<GraphExecutable, GraphNode, const FillNode*, Context> set_fill{
      *this, "cuGraphExecMemsetNodeSetParams"};
  Call<GraphNode*, Graph, const GraphNode*, size_t, Graph> add_graph{*this,
                                                                     "cuGraphAddChildGraphNode"};
  Call<GraphExecutable, GraphNode, Graph> set_graph{*this, "cuGraphExecChildGraphNodeSetParams"};
  Call<Stream, int> begin_capture{*this, "cuStreamBeginCapture_v2"};
  Call<Stream, Graph*> end_capture{*this, "cuStreamEndCapture"};
  Call<GraphExecutable, GraphNode, unsigned> enable_node{*this, "cuGraphNodeSetEnabled"};
  Call<GraphExecutable, Stream> launch_graph{*this, "cuGraphLaunch"};

 private:
  using DriverLibrary::DriverLibrary;
};

template <typename... Arguments>
DriverFunction<Arguments...>::DriverFunction(const Driver& driver, const char* name)
    : driver_(driver),
      name_(name),
      function_(reinterpret_cast<Result (*)(Arguments...)>(driver.find(name))) {}

template <typename... Arguments>
void DriverFunction<Arguments...>::operator()(Arguments... arguments) const {
  const Result result = function_(arguments...);
  if (result != kSuccess) [[unlikely]] {
    driver_.fail_call(name_, result);
  }
}

/// The driver of this process, or the reason why there is none. The environment variable
/// LITZ_CUDA_DRIVER names another library, for tests.
struct DriverSearch {
  const Driver* driver = nullptr;
  std::string reason;
  bool is_other = false;  ///< The environment names it.
};

const DriverSearch& find_driver();

/// The architecture of a card: "sm_90". Throws Error{unsupported} without such a card.
std::string architecture(int index);

/// One line for people: the driver's version and each card, or why there is none.
std::string describe_cards();

}  // namespace litz::runtime::cuda
