#include "runtime/program/output_memory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/program/laid_out.h"
#include "support/check.h"
#include "types/span_bytes.h"

namespace litz::runtime {
namespace {

/// Outputs up to this many need no heap.
constexpr size_t kUsualOutputs = 12;

int64_t begin_of(const Tensor& tensor) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensor.address()));
}

int64_t end_of(const Tensor& tensor) {
  return begin_of(tensor) + static_cast<int64_t>(span_bytes(tensor));
}

/// A tensor as runs of bytes that begin at multiples of `step` after its first byte.
struct Runs {
  int64_t length;
  int64_t step;  ///< 0: there is one run.
};

Runs runs_of(const Tensor& tensor) {
  const auto item = static_cast<int64_t>(item_size(tensor.dtype()));
  int64_t length = item;
  size_t outer = tensor.rank();
  for (; outer > 0; --outer) {
    const int64_t size = tensor.sizes()[outer - 1];
    if (size != 1 && tensor.strides()[outer - 1] * item != length) break;
    length *= size;
  }
  int64_t step = 0;
  for (size_t d = 0; d < outer; ++d) {
    if (tensor.sizes()[d] != 1) step = std::gcd(step, tensor.strides()[d] * item);
  }
  return {length, step};
}

/// Whether each element has bytes of its own, as far as a dimension that is wider than all others
/// together shows.
bool may_meet_itself(const Tensor& tensor) {
  if (tensor.numel() < 2) return false;
  std::vector<std::pair<int64_t, int64_t>> dims;  // Stride and size.
  for (size_t d = 0; d < tensor.rank(); ++d) {
    if (tensor.sizes()[d] != 1) dims.emplace_back(tensor.strides()[d], tensor.sizes()[d]);
  }
  std::ranges::sort(dims);
  int64_t span = 1;
  for (const auto& [stride, size] : dims) {
    if (stride < span) return true;
    span += stride * (size - 1);
  }
  return false;
}

}  // namespace

bool may_meet(const Tensor& a, const Tensor& b) {
  const Storage& mine = *a.storage();
  const Storage& other = *b.storage();
  const bool are_apart = mine.address() + mine.size() <= other.address() ||
                         other.address() + other.size() <= mine.address();
  if (are_apart || a.numel() == 0 || b.numel() == 0) return false;
  if (end_of(a) <= begin_of(b) || end_of(b) <= begin_of(a)) return false;
  const Runs left = runs_of(a);
  const Runs right = runs_of(b);
  const int64_t step = std::gcd(left.step, right.step);
  if (step == 0) return true;
  // Modulo the step, each is one run.
  const int64_t ahead = ((begin_of(b) - begin_of(a)) % step + step) % step;
  return ahead < left.length || ahead + right.length > step;
}

void require_apart(std::span<const Value> outputs) {
  alignas(void*) std::byte bytes[kUsualOutputs * sizeof(void*)];
  std::pmr::monotonic_buffer_resource stack(bytes, sizeof bytes);
  std::pmr::vector<const Tensor*> tensors(&stack);
  tensors.reserve(outputs.size());
  for (const Value& output : outputs) {
    const auto* const tensor = std::get_if<Tensor>(&output);
    if (tensor == nullptr || !tensor->defined() || tensor->numel() == 0) continue;
    require(tensor->is_contiguous() || !may_meet_itself(*tensor),
            "memory for an output must have a place for each element");
    tensors.push_back(tensor);
  }
  const auto begins_before = [](const Tensor* a, const Tensor* b) {
    return begin_of(*a) < begin_of(*b);
  };
  std::sort(tensors.begin(), tensors.end(), begins_before);
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t k = i + 1; k < tensors.size() && begin_of(*tensors[k]) < end_of(*tensors[i]); ++k) {
      require(!may_meet(*tensors[i], *tensors[k]), "memory for outputs must not overlap");
    }
  }
}

void require_fits(const Tensor& result, const Tensor& memory, size_t i) {
  if (result.dtype() == memory.dtype() && result.sizes() == memory.sizes()) return;
  fail(ErrorCode::invalid_argument, "memory for an output has its dtype and sizes:", i,
       name(result.dtype()), to_string(result.sizes()), "but is", name(memory.dtype()),
       to_string(memory.sizes()));
}

bool is_there(const Tensor& result, const Tensor& memory) {
  return result.address() == memory.address() && result.strides() == memory.strides();
}

void copy_outputs(std::span<Value> results, std::span<Value> outputs) {
  require(outputs.size() == results.size(), "a call has memory for each output:", results.size(),
          "but", outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    auto* const to = std::get_if<Tensor>(&outputs[i]);
    if (to == nullptr) {
      outputs[i] = std::move(results[i]);
      continue;
    }
    const auto* const tensor = std::get_if<Tensor>(&results[i]);
    require(tensor != nullptr, "only outputs that are tensors are written into memory:", i);
    require_fits(*tensor, *to, i);
    if (!is_there(*tensor, *to)) to->copy_from(*tensor);
  }
}

}  // namespace litz::runtime
