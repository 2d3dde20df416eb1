#include "runtime/trees/work.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "runtime/program/device_stream.h"
#include "support/check.h"
#include "types/span_bytes.h"

namespace litz::runtime::trees {

class Work::FunctionCall final : public NodeCall {
 public:
  explicit FunctionCall(Call function) : function_(std::move(function)) {}

  void run(std::span<std::byte* const> operands, std::span<const int64_t> /*scalars*/) override {
    function_(operands);
  }

 private:
  Call function_;
};

Work::Work(GraphDevice& device, StreamId stream, std::vector<Argument> inputs, WorkOptions options)
    : device_(device),
      stream_(stream),
      inputs_(std::move(inputs)),
      is_taken_(inputs_.size()),
      options_(std::move(options)) {
  // Inputs on one storage share a buffer, which begins at the lowest of them.
  std::unordered_map<const Storage*, std::byte*> lowest;
  for (const Argument& input : inputs_) {
    const Tensor* const tensor = tensor_of(input);
    if (tensor == nullptr || tensor->device() != device_.device()) continue;
    std::byte*& begin =
        lowest.try_emplace(tensor->storage().get(), tensor->address()).first->second;
    begin = std::min(begin, tensor->address());
  }
  for (const Argument& input : inputs_) {
    BufferId buffer = kFixedAddress;
    const Tensor* const tensor = tensor_of(input);
    if (tensor != nullptr && !options_.records) held_.push_back(tensor->storage());
    if (tensor != nullptr && tensor->device() == device_.device()) {
      const Storage* const storage = tensor->storage().get();
      const auto known = buffers_.find(storage);
      std::byte* const begin = lowest.at(storage);
      const auto bytes = storage->size() - static_cast<size_t>(begin - storage->address());
      buffer = known != buffers_.end() ? known->second : new_buffer(storage, {begin, bytes});
    }
    recording_.input_buffers.push_back(buffer);
  }
}

// --- Inputs and memory

const Argument& Work::argument(size_t input) const {
  require(input < inputs_.size(), "a function must have the input:", input);
  require(tensor_of(inputs_[input]) == nullptr, "an input that is a tensor must be taken:", input);
  return inputs_[input];
}

int64_t Work::integer(size_t input) const {
  const auto* const number = std::get_if<int64_t>(&argument(input));
  require(number != nullptr, "an input must be an integer:", input);
  return *number;
}

Tensor Work::take(size_t input) {
  require(input < inputs_.size(), "a function must have the input:", input);
  require(!is_taken_[input], "an input must be taken once:", input);
  const bool is_tensor = tensor_of(inputs_[input]) != nullptr;
  require(is_tensor, "an input must be a tensor:", input);
  require(!is_recording() || tensor_of(inputs_[input])->device() == device_.device(),
          ErrorCode::unsupported, "a recording must not read a tensor of another device: input",
          input);
  is_taken_[input] = true;
  return std::get<Tensor>(std::exchange(inputs_[input], std::monostate()));
}

BufferId Work::new_buffer(const Storage* storage, Binding binding) {
  const auto buffer = static_cast<BufferId>(recording_.bindings.size());
  recording_.bindings.push_back(binding);
  buffers_[storage] = buffer;
  return buffer;
}

std::shared_ptr<Storage> Work::memory(size_t bytes, std::span<const Range> taken,
                                      bool is_poisoned) {
  if (options_.pool == nullptr) {
    std::shared_ptr<Storage> storage = device_.allocate(bytes);
    new_buffer(storage.get(), {storage->address(), storage->size()});
    held_.push_back(storage);
    return storage;
  }
  const Range range = options_.pool->place(bytes, taken);
  std::shared_ptr<Storage> storage = options_.pool->give(range);
  const BufferId buffer = new_buffer(storage.get(), {range.begin, range.bytes});
  recording_.pool_buffers.push_back({buffer, range});
  written_.push_back(range);
  if (device_.modes().poison && is_poisoned && bytes != 0) {
    added(builder().fill(after(), {buffer, 0}, kPoisonWord, bytes), "poison");
  }
  return storage;
}

Tensor Work::empty(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  if (strides.empty()) strides = contiguous_strides(sizes);
  const int64_t elements = storage_span(sizes, strides, 0);
  const auto bytes = static_cast<size_t>(elements) * static_cast<size_t>(item_size(dtype));
  return Tensor(dtype, std::move(sizes), std::move(strides), 0, memory(bytes, options_.taken));
}

Ref Work::ref(const Tensor& tensor) {
  require(tensor.defined(), "an operand must be a tensor");
  require(tensor.device() == device_.device(),
          "an operand must lie on the device of its context:", to_string(tensor.device()));
  const Storage* const storage = tensor.storage().get();
  auto known = buffers_.find(storage);
  if (known == buffers_.end()) {
    recording_.constants.push_back(tensor);
    new_buffer(storage, {storage->address(), storage->size()});
    known = buffers_.find(storage);
  }
  const Binding& binding = recording_.bindings[static_cast<size_t>(known->second)];
  const int64_t offset = tensor.address() - binding.base;
  require(offset >= 0, ErrorCode::unsupported,
          "a view of an input must not begin before the inputs of its storage:", offset);
  return {known->second, offset};
}

// --- Nodes

GraphBuilder& Work::builder() {
  if (graph_ == nullptr) graph_ = device_.begin();
  if (builder_ == nullptr) builder_ = graph_.get();
  return *builder_;
}

std::span<const NodeId> Work::after() const {
  return last_ ? std::span<const NodeId>(&*last_, 1) : std::span<const NodeId>();
}

void Work::added(NodeId node, std::string_view label) {
  recording_.labels.push_back(std::make_unique<const std::string>(label));
  builder_->label(node, *recording_.labels.back());
  last_ = node;
  ++recording_.nodes;
}

Work::Operands Work::operands(Tensors reads, Tensors writes) {
  Operands result;
  const auto add = [&](const Tensor& tensor, bool is_write) {
    const Ref begin = ref(tensor);
    const size_t bytes = span_bytes(tensor);
    result.pointers.push_back(begin);
    if (bytes != 0) result.accesses.push_back({begin, bytes, is_write});
  };
  for (const Tensor& tensor : reads) add(tensor, false);
  for (const Tensor& tensor : writes) add(tensor, true);
  return result;
}

void Work::kernel(KernelId kernel, Tensors reads, Tensors writes, std::span<const int64_t> scalars,
                  std::span<const int64_t> extents) {
  auto [pointers, accesses] = operands(reads, writes);
  added(builder().kernel(after(), {kernel, pointers, scalars, extents, accesses}), "a kernel");
}

void Work::copy(const Tensor& to, const Tensor& from) {
  require(to.is_contiguous() && from.is_contiguous() && span_bytes(to) == span_bytes(from),
          "a copy must have the same dense bytes on both sides");
  if (span_bytes(to) == 0) return;
  added(builder().copy(after(), ref(to), ref(from), span_bytes(to)), "a copy");
}

void Work::fill(const Tensor& tensor, uint32_t word) {
  require(tensor.is_contiguous(), "a tensor that is filled must be dense");
  if (span_bytes(tensor) == 0) return;
  added(builder().fill(after(), ref(tensor), word, span_bytes(tensor)), "a fill");
}

void Work::call(const std::string& label, Tensors reads, Tensors writes, Call function) {
  auto [pointers, accesses] = operands(reads, writes);
  // A call without operands declares an empty access.
  if (accesses.empty()) accesses.emplace_back();
  recording_.calls.push_back(std::make_unique<FunctionCall>(std::move(function)));
  added(builder().call(after(), {recording_.calls.back().get(), pointers, {}, accesses}), label);
}

// --- Parts

void Work::conditional(ConditionKind kind, const Tensor& predicate, std::span<const Part> parts) {
  require(device_.caps().conditional_bodies >= static_cast<int>(parts.size()),
          ErrorCode::unsupported, "the device must have conditional nodes to record a branch");
  const GraphBuilder::Conditional made =
      builder().conditional(after(), kind, ref(predicate), static_cast<int>(parts.size()));
  GraphBuilder* const outer = builder_;
  for (size_t i = 0; i < parts.size(); ++i) {
    builder_ = made.bodies[i];
    last_.reset();
    parts[i](*this);
  }
  builder_ = outer;
  added(made.node, "a branch");
}

void Work::branch(const Tensor& predicate, std::span<const Part> parts) {
  require(parts.size() == 1 || parts.size() == 2, "a branch must have one or two parts");
  if (is_recording()) return conditional(ConditionKind::if_else, predicate, parts);
  const bool is_true = *on_host(predicate).data() != std::byte{0};
  if (is_true) parts[0](*this);
  if (!is_true && parts.size() == 2) parts[1](*this);
}

void Work::loop(const Tensor& predicate, const Part& part) {
  if (is_recording()) return conditional(ConditionKind::while_loop, predicate, {&part, 1});
  while (*on_host(predicate).data() != std::byte{0}) part(*this);
}

// --- Random numbers

Tensor Work::draw(size_t input, int64_t count) {
  const auto* const generator = std::get_if<std::shared_ptr<Generator>>(&argument(input));
  require(generator != nullptr && *generator != nullptr, "an input must be a generator:", input);
  require(count >= 0, "a count of numbers must not be negative:", count);
  // It is written before the first node, so no node may use the memory for anything else.
  std::vector<Range> taken = options_.taken;
  taken.insert(taken.end(), written_.begin(), written_.end());
  constexpr size_t kBytes = 2 * sizeof(int64_t);
  const Tensor place(DType::i64, {2}, {1}, 0, memory(kBytes, taken, false));
  if (is_recording()) {
    const Range range = options_.pool->range_of(place.storage().get());
    recording_.draws.push_back({input, count, range});
    options_.taken.push_back(range);
    return place;
  }
  const std::array<int64_t, 2> state{static_cast<int64_t>((*generator)->seed),
                                     static_cast<int64_t>((*generator)->drawn)};
  device_.copy(stream_, place, Tensor::of<int64_t>(DType::i64, {2}, state));
  (*generator)->drawn += static_cast<uint64_t>(count);
  return place;
}

// --- Ends

Tensor Work::on_host(const Tensor& tensor) {
  require(!is_recording(), ErrorCode::unsupported,
          "a recording must not wait for values on the host");
  finish();
  return runtime::on_host(tensor, {device_, stream_});
}

Tensor Work::on_device(const Tensor& tensor) {
  require(!is_recording(), ErrorCode::unsupported,
          "a recording must not read a tensor of another device");
  Tensor copy = empty(tensor.dtype(), tensor.sizes());
  finish();  // Earlier nodes may use the memory.
  device_.copy(stream_, copy, tensor);
  return copy;
}

void Work::finish() {
  if (graph_ != nullptr) {
    recording_.exec = device_.instantiate(*graph_, recording_.bindings);
    recording_.exec->launch(stream_);
  }
  device_.synchronize(stream_);
  recording_.exec.reset();
  recording_.calls.clear();
  graph_.reset();
  builder_ = nullptr;
  last_.reset();
}

Recording Work::record() {
  if (graph_ != nullptr) recording_.exec = device_.instantiate(*graph_, recording_.bindings);
  recording_.footprint = joined(std::move(written_));
  inputs_.clear();
  return std::move(recording_);
}

}  // namespace litz::runtime::trees
