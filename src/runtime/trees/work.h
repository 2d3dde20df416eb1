// The work of a call, as a function states it.
//
// The same statements run at once, or become a recording. Nodes run in the order in which they are
// stated. Memory belongs to tensors: when the function drops the last tensor of a range, later
// statements may get that range.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/device.h"
#include "runtime/trees/function.h"
#include "runtime/trees/recording.h"

namespace litz::runtime::trees {

struct WorkOptions {
  bool records = false;
  Pool* pool = nullptr;  ///< The source of memory; null: memory of its own.
  /// Memory of the pool that must not be given away, besides live storages.
  std::vector<Range> taken;
};

class Work {
 public:
  /// The addresses of a call's operands: reads, then writes.
  using Call = std::function<void(std::span<std::byte* const> operands)>;
  using Tensors = std::span<const Tensor>;

  /// Pool and device must outlive it.
  Work(GraphDevice& device, StreamId stream, std::vector<Argument> inputs, WorkOptions options);

  bool is_recording() const { return options_.records; }

  size_t input_count() const { return inputs_.size(); }

  /// Returns an input that is not a tensor. Throws Error for a tensor.
  const Argument& argument(size_t input) const;
  int64_t integer(size_t input) const;
  /// Hands an input over; later calls throw Error. Inputs that are not taken stay until the end.
  /// Throws Error{unsupported} for a tensor of another device while recording.
  Tensor take(size_t input);

  /// Memory with unspecified contents, row-major without strides.
  Tensor empty(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides = {});

  /// Tensors that the function neither was given nor made are constants: a recording keeps them.
  void kernel(KernelId kernel, Tensors reads, Tensors writes, std::span<const int64_t> scalars,
              std::span<const int64_t> extents);
  /// The tensors have the same dense bytes.
  void copy(const Tensor& to, const Tensor& from);
  void fill(const Tensor& tensor, uint32_t word);
  void call(const std::string& label, Tensors reads, Tensors writes, Call function);

  using Part = std::function<void(Work& work)>;

  /// Runs part 0 if the byte is not zero, else part 1 if there is one. Parts must not make memory that
  /// outlives them.
  void branch(const Tensor& predicate, std::span<const Part> parts);
  /// Runs the part while the byte is not zero.
  void loop(const Tensor& predicate, const Part& part);

  /// Draws `count` numbers of a generator. Returns seed and position of the first, as two i64.
  Tensor draw(size_t input, int64_t count);

  /// The values so far. Throws Error{unsupported} while recording.
  Tensor on_host(const Tensor& tensor);

  /// A copy on the device of a tensor of the host. Throws Error{unsupported} while recording.
  Tensor on_device(const Tensor& tensor);

  // For the context.

  /// Runs what was stated so far, and waits for it.
  void finish();
  Recording record();

 private:
  class FunctionCall;

  std::shared_ptr<Storage> memory(size_t bytes, std::span<const Range> taken,
                                  bool is_poisoned = true);
  GraphBuilder& builder();
  BufferId new_buffer(const Storage* storage, Binding binding);

  /// Pointers to tensors, and what a node does with their memory.
  struct Operands {
    std::vector<Ref> pointers;
    std::vector<Access> accesses;
  };

  Ref ref(const Tensor& tensor);
  Operands operands(Tensors reads, Tensors writes);
  std::span<const NodeId> after() const;
  void added(NodeId node, std::string_view label);
  void conditional(ConditionKind kind, const Tensor& predicate, std::span<const Part> parts);

  GraphDevice& device_;
  StreamId stream_;
  std::vector<Argument> inputs_;
  std::vector<bool> is_taken_;
  WorkOptions options_;
  Recording recording_;
  std::unordered_map<const Storage*, BufferId> buffers_;
  std::vector<Range> written_;
  /// Memory that nodes may use although the function has dropped it.
  std::vector<std::shared_ptr<const void>> held_;
  std::unique_ptr<GraphBuilder> graph_;
  GraphBuilder* builder_ = nullptr;  ///< The graph, or the part that is being stated.
  std::optional<NodeId> last_;
};

}  // namespace litz::runtime::trees
