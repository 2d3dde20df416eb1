// The results of a collective from the operands of all ranks. See collective.h.

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <limits>
#include <numeric>
#include <type_traits>

#include "distributed/collective.h"
#include "support/check.h"

namespace litz::distributed {
namespace {

using Ranks = std::span<const Collective* const>;

/// The same elements with the sizes of `like`: gathered scalars have no rows of their own.
Tensor with_sizes(const Tensor& part, const std::vector<int64_t>& sizes) {
  if (part.sizes() == sizes) return part;
  require(sizes.empty() && part.numel() == 1, "parts of a collective must have equal sizes");
  return part.view({}, {}, part.offset());
}

// --- Reductions

template <typename T>
constexpr bool kIsComplex = false;
template <typename T>
constexpr bool kIsComplex<std::complex<T>> = true;

/// Integers wrap, as in PyTorch.
template <std::integral T>
struct Wrapping {
  using Unsigned = std::make_unsigned_t<T>;

  static T add(T a, T b) {
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }

  static T multiply(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};

template <typename T>
T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  }
  return std::min(a, b);
}

template <typename T>
T greatest(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  }
  return std::max(a, b);
}

/// The type of a complex number's parts; other numbers are their own.
template <typename T>
struct RealOf {
  using Type = T;
};

template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};

[[noreturn]] void refuse(Reduction reduction, DType dtype) {
  fail(ErrorCode::unsupported,
       "a collective must have a reduction that its dtype allows:", name(reduction),
       litz::name(dtype));
}

template <typename T>
void add_to(std::span<T> total, std::span<const T> term, Reduction reduction) {
  const auto each = [&](auto combined) {
    for (size_t i = 0; i < total.size(); ++i) total[i] = combined(total[i], term[i]);
  };
  switch (reduction) {
    case Reduction::sum:
    case Reduction::avg:
      if constexpr (std::is_integral_v<T>) return each(Wrapping<T>::add);
      return each([](T a, T b) { return static_cast<T>(a + b); });
    case Reduction::product:
      if constexpr (std::is_integral_v<T>) return each(Wrapping<T>::multiply);
      if constexpr (std::is_floating_point_v<T>) return each([](T a, T b) { return a * b; });
      break;
    case Reduction::min:
      if constexpr (!kIsComplex<T>) return each(least<T>);
      break;
    case Reduction::max:
      if constexpr (!kIsComplex<T>) return each(greatest<T>);
      break;
    case Reduction::bit_and:
      if constexpr (std::is_integral_v<T>)
        return each([](T a, T b) { return static_cast<T>(a & b); });
      break;
    case Reduction::bit_or:
      if constexpr (std::is_integral_v<T>)
        return each([](T a, T b) { return static_cast<T>(a | b); });
      break;
    case Reduction::bit_xor:
      if constexpr (std::is_integral_v<T>)
        return each([](T a, T b) { return static_cast<T>(a ^ b); });
      break;
  }
  refuse(reduction, dtype_of<T>());
}

template <typename T>
std::span<T> elements(Tensor& tensor) {
  return {reinterpret_cast<T*>(tensor.mutable_data()), static_cast<size_t>(tensor.numel())};
}

template <typename T>
std::span<const T> elements(const Tensor& tensor) {
  return {reinterpret_cast<const T*>(tensor.data()), static_cast<size_t>(tensor.numel())};
}

/// Booleans are added as "any", which is what PyTorch's back ends do.
Reduction for_booleans(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return Reduction::bit_or;
    case Reduction::product:
      return Reduction::bit_and;
    case Reduction::avg:
      refuse(reduction, DType::bool_);
    default:
      return reduction;
  }
}

// --- Kinds

void gather(Ranks ranks, size_t i) {
  for (const Collective* to : ranks) {
    Tensor result = to->results[i];
    const int64_t share = ranks[0]->operands[i].rank() == 0 ? 1 : ranks[0]->operands[i].sizes()[0];
    for (size_t from = 0; from < ranks.size(); ++from) {
      const Tensor& operand = ranks[from]->operands[i];
      with_sizes(rows(result, static_cast<int64_t>(from) * share, share), operand.sizes())
          .copy_from(operand);
    }
  }
}

void reduce(Ranks ranks, size_t i) {
  std::vector<Tensor> terms;
  for (const Collective* from : ranks) terms.push_back(from->operands[i]);
  const Tensor total = reduced(terms, ranks[0]->reduction);
  for (const Collective* to : ranks) Tensor(to->results[i]).copy_from(total);
}

void reduce_and_scatter(Ranks ranks, size_t i) {
  const auto count = static_cast<int64_t>(ranks.size());
  const Tensor& like = ranks[0]->operands[i];
  require(like.rank() > 0 && like.sizes()[0] % count == 0,
          "reduce_scatter must have as many rows for every rank:", signature(*ranks[0]), count);
  const int64_t share = like.sizes()[0] / count;
  for (int64_t to = 0; to < count; ++to) {
    std::vector<Tensor> terms;
    for (const Collective* from : ranks)
      terms.push_back(rows(from->operands[i], to * share, share));
    Tensor(ranks[static_cast<size_t>(to)]->results[i])
        .copy_from(reduced(terms, ranks[0]->reduction));
  }
}

