#include "types/address.h"

#include <algorithm>

#include "support/check.h"

namespace litz {

Expr address_of(const TensorType& type, Expr offset, std::span<const Expr> indices) {
  check(indices.size() == type.rank(), "an element has one index per dimension:", indices.size(),
        type.rank());
  std::vector<Expr> terms{offset};
  for (size_t d = 0; d < indices.size(); ++d) terms.push_back(indices[d] * type.strides[d]);
  return sum(terms);
}

std::optional<std::vector<size_t>> mixed_radix_order(std::span<const Digit> digits) {
  std::vector<size_t> order;
  std::vector<bool> used(digits.size(), false);
  size_t left = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    used[i] = digits[i].extent.is(1);
    left += used[i] ? 0 : 1;
  }
  Expr weight = 1;
  for (; left > 0; --left) {
    size_t next = digits.size();
    for (size_t i = 0; i < digits.size() && next == digits.size(); ++i) {
      if (!used[i] && known_equal(digits[i].weight, weight)) next = i;
    }
    if (next == digits.size()) return std::nullopt;
    used[next] = true;
    order.push_back(next);
    weight = weight * digits[next].extent;
  }
  std::ranges::reverse(order);
  return order;
}

std::optional<std::vector<Expr>> element_at(const TensorType& target, Expr address, bool trusted) {
  std::vector<Digit> digits;
  Expr count = 1;
  for (size_t d = 0; d < target.rank(); ++d) {
    digits.push_back({target.strides[d], target.sizes[d]});
    count = count * target.sizes[d];
  }
  const auto order = mixed_radix_order(digits);
  if (!order) return std::nullopt;
  if (!trusted && !(known_less_equal(0, address) && known_less(address, count))) {
    return std::nullopt;
  }
  std::vector<Expr> indices(target.rank(), Expr(0));
  for (size_t i = 0; i < order->size(); ++i) {
    const Digit& digit = digits[(*order)[i]];
    const Expr above = floor_div(address, digit.weight);
    indices[(*order)[i]] = i == 0 ? above : mod(above, digit.extent);
  }
  return indices;
}

std::optional<std::vector<Expr>> same_element(const TensorType& target, const TensorType& type,
                                              Expr offset, std::span<const Expr> indices) {
  if (!offset.is(0)) return std::nullopt;
  std::vector<Expr> result(target.rank(), Expr(0));
  size_t from = 0;
  const auto skip_ones = [&] {
    while (from < type.rank() && type.sizes[from].is(1)) ++from;
  };
  for (size_t d = 0; d < target.rank(); ++d) {
    if (target.sizes[d].is(1)) continue;
    skip_ones();
    const bool fits = from < type.rank() && type.sizes[from] == target.sizes[d] &&
                      type.strides[from] == target.strides[d];
    if (!fits) return std::nullopt;
    result[d] = indices[from++];
  }
  skip_ones();
  if (from < type.rank()) return std::nullopt;
  return result;
}

}  // namespace litz
