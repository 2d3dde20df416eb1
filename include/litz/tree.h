// Trees of tensors: what compiled and differentiated functions take and return.
//
// A tree is a tensor, a number, a text, or a struct, tuple, array, vector, map or optional of trees. A
// plain struct (an aggregate without base classes and arrays, with up to 24 members) needs nothing; other
// classes have a member `template <typename Visit> void each_member(Visit&& visit)` that calls `visit` with
// all its members, and one that is const.

#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "litz/arguments.h"

namespace litz {
inline namespace v1 {
namespace detail {

template <typename T>
inline constexpr bool is_sequence = false;
template <typename T, typename A>
inline constexpr bool is_sequence<std::vector<T, A>> = true;
template <typename T, size_t N>
inline constexpr bool is_sequence<std::array<T, N>> = true;

template <typename T>
inline constexpr bool is_map = false;
template <typename... T>
inline constexpr bool is_map<std::map<T...>> = true;
template <typename... T>
inline constexpr bool is_map<std::unordered_map<T...>> = true;

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <typename T>
inline constexpr bool is_tuple = false;
template <typename... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <typename A, typename B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;

/// Converts to every member of an aggregate, to count them.
struct AnyMember {
  template <typename T>
  operator T() const;  // NOLINT
};

template <typename T, typename... Members>
constexpr size_t count_members() {
  static_assert(sizeof...(Members) <= 25, "a tree's struct has up to 24 members");
  if constexpr (requires { T{std::declval<Members>()..., AnyMember()}; }) {
    return count_members<T, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

/// References to the members of a plain struct.
template <typename T>
constexpr auto members_of(T& tree) {
  constexpr size_t kCount = count_members<std::remove_const_t<T>>();
  if constexpr (kCount == 0) {
    static_cast<void>(tree);
    return std::tie();
  } else if constexpr (kCount == 1) {
    auto& [m0] = tree;
    return std::tie(m0);
  } else if constexpr (kCount == 2) {
    auto& [m0, m1] = tree;
    return std::tie(m0, m1);
  } else if constexpr (kCount == 3) {
    auto& [m0, m1, m2] = tree;
    return std::tie(m0, m1, m2);
  } else if constexpr (kCount == 4) {
    auto& [m0, m1, m2, m3] = tree;
    return std::tie(m0, m1, m2, m3);
  } else if constexpr (kCount == 5) {
    auto& [m0, m1, m2, m3, m4] = tree;
    return std::tie(m0, m1, m2, m3, m4);
  } else if constexpr (kCount == 6) {
    auto& [m0, m1, m2, m3, m4, m5] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5);
  } else if constexpr (kCount == 7) {
    auto& [m0, m1, m2, m3, m4, m5, m6] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6);
  } else if constexpr (kCount == 8) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7);
  } else if constexpr (kCount == 9) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8);
  } else if constexpr (kCount == 10) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9);
  } else if constexpr (kCount == 11) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
  } else if constexpr (kCount == 12) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
  } else if constexpr (kCount == 13) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
  } else if constexpr (kCount == 14) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
  } else if constexpr (kCount == 15) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
  } else if constexpr (kCount == 16) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
  } else if constexpr (kCount == 17) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
  } else if constexpr (kCount == 18) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
  } else if constexpr (kCount == 19) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] =
        tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                    m18);
  } else if constexpr (kCount == 20) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
           m19] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                    m18, m19);
  } else if constexpr (kCount == 21) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                    m18, m19, m20);
  } else if constexpr (kCount == 22) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                    m18, m19, m20, m21);
  } else if constexpr (kCount == 23) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                    m18, m19, m20, m21, m22);
  } else if constexpr (kCount == 24) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
           m20, m21, m22, m23] = tree;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                    m18, m19, m20, m21, m22, m23);
  }
}

/// Calls `visit` with each member of a plain struct.
template <typename T, typename Visit>
void each_member_of(T& tree, Visit&& visit) {
  std::apply([&](auto&... members) { (visit(members), ...); }, members_of(tree));
}

/// Calls `tensors` with each tensor of a tree and `values` with every number and text that tells two
/// trees of the same tensors apart.
template <typename T, typename Tensors, typename Values>
void visit_tree(T& tree, Tensors& tensors, Values& values) {
  using Plain = std::remove_const_t<T>;
  const auto inner = [&](auto& member) { visit_tree(member, tensors, values); };
  if constexpr (std::is_same_v<Plain, Tensor>) {
    tensors(tree);
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain>) {
    values(std::string_view(reinterpret_cast<const char*>(&tree), sizeof tree));
  } else if constexpr (std::is_same_v<Plain, std::string>) {
    values(std::string_view(tree));
  } else if constexpr (is_optional<Plain>) {
    values(tree ? "1" : "0");
    if (tree) inner(*tree);
  } else if constexpr (is_sequence<Plain>) {
    values(std::to_string(tree.size()));
    for (auto& member : tree) inner(member);
  } else if constexpr (is_map<Plain>) {
    values(std::to_string(tree.size()));
    for (auto& [key, member] : tree) {
      auto& name = key;
      inner(name);
      inner(member);
    }
  } else if constexpr (is_tuple<Plain>) {
    std::apply([&](auto&... members) { (inner(members), ...); }, tree);
  } else if constexpr (requires { tree.each_member(inner); }) {
    tree.each_member(inner);
  } else {
    static_assert(
        std::is_aggregate_v<Plain>,
        "a tree is a tensor, a number, a text, or a plain struct, tuple, array, vector, map "
        "or optional of trees; other classes need a member each_member");
    each_member_of(tree, inner);
  }
}

/// The tensors of a tree, and text that is equal for trees with equal other parts.
struct Flattened {
  std::vector<Tensor> tensors;
  std::string values;
};

template <typename T>
void flatten(const T& tree, Flattened& flat) {
  auto tensors = [&](const Tensor& tensor) { flat.tensors.push_back(tensor); };
  auto values = [&](std::string_view bytes) {
    flat.values += std::to_string(bytes.size());
    flat.values += ':';
    flat.values += bytes;
  };
  visit_tree(tree, tensors, values);
}

/// Puts tensors in place of those of the tree, in their order; returns how many it took.
template <typename T>
size_t replace_tensors(T& tree, std::span<const Tensor> with) {
  size_t next = 0;
  auto tensors = [&](Tensor& tensor) { tensor = with[next++]; };
  auto values = [](std::string_view /*unused*/) {};
  visit_tree(tree, tensors, values);
  return next;
}

}  // namespace detail

/// All tensors of a tree, in the order of its members. They share their memory with the tree's.
template <typename T>
std::vector<Tensor> tensors_of(const T& tree) {
  detail::Flattened flat;
  detail::flatten(tree, flat);
  return std::move(flat.tensors);
}

}  // namespace v1
}  // namespace litz
