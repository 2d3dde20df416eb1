// See storage_versions.h.

#include "passes/storage_versions.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ops/op_table.h"
#include "support/check.h"

namespace litz::passes {

using ir::Argument;
using ir::Attribute;
using ir::Node;
using ir::Value;

namespace {

// True if the tensor is known to address one element twice: a write to it has no defined result.
bool overlaps_itself(const TensorType& type) {
  for (size_t d = 0; d < type.rank(); ++d) {
    if (type.strides[d].is(0) && !known_equal(type.sizes[d], Expr(1))) return true;
  }
  return false;
}

bool same_geometry(const TensorType& a, const TensorType& b) {
  if (a.rank() != b.rank() || a.dtype != b.dtype) return false;
  if (!known_equal(a.offset, b.offset)) return false;
  for (size_t d = 0; d < a.rank(); ++d) {
    if (!known_equal(a.sizes[d], b.sizes[d]) || !known_equal(a.strides[d], b.strides[d])) {
      return false;
    }
  }
  return true;
}

Expr last_element(const TensorType& type) {
  Expr last = type.offset;
  for (size_t d = 0; d < type.rank(); ++d) last = last + (type.sizes[d] - 1) * type.strides[d];
  return last;
}

// The dimension with the largest stride; none if a stride is not a number.
std::optional<size_t> outermost(const TensorType& type) {
  std::optional<size_t> found;
  for (size_t d = 0; d < type.rank(); ++d) {
    if (!type.strides[d].is_constant()) return std::nullopt;
    if (!found || type.strides[d].constant() > type.strides[*found].constant()) found = d;
  }
  return found;
}

// True if two tensors are known to share no element. Tensors that lie in rows of equal length, such
// as columns of a matrix, are apart if they are apart within a row.
bool known_apart(TensorType a, TensorType b) {
  if (known_equal(a.numel(), Expr(0)) || known_equal(b.numel(), Expr(0))) return true;
  if (a.dtype != b.dtype) {
    const auto in_bytes = [](const TensorType& type, Expr at) {
      return at * item_size(type.dtype);
    };
    return known_less_equal(in_bytes(a, last_element(a) + 1), in_bytes(b, b.offset)) ||
           known_less_equal(in_bytes(b, last_element(b) + 1), in_bytes(a, a.offset));
  }
  if (known_less(last_element(a), b.offset) || known_less(last_element(b), a.offset)) return true;
  const std::optional<size_t> in_a = outermost(a);
  const std::optional<size_t> in_b = outermost(b);
  if (!in_a || !in_b || a.strides[*in_a] != b.strides[*in_b]) return false;
  const int64_t length = a.strides[*in_a].constant();
  if (length <= 0 || !a.offset.is_constant() || !b.offset.is_constant()) return false;
  const auto keep_row = [&](TensorType& type, size_t dimension) {
    type.sizes.erase(type.sizes.begin() + static_cast<std::ptrdiff_t>(dimension));
    type.strides.erase(type.strides.begin() + static_cast<std::ptrdiff_t>(dimension));
    type.offset = Expr(type.offset.constant() % length);
    return known_less(last_element(type), Expr(length));
  };
  return keep_row(a, *in_a) && keep_row(b, *in_b) && known_apart(std::move(a), std::move(b));
}

// Uses the recorded sizes: the exporter may know which of two sizes is the smaller one.
TensorType with_sizes(TensorType type, const TensorType& recorded) {
  if (type.rank() == recorded.rank()) type.sizes = recorded.sizes;
  return type;
}

}  // namespace

bool is_view(const Node& node) {
  return node.op().definition != nullptr &&
         std::holds_alternative<ops::View>(ops::definition(node.op()).impl);
}

StorageVersions::StorageVersions(ir::Graph& graph, const ir::Program* program)
    : graph_(graph), program_(program) {
  add_inputs();
}

StorageVersions::Identity& StorageVersions::identity(Value value) {
  const auto found = identity_of_.find(value.data());
  if (found != identity_of_.end()) return identities_[found->second];
  add_root(value);
  return identities_.back();
}

void StorageVersions::add_root(Value value) {
  identity_of_[value.data()] = identities_.size();
  identities_.push_back(
      {.storage = storages_.size(), .type = value.tensor(), .current = value, .version = 0});
  storages_.push_back({.origin = value, .root = value});
}

// Tied parameters and buffers share memory, so each sees the other's writes.
void StorageVersions::add_inputs() {
  std::map<const litz::Storage*, std::vector<Value>> owners;  // Looked up, never walked.
  for (size_t i = 0; i < graph_.input_count(); ++i) {
    const Value input = graph_.input(i);
    if (!input.is_tensor()) continue;
    add_root(input);
    if (program_ == nullptr || !program_->inputs[i].data.defined()) continue;
    const litz::Storage* memory = program_->inputs[i].data.storage().get();
    if (memory->size() == 0) continue;  // Empty tensors share a file but no data in it.
    for (const Value other : owners[memory]) {
      const size_t storage = identity(other).storage;
      if (same_geometry(input.tensor(), other.tensor())) {
        identity(input).storage = storage;
        break;
      }
      storages_[storage].is_shared = storages_[identity(input).storage].is_shared = true;
    }
    owners[memory].push_back(input);
  }
}

void StorageVersions::add_views(Node* view) {
  for (size_t i = 0; i < view->output_count(); ++i) add_view(view, i);
}

void StorageVersions::add_view(Node* view, size_t result) {
  const Value value = view->output(result);
  const Value base = view->input(0);
  const Identity& from = identity(base);
  const size_t storage = from.storage;
  identity_of_[value.data()] = identities_.size();
  identities_.push_back({.storage = storage,
                         .base = base,
                         .view = view,
                         .result = result,
                         .type = value.tensor(),
                         .current = value,
                         .version = storages_[storage].version});
}

Value StorageVersions::current(Value value) {
  if (!value.is_tensor()) return value;
  const size_t index = static_cast<size_t>(&identity(value) - identities_.data());
  const Storage& storage = storages_[identities_[index].storage];
  if (identities_[index].version == storage.version) return identities_[index].current;
  const Value newest =
      identities_[index].view == nullptr ? storage.root : remake(identities_[index]);
  identities_[index].current = newest;
  identities_[index].version = storage.version;
  return newest;
}

Value StorageVersions::remake(const Identity& id) {
  Node* view = id.view;
  const size_t result = id.result;
  const Value old_base = id.base;
  const Value base = current(old_base);
  std::vector<Argument> arguments(view->arguments().begin(), view->arguments().end());
  move_offset(arguments, *view, old_base, base);
  arguments[0] = base;
  const Value again = graph_.create(view->op(), std::move(arguments))->output(result);
  graph_.set_type(again, with_sizes(again.tensor(), id.type));
  return again;
}

// as_strided names an absolute offset in the storage, which a recomputed base may have changed.
void StorageVersions::move_offset(std::vector<Argument>& arguments, const Node& view,
                                  Value old_base, Value new_base) const {
  if (!view.is("aten.as_strided")) return;
  const int slot = view.op().schema.find("storage_offset");
  Argument& offset = arguments[static_cast<size_t>(slot)];
  if (offset.is_none()) return;
  offset = view.scalar("storage_offset") - old_base.tensor().offset + new_base.tensor().offset;
}

void StorageVersions::refresh_operands(Node* node) {
  bool changed = false;
  for (size_t i = 0; i < node->input_count(); ++i) {
    const Value operand = node->input(i);
    const Value newest = current(operand);
    if (newest == operand) continue;
    if (i == 0 && is_view(*node)) {
      std::vector<Argument> arguments(node->arguments().begin(), node->arguments().end());
      move_offset(arguments, *node, operand, newest);
      const int slot = node->op().schema.find("storage_offset");
      if (slot >= 0) {
        graph_.set_argument(node, "storage_offset", arguments[static_cast<size_t>(slot)]);
      }
    }
    graph_.set_input(node, i, newest);
    changed = true;
  }
  // After a write, a base may have moved, and views of it with it.
  if ((changed || wrote_) && is_view(*node)) retype_view(node);
}

// A recomputed base may have another offset in its storage, and so may views of it.
void StorageVersions::retype_view(Node* view) {
  const ops::Types types = ops::definition(view->op()).meta(ops::Call(*view));
  for (size_t i = 0; i < types.size(); ++i) {
    const TensorType& made = std::get<TensorType>(types[i]);
    graph_.set_type(view->output(i), with_sizes(made, view->output(i).tensor()));
  }
}

// The contents in the dtype and memory layout of the value that they replace.
Value StorageVersions::fitted(Value contents, const TensorType& type) {
  if (contents.tensor().dtype != type.dtype) {
    contents = graph_.create("aten._to_copy", {contents, Attribute(type.dtype)})->output();
  }
  const TensorType& given = contents.tensor();
  if (given.sizes != type.sizes) {
    contents = graph_.create("aten.expand", {contents, Attribute(type.sizes)})->output();
  }
  bool same = true;
  for (size_t d = 0; d < type.rank(); ++d) {
    same = same && known_equal(contents.tensor().strides[d], type.strides[d]);
  }
  if (same) return contents;
  return graph_.create("litz.restride", {contents, Attribute(type.strides)})->output();
}

// Returns the root of a storage with a written part replaced.
Value StorageVersions::written_through(Value contents, const TensorType& part, Value origin) {
  const TensorType& whole = origin.tensor();
  require(!overlaps_itself(whole), ErrorCode::unsupported,
          "writing through a view of a tensor with overlaps is not supported (clone it first):",
          to_string(part), "of", to_string(whole));
  const Value newest = current(origin);
  const Value values = fitted(contents, contiguous_type(part.dtype, part.sizes));
  if (part.dtype != whole.dtype || !is_non_overlapping_and_dense(whole)) {
    return written_in_list(values, part, newest, whole);
  }
  return graph_
      .create("aten.as_strided_scatter",
              {newest, values, Attribute(part.sizes), Attribute(part.strides),
               part.offset - whole.offset + newest.tensor().offset})
      ->output();
}

// Rewrites the storage as a flat list from its first to its last element, if the part has another
// dtype, or if the root has gaps that the part may lie in.
Value StorageVersions::written_in_list(Value values, const TensorType& part, Value newest,
                                       const TensorType& whole) {
  const int64_t item = item_size(whole.dtype);
  const int64_t part_item = item_size(part.dtype);
  const auto scattered = [&](Value list, Value from, const TensorType& place, Expr offset) {
    return graph_
        .create("aten.as_strided_scatter",
                {list, from, Attribute(place.sizes), Attribute(place.strides), Argument(offset)})
        ->output();
  };
  const auto as = [&](Value list, DType dtype) {
    if (list.tensor().dtype == dtype) return list;
    return graph_.create("aten.view.dtype", {list, Attribute(dtype)})->output();
  };
  Expr length = 1;
  for (size_t d = 0; d < whole.rank(); ++d) {
    length = length + (whole.sizes[d] - 1) * whole.strides[d];
  }
  // Rounds up to whole elements of the part.
  const int64_t unit = std::max<int64_t>(part_item / item, 1);
  length = ceil_div(max(length, Expr(0)), unit) * unit;
  const Value zeros =
      graph_.create("aten.zeros", {Attribute(Sizes{length}), Attribute(whole.dtype)})->output();
  const Expr begin = floor_div(part.offset * part_item - whole.offset * item, part_item);
  Value list = as(scattered(zeros, newest, whole, Expr(0)), part.dtype);
  list = as(scattered(list, values, part, begin), whole.dtype);
  return graph_
      .create("aten.as_strided", {list, Attribute(whole.sizes), Attribute(whole.strides), Expr(0)})
      ->output();
}

bool StorageVersions::overlap_in_part(Value a, Value b) {
  if (identity(a).storage != identity(b).storage) return false;
  const TensorType& x = identity(a).type;
  const TensorType& y = identity(b).type;
  if (x.dtype != y.dtype || !is_non_overlapping_and_dense(x) || !is_non_overlapping_and_dense(y) ||
      !known_less(0, x.numel()) || !known_less(0, y.numel())) {
    return false;
  }
  const Expr x_end = x.offset + x.numel();
  const Expr y_end = y.offset + y.numel();
  if (known_equal(x.offset, y.offset) && known_equal(x_end, y_end)) {
    bool differ = x.rank() != y.rank();
    for (size_t d = 0; !differ && d < x.rank(); ++d) {
      differ = known_not_equal(x.strides[d], y.strides[d]);
    }
    return differ;
  }
  const bool are_same = !known_not_equal(x.offset, y.offset) && !known_not_equal(x_end, y_end);
  return !are_same && known_less(x.offset, y_end) && known_less(y.offset, x_end);
}

bool StorageVersions::are_apart(Value a, Value b) {
  if (identity(a).storage != identity(b).storage) return true;
  return known_apart(identity(a).type, identity(b).type);
}

void StorageVersions::write(Value target, Value contents) {
  const TensorType type = identity(target).type;
  const size_t index = identity(target).storage;
  require(!overlaps_itself(type), ErrorCode::unsupported,
          "an in-place operator must not write to a tensor that addresses elements more than once "
          "(expand makes such tensors; clone it first):",
          to_string(type));
  require(
      !storages_[index].is_shared, ErrorCode::unsupported,
      "writing to memory that inputs of different shapes share is not supported:", to_string(type));
  const Value origin = storages_[index].origin;
  const TensorType& whole = origin.tensor();
  if (!same_geometry(type, whole)) contents = written_through(contents, type, origin);
  storages_[index].root = fitted(contents, whole);
  ++storages_[index].version;
  wrote_ = true;
}

std::vector<std::pair<size_t, Value>> StorageVersions::written_inputs() {
  std::vector<std::pair<size_t, Value>> written;
  for (size_t i = 0; i < graph_.input_count(); ++i) {
    const Value input = graph_.input(i);
    if (!input.is_tensor()) continue;
    const Storage& storage = storages_[identity(input).storage];
    if (storage.version > 0) written.emplace_back(i, storage.root);
  }
  return written;
}

}  // namespace litz::passes
