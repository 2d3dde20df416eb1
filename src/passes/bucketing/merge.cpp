// Joins the members of buckets. See merge.h.
//
//   %a = all_gather(%x, g) ... wait        %p = cat([view(%x, [-1]), view(%y, [-1])])
//   %b = all_gather(%y, g) ... wait   =>   %s = all_gather(%p, g)
//                                          %r = view(wait(%s), [g, -1])
//                                          parts of %r's columns, viewed as the results were

#include "passes/bucketing/merge.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "support/text.h"
#include "types/dtype.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Attribute;
using ir::Graph;
using ir::Node;
using ir::Value;

ir::Scalars as_list(std::vector<Expr> sizes) { return ir::Scalars(sizes.begin(), sizes.end()); }

/// Makes the nodes of one bucket.
class BucketMerger {
 public:
  BucketMerger(Graph& graph, const SelectedBucket& bucket, Bucketed kind, BucketMode mode)
      : graph_(graph), bucket_(bucket), kind_(kind), mode_(mode) {
    for (const BucketMember& member : bucket.members) {
      members_.push_back(member.start);
      waits_.push_back(member.wait);
    }
    const Node& first = *members_.front();
    if (kind != Bucketed::all_reduce) ranks_ = first.scalar("group_size");
  }

  MergedBucket run(const BucketPlace& place) {
    const ir::Annotations marks = annotations();
    const auto marked = graph_.annotate(marks);
    std::vector<Value> started;
    {
      const auto scope = graph_.insert_for(place.start, members_);
      started = starts_one_call() ? start_coalesced() : std::vector<Value>{start_joined()};
    }
    const auto scope = graph_.insert_for(place.wait, waits_);
    replace(starts_one_call() ? wait_for_each(started) : split(wait(started[0])));
    return {started[0].producer(), std::move(new_waits_)};
  }

 private:
  ir::Annotations annotations() const {
    std::vector<std::string> names;
    std::vector<std::string> lines;
    for (const Node* member : members_) {
      names.push_back(member->output().name().empty() ? std::to_string(member->id())
                                                      : member->output().name());
      const ir::Location& at = member->location();
      if (!at.file.empty()) lines.push_back(at.file + ":" + std::to_string(at.line));
    }
    ir::Annotations marks{{"bucket_sources", join(names, ", ")}};
    if (!lines.empty()) marks.emplace("bucket_lines", join(lines, ", "));
    return marks;
  }

  bool starts_one_call() const {
    return mode_ == BucketMode::coalesced && kind_ == Bucketed::reduce_scatter;
  }

  Value create(std::string_view op, std::vector<Argument> arguments) {
    return graph_.create(op, std::move(arguments))->output();
  }

  /// In row-major order with these sizes: a view of it, or of a copy.
  Value viewed(Value value, std::vector<Expr> sizes) {
    if (!is_contiguous(value.tensor())) {
      value = create("aten.clone", {value, Argument(Attribute(MemoryFormat::contiguous))});
    }
    return create("aten.view", {value, as_list(std::move(sizes))});
  }

  // --- Packing

  std::vector<Value> operands() const {
    std::vector<Value> operands;
    for (const BucketMember& member : bucket_.members) operands.push_back(member.operand());
    return operands;
  }

  /// The rows of the packed operand: one for each receiver.
  Expr rows() const { return kind_ == Bucketed::reduce_scatter ? ranks_ : Expr(1); }

  Value start_joined() {
    const Value packed = mode_ == BucketMode::packed ? pack_at_once() : pack();
    const Node& like = *members_.front();
    std::vector<Argument> arguments(like.arguments().begin(), like.arguments().end());
    arguments[0] = packed;
    return create(like.op().name(), std::move(arguments));
  }

  Value pack() {
    std::vector<Value> flat;
    for (const Value operand : operands()) {
      Value part = viewed(operand, {operand.tensor().numel()});
      if (part.tensor().dtype != packed_dtype()) {
        part = create("aten.view.dtype", {part, packed_dtype()});
      }
      const Expr length = part.tensor().numel();
      if (!rows().is(1)) part = viewed(part, {rows(), floor_div(length, rows())});
      flat.push_back(part);
    }
    const Value joined = create("aten.cat", {std::move(flat), Expr(rows().is(1) ? 0 : 1)});
    return rows().is(1) ? joined : viewed(joined, {joined.tensor().numel()});
  }

  /// Conversions that only feed members happen in the copy.
  Value pack_at_once() {
    std::vector<Value> sources;
    for (const BucketMember& member : bucket_.members) {
      Value operand = member.operand();
      const Node* convert = operand.producer();
      if (convert != nullptr && !member.keeps_convert && folds_into_pack(*convert))
        operand = convert->input(0);
      sources.push_back(operand);
    }
    return create("litz.pack", {std::move(sources), rows(), packed_dtype()});
  }

