// The tensors of models by name, and checkpoints that PyTorch reads and writes.
//
//   litz::save_model("model.safetensors", model);   // Python: load_file(...), load_state_dict(...)
//   litz::load_model("model.safetensors", model);   // Also one that Python saved with save_file.
//
// Names are PyTorch's for a module of the same shape: "blocks.0.norm.weight" for model.blocks[0].norm.weight.
// A plain struct needs nothing with GCC and with Clang from 18 on. Other compilers, and classes that are no
// plain structs, need a member
//
//   static void each_named(auto& self, auto&& visit) { visit("weight", self.weight); }
//
// which also gives members other names, and adds tensors that are no part of the tree (litz/tree.h).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "litz/files.h"
#include "litz/tree.h"

namespace litz {
inline namespace v1 {
namespace detail {

/// An object that is never made: the addresses of its members tell their names.
template <typename T>
struct Held {
  const T value;
};

template <typename T>
extern const Held<T> held;

template <auto Member>
constexpr std::string_view text_of_member() {
#if defined(__GNUC__)
  return __PRETTY_FUNCTION__;
#else
  return {};
#endif
}

/// The name of member `I` of a plain struct: the last word of the text of its address.
template <typename T, size_t I>
constexpr std::string_view member_name() {
#if defined(__GNUC__) && (!defined(__clang__) || __clang_major__ >= 18)
  std::string_view text = text_of_member<&std::get<I>(members_of(held<T>.value))>();
  text = text.substr(text.find("Member = "));
  if (const size_t end = text.find_first_of(";]"); end != text.npos) text = text.substr(0, end);
  while (!text.empty() && text.back() == ')') text.remove_suffix(1);
  return text.substr(text.find_last_of(".:>") + 1);
#else
  static_assert(I == size_t(-1),
                "this compiler does not tell names of members: the struct needs "
                "a member each_named (litz/state.h)");
  return {};
#endif
}

inline std::string joined_name(const std::string& prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
}

template <typename T>
std::string name_of_key(const T& key) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(key);
  } else {
    return std::string(key);
  }
}

/// Calls `visit` with the name and the tensor, for each tensor of a tree.
template <typename T, typename Visit>
void visit_named(T& tree, const std::string& prefix, Visit& visit) {
  using Plain = std::remove_const_t<T>;
  const auto inner = [&](std::string_view name, auto& member) {
    visit_named(member, joined_name(prefix, name), visit);
  };
  if constexpr (std::is_same_v<Plain, Tensor>) {
    visit(prefix, tree);
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain> ||
                       std::is_same_v<Plain, std::string>) {
    return;  // No part of a checkpoint.
  } else if constexpr (is_optional<Plain>) {
    if (tree) visit_named(*tree, prefix, visit);
  } else if constexpr (is_sequence<Plain>) {
    size_t i = 0;
    for (auto& member : tree) inner(std::to_string(i++), member);
  } else if constexpr (is_map<Plain>) {
    for (auto& [key, member] : tree) inner(name_of_key(key), member);
  } else if constexpr (is_tuple<Plain>) {
    size_t i = 0;
    std::apply([&](auto&... members) { (inner(std::to_string(i++), members), ...); }, tree);
  } else if constexpr (requires { Plain::each_named(tree, inner); }) {
    Plain::each_named(tree, inner);
  } else {
    static_assert(std::is_aggregate_v<Plain>,
                  "a class with names is a plain struct, or has a member each_named");
    const auto members = members_of(tree);
    [&]<size_t... I>(std::index_sequence<I...> /*places*/) {
      (inner(member_name<Plain, I>(), std::get<I>(members)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
  }
}

/// Copies tensors of a file to those of a model, by name. Throws Error unless each of the model's has one of
/// its sizes, and all of the file's are used if `all`; then nothing was copied. Returns unused names.
LITZ_API std::vector<std::string> copy_by_name(const NamedTensors& from, const NamedTensors& to,
                                               bool all);

}  // namespace detail

/// All tensors of a model by name, in the order of its members. They share their memory with the model's.
template <typename Model>
NamedTensors named_tensors(const Model& model) {
  NamedTensors tensors;
  auto add = [&](const std::string& name, const Tensor& tensor) {
    tensors.emplace_back(name, tensor);
  };
  detail::visit_named(model, {}, add);
  return tensors;
}

/// Writes a model's tensors to a file, .safetensors or .npz. Throws Error.
template <typename Model>
void save_model(const std::string& path, const Model& model) {
  save_tensors(path, named_tensors(model));
}

/// Reads a model's tensors from a file into the model, in place, converted to their dtypes. Throws Error,
/// with nothing changed, for names that the file or (if `strict`) the model has not, and for other sizes.
/// `num_batches_tracked`, which PyTorch's batch norms save and do not need, may be missing in the model.
/// Returns the names that the model has not.
template <typename Model>
std::vector<std::string> load_model(const std::string& path, const Model& model,
                                    bool strict = true) {
  return detail::copy_by_name(load_tensors(path), named_tensors(model), strict);
}

}  // namespace v1
}  // namespace litz