void exchange(Ranks ranks, size_t i) {
  for (size_t to = 0; to < ranks.size(); ++to) {
    const Tensor& result = ranks[to]->results[i];
    const std::vector<int64_t> received = row_shares(ranks[to]->received, result, ranks.size());
    int64_t begin = 0;
    for (size_t from = 0; from < ranks.size(); ++from) {
      const Tensor& operand = ranks[from]->operands[i];
      const std::vector<int64_t> sent = row_shares(ranks[from]->sent, operand, ranks.size());
      require(sent[to] == received[from],
              "all_to_all must send as many rows as the other rank expects; from, to, sent, "
              "expected:",
              from, to, sent[to], received[from]);
      const int64_t first =
          std::accumulate(sent.begin(), sent.begin() + static_cast<int64_t>(to), int64_t{0});
      rows(result, begin, received[from]).copy_from(rows(operand, first, sent[to]));
      begin += received[from];
    }
  }
}

void spread(Ranks ranks, size_t i) {
  const int64_t root = ranks[0]->peer;
  require(root >= 0 && root < static_cast<int64_t>(ranks.size()),
          "broadcast must come from a rank of the group:", root, ranks.size());
  const Tensor source = ranks[static_cast<size_t>(root)]->operands[i].clone();
  for (const Collective* to : ranks) Tensor(to->results[i]).copy_from(source);
}

}  // namespace

Tensor rows(const Tensor& tensor, int64_t begin, int64_t count) {
  std::vector<int64_t> sizes = tensor.sizes();
  require(!sizes.empty() && begin >= 0 && count >= 0 && begin + count <= sizes[0],
          "a collective must divide rows that its tensors have:", begin, count,
          sizes.empty() ? 0 : sizes[0]);
  sizes[0] = count;
  // An empty part may begin behind the last row.
  const int64_t offset =
      count == 0 ? tensor.offset() : tensor.offset() + begin * tensor.strides()[0];
  return tensor.view(std::move(sizes), tensor.strides(), offset);
}

std::vector<int64_t> row_shares(const std::vector<int64_t>& stated, const Tensor& tensor,
                                size_t ranks) {
  if (!stated.empty()) {
    require(stated.size() == ranks, "all_to_all must state rows of every rank:", stated.size(),
            ranks);
    return stated;
  }
  const auto count = static_cast<int64_t>(ranks);
  require(tensor.rank() > 0 && tensor.sizes()[0] % count == 0,
          "all_to_all without numbers of rows must have as many for every rank:", count);
  return std::vector<int64_t>(ranks, tensor.sizes()[0] / count);
}

Tensor reduced(std::span<const Tensor> terms, Reduction reduction) {
  check(!terms.empty(), "a reduction must have terms");
  const DType dtype = terms[0].dtype();
  const DType computed = dtype == DType::bool_ ? DType::u8 : compute_dtype(dtype);
  const Reduction how = dtype == DType::bool_ ? for_booleans(reduction) : reduction;
  Tensor total = terms[0].to(computed).clone();
  visit_dtype(computed, [&]<typename T>() {
    if constexpr (std::is_arithmetic_v<T> || (kIsComplex<T>)) {
      const std::span<T> sum = elements<T>(total);
      for (const Tensor& given : terms.subspan(1)) {
        const Tensor term = given.to(computed);
        add_to<T>(sum, elements<T>(term), how);
      }
      if (how != Reduction::avg) return;
      // By a real number: a complex one would change signs of zeros.
      using Count = typename RealOf<T>::Type;
      const auto count = static_cast<Count>(static_cast<float>(terms.size()));
      for (T& element : sum) element = static_cast<T>(element / count);
    }
  });
  return total.to(dtype);
}

void combine(std::span<const Collective* const> ranks) {
  check(!ranks.empty(), "a collective must have ranks");
  for (size_t i = 0; i < ranks[0]->operands.size(); ++i) {
    switch (ranks[0]->kind) {
      case CollectiveKind::all_gather:
        gather(ranks, i);
        break;
      case CollectiveKind::all_reduce:
        reduce(ranks, i);
        break;
      case CollectiveKind::all_to_all:
        exchange(ranks, i);
        break;
      case CollectiveKind::broadcast:
        spread(ranks, i);
        break;
      case CollectiveKind::reduce_scatter:
        reduce_and_scatter(ranks, i);
        break;
      case CollectiveKind::receive:
      case CollectiveKind::send:
        fail(ErrorCode::internal, "send and receive belong to pairs of ranks, not to all");
    }
  }
}

void transfer(const Collective& send, const Collective& receive) {
  const Tensor& from = send.operands.at(0);
  Tensor to = receive.results.at(0);
  require(from.dtype() == to.dtype() && from.sizes() == to.sizes(),
          "a rank must receive what the other sends:", to_string(from), to_string(to));
  to.copy_from(from);
}

}  // namespace litz::distributed