  /// The dtype of the joined collective: the narrowest one.
  DType packed_dtype() const {
    DType narrow = members_.front()->output().tensor().dtype;
    for (const Node* member : members_) {
      const DType other = member->output().tensor().dtype;
      if (item_size(other) < item_size(narrow)) narrow = other;
    }
    // Copies of booleans may change other bytes than 0 and 1.
    const bool are_mixed = std::ranges::any_of(
        members_, [&](const Node* member) { return member->output().tensor().dtype != narrow; });
    return are_mixed && narrow == DType::bool_ ? DType::u8 : narrow;
  }

  std::vector<Value> start_coalesced() {
    const Node& like = *members_.front();
    std::vector<Argument> arguments(like.arguments().begin(), like.arguments().end());
    arguments[0] = operands();
    return graph_.create("_c10d_functional.reduce_scatter_tensor_coalesced", std::move(arguments))
        ->outputs();
  }

  // --- Splitting

  Value wait(Value started) {
    const Value result = create("_c10d_functional.wait_tensor", {started});
    new_waits_.push_back(result.producer());
    return result;
  }

  std::vector<Value> wait_for_each(const std::vector<Value>& started) {
    std::vector<Value> results;
    results.reserve(started.size());
    for (const Value each : started) results.push_back(wait(each));
    return results;
  }

  std::vector<Value> split(Value joined) {
    const bool is_gathered = kind_ == Bucketed::all_gather;
    const Expr received = is_gathered ? ranks_ : Expr(1);
    const Expr length = floor_div(joined.tensor().numel(), received);
    if (is_gathered) joined = viewed(joined, {received, length});
    std::vector<Value> results;
    Expr begin = 0;
    for (const Node* member : members_) {
      const TensorType& type = member->output().tensor();
      const Expr items = item_size(type.dtype) / item_size(packed_dtype());
      const Expr end = begin + floor_div(type.numel() * items, received);
      Value part = create("aten.slice.Tensor", {joined, Expr(is_gathered ? 1 : 0), begin, end});
      begin = end;
      if (type.dtype != packed_dtype()) {
        // Fresh memory: a part may begin where wider elements must not.
        part = create("aten.clone", {part, Argument(Attribute(MemoryFormat::contiguous))});
        part = viewed(part, {part.tensor().numel()});
        part = create("aten.view.dtype", {part, type.dtype});
      }
      results.push_back(viewed(part, type.sizes));
    }
    return results;
  }

  void replace(const std::vector<Value>& results) {
    for (size_t i = 0; i < members_.size(); ++i) {
      const Value old = waits_[i]->output();
      const std::string name(std::string_view(old.name()));  // Outlives the old value's.
      graph_.set_name(old, "");
      if (!name.empty()) graph_.set_name(results[i], name);
      graph_.replace_uses(old, results[i]);
      graph_.erase(waits_[i]);
      Node* const convert = members_[i]->input(0).producer();
      graph_.erase(members_[i]);
      if (convert != nullptr) graph_.erase_if_unused(convert);
    }
  }

  Graph& graph_;
  const SelectedBucket& bucket_;
  Bucketed kind_;
  BucketMode mode_;
  std::vector<Node*> members_;
  std::vector<Node*> waits_;
  std::vector<Node*> new_waits_;
  Expr ranks_ = 1;
};

}  // namespace

bool folds_into_pack(const Node& node) {
  if (!has(node.op().traits, ir::Trait::copy) || node.input_count() != 1) return false;
  const TensorType& from = node.input(0).tensor();
  const TensorType& to = node.output().tensor();
  return node.output().users().size() == 1 && from.device == to.device && from.sizes == to.sizes;
}

BucketPlace usual_place(const SelectedBucket& bucket) {
  Node* last = bucket.members[0].start;
  Node* first_wait = bucket.members[0].wait;
  for (const BucketMember& member : bucket.members) {
    if (last->is_before(*member.start)) last = member.start;
    if (member.wait->is_before(*first_wait)) first_wait = member.wait;
  }
  Node* start = last->next() != nullptr ? last->next() : last->graph().return_node();
  return {start, start->is_before(*first_wait) ? first_wait : start};
}

MergedBucket merge_bucket(Graph& graph, const SelectedBucket& bucket, Bucketed kind,
                          BucketMode mode, const BucketPlace& place) {
  return BucketMerger(graph, bucket, kind, mode).run(place);
}

}  // namespace litz::passes
