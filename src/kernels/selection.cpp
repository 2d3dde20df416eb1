// Functions whose result sizes depend on data: positions of non-zero elements, distinct values.
//
// Distinct values come in three forms with one core: elements are lines of a matrix, lines are
// sorted (or left in place), and runs of equal lines become one.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/functions.h"
#include "support/check.h"
#include "types/element_visit.h"
#include "types/sort_row.h"

namespace litz::kernels {
namespace {

Tensor integers(std::vector<int64_t> sizes, const std::vector<int64_t>& values) {
  return Tensor::of(DType::i64, std::move(sizes), std::span<const int64_t>(values));
}

/// Results of known size are allocated before the call, others undefined.
void give(Tensor& result, const Tensor& value) {
  if (result.defined()) {
    result.copy_from(value);
  } else {
    result = value;
  }
}

struct Runs {
  std::vector<int64_t> first;  ///< By run: the line that represents it.
  std::vector<int64_t> counts;
  std::vector<int64_t> inverse;  ///< By line: its run.
};

/// Orders the lines of a dense tensor by their elements; equal ones stay in order and NaN comes
/// last.
template <typename T>
std::vector<int64_t> sorted_lines(const T* lines, int64_t count, int64_t width) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  if (width == 1) {
    std::vector<T> elements(lines, lines + count);
    sort_row(dtype_of<T>(), reinterpret_cast<std::byte*>(elements.data()), count, count, false,
             order.data());
    return order;
  }
  std::iota(order.begin(), order.end(), 0);
  const auto line = [&](int64_t i) { return std::span<const T>(lines + i * width, width); };
  const auto less = [](T a, T b) { return a < b || (b != b && a == a); };
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return std::ranges::lexicographical_compare(line(a), line(b), less);
  });
  return order;
}

template <typename T>
Runs find_runs(const T* lines, int64_t count, int64_t width, bool in_order) {
  std::vector<int64_t> order;
  if (in_order) {
    order = sorted_lines(lines, count, width);
  } else {
    order.resize(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
  }
  // NaN differs from itself.
  const auto line = [&](int64_t i) { return std::span<const T>(lines + i * width, width); };
  Runs runs;
  runs.inverse.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !std::ranges::equal(line(order[i - 1]), line(order[i]))) {
      runs.first.push_back(order[i]);
      runs.counts.push_back(0);
    }
    ++runs.counts.back();
    runs.inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(runs.first.size()) - 1;
  }
  return runs;
}

/// Runs of the lines of a tensor, which are its entries along dimension 0.
Runs runs_of(const Tensor& tensor, bool in_order) {
  require(!is_complex(tensor.dtype()) && tensor.dtype() != DType::u64, ErrorCode::unsupported,
          "distinct values of this element type are not available:", torch_name(tensor.dtype()));
  const int64_t count = tensor.sizes()[0];
  const int64_t width = count == 0 ? 0 : tensor.numel() / count;
  if (is_floating(tensor.dtype())) {
    const Tensor wide = tensor.to(DType::f64).contiguous();
    return find_runs(reinterpret_cast<const double*>(wide.data()), count, width, in_order);
  }
  const Tensor wide = tensor.to(DType::i64).contiguous();
  return find_runs(reinterpret_cast<const int64_t*>(wide.data()), count, width, in_order);
}

/// The given entries along dimension 0.
Tensor take_first(const Tensor& tensor, const std::vector<int64_t>& entries) {
  std::vector<int64_t> sizes = tensor.sizes();
  sizes[0] = static_cast<int64_t>(entries.size());
  Tensor result = Tensor::empty(tensor.dtype(), sizes);
  if (tensor.is_contiguous() && !entries.empty()) {
    const int64_t width = tensor.numel() / tensor.sizes()[0];
    const auto bytes = static_cast<size_t>(width * item_size(tensor.dtype()));
    std::byte* to = result.mutable_data();
    for (const int64_t entry : entries) {
      std::memcpy(to, tensor.data() + static_cast<size_t>(entry) * bytes, bytes);
      to += bytes;
    }
    return result;
  }
  sizes[0] = 1;
  for (size_t i = 0; i < entries.size(); ++i) {
    Tensor to = result.view(sizes, result.strides(), static_cast<int64_t>(i) * result.strides()[0]);
    to.copy_from(
        tensor.view(sizes, tensor.strides(), tensor.offset() + entries[i] * tensor.strides()[0]));
  }
  return result;
}

Tensor flattened(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  return dense.view({dense.numel()}, {1}, dense.offset());
}

Tensor with_dim_first(const Tensor& tensor, int64_t dim) {
  std::vector<int64_t> sizes = tensor.sizes();
  std::vector<int64_t> strides = tensor.strides();
  std::rotate(sizes.begin(), sizes.begin() + dim, sizes.begin() + dim + 1);
  std::rotate(strides.begin(), strides.begin() + dim, strides.begin() + dim + 1);
  return tensor.view(std::move(sizes), std::move(strides), tensor.offset());
}

Tensor with_first_at(const Tensor& tensor, int64_t dim) {
  std::vector<int64_t> sizes = tensor.sizes();
  std::vector<int64_t> strides = tensor.strides();
  std::rotate(sizes.begin(), sizes.begin() + 1, sizes.begin() + dim + 1);
  std::rotate(strides.begin(), strides.begin() + 1, strides.begin() + dim + 1);
  return tensor.view(std::move(sizes), std::move(strides), tensor.offset());
}

void give_distinct(LibraryCall& call, const Runs& runs, std::vector<int64_t> inverse_sizes,
                   bool wants_inverse, bool wants_counts) {
  const Tensor nothing = Tensor::empty(DType::i64, {0});
  give(call.results[1], wants_inverse ? integers(std::move(inverse_sizes), runs.inverse) : nothing);
  const auto count = static_cast<int64_t>(runs.counts.size());
  give(call.results[2], wants_counts ? integers({count}, runs.counts) : nothing);
}

void distinct_elements(LibraryCall& call, bool in_order, bool wants_inverse, bool wants_counts) {
  const Tensor& self = call.tensor(0);
  const Tensor flat = flattened(self);
  const Runs runs = runs_of(flat, in_order);
  give(call.results[0], take_first(flat, runs.first));
  give_distinct(call, runs, self.sizes(), wants_inverse, wants_counts);
}

// PyTorch returns all three results here, even unwanted ones.
void distinct_lines(LibraryCall& call, int64_t dim, bool in_order) {
  const Tensor& self = call.tensor(0);
  const auto rank = static_cast<int64_t>(self.rank());
  if (dim < 0) dim += rank;
  require(dim >= 0 && dim < rank, "a dimension must exist:", dim, rank);
  const Tensor lines = with_dim_first(self, dim);
  const Runs runs = runs_of(lines, in_order);
  give(call.results[0], with_first_at(take_first(lines, runs.first), dim).contiguous());
  give_distinct(call, runs, {lines.sizes()[0]}, true, true);
}

}  // namespace

void nonzero(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const Tensor flags = self.to(DType::bool_).contiguous();
  const size_t rank = self.rank();
  std::vector<int64_t> coordinates;
  std::vector<int64_t> index(rank, 0);
  int64_t found = 0;
  const int64_t count = flags.numel();
  for (int64_t i = 0; i < count; ++i) {
    if (flags.data()[i] != std::byte{0}) {
      coordinates.insert(coordinates.end(), index.begin(), index.end());
      ++found;
    }
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < self.sizes()[d]) break;
      index[d] = 0;
    }
  }
  give(call.results[0], integers({found, static_cast<int64_t>(rank)}, coordinates));
}

void unique(LibraryCall& call) { distinct_elements(call, true, call.flag(2), call.flag(3)); }

void unique_lines(LibraryCall& call) { distinct_lines(call, call.integer(1), true); }

void unique_runs(LibraryCall& call) {
  const bool is_list = !call.is_none(3) && call.tensor(0).rank() == 1 && call.integer(3) == 0;
  if (call.is_none(3) || is_list) return distinct_elements(call, false, call.flag(1), call.flag(2));
  distinct_lines(call, call.integer(3), false);
}

void repeat_interleave(LibraryCall& call) {
  const Tensor repeats = call.tensor(0).to(DType::i64).contiguous();
  require(repeats.rank() == 1, "repeats must be a list:", repeats.rank());
  const std::span times(reinterpret_cast<const int64_t*>(repeats.data()),
                        static_cast<size_t>(repeats.numel()));
  int64_t total = 0;
  for (const int64_t count : times) {
    require(count >= 0, "repeats must not be negative:", count);
    require(!__builtin_add_overflow(total, count, &total),
            "repeats must add up to a number of 64 bits:", total, count);
  }
  if (!call.is_none(1)) {
    require(total == call.integer(1), "repeats must add up to the output size given:", total,
            call.integer(1));
  }
  Tensor positions = Tensor::empty(DType::i64, {total});
  auto* position = reinterpret_cast<int64_t*>(positions.mutable_data());
  for (size_t i = 0; i < times.size(); ++i) {
    position = std::fill_n(position, times[i], static_cast<int64_t>(i));
  }
  give(call.results[0], positions.to(call.tensor(0).dtype()));
}

}  // namespace litz::kernels
