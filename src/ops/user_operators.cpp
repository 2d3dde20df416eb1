#include "ops/user_operators.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "ir/declared_ops.h"
#include "ops/call.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::ops {
namespace {

struct Entry : ir::OpInfo {
  int like = -1;
  std::function<std::vector<TensorType>(const Call&)> types;
};

/// One per process. Entries have stable addresses.
struct Registry {
  std::mutex mutex;
  std::deque<Entry> entries;
  std::shared_ptr<const ir::OpSet> known;  ///< Null if entries were added since it was made.
};

Registry& registry() {
  static Registry registry;
  return registry;
}

/// New memory with the argument's layout if it has no gaps.
TensorType fresh_like(const TensorType& argument) {
  TensorType type = contiguous_type(argument.dtype, argument.sizes);
  if (is_non_overlapping_and_dense(argument)) type.strides = argument.strides;
  type.device = argument.device;
  return type;
}

/// The type of an argument that a result is; null for other results.
const TensorType* written_argument(const Call& call, const ir::SchemaReturn& result) {
  const std::vector<ir::SchemaArgument>& schema = call.op().schema.arguments;
  const auto own = std::ranges::find_if(schema, [&](const ir::SchemaArgument& argument) {
    return result.mutated && argument.alias == result.alias;
  });
  return own == schema.end() ? nullptr : &call.type(own->name);
}

/// The types of results: those that are arguments, and others as `types` gives them, in order.
std::vector<ir::ValueType> with_arguments(const Call& call, std::span<const TensorType> types) {
  std::vector<ir::ValueType> results;
  size_t next = 0;
  for (const ir::SchemaReturn& result : call.op().schema.returns) {
    const TensorType* own = written_argument(call, result);
    results.emplace_back(own != nullptr ? *own : types[next++]);
  }
  return results;
}

std::vector<ir::ValueType> infer_like(const ir::OpInfo& op, std::span<const ir::Argument> arguments,
                                      ir::InferContext& context) {
  const Call call(op, arguments, &context);
  const int like = static_cast<const Entry&>(op).like;
  const TensorType type =
      fresh_like(call.type(op.schema.arguments[static_cast<size_t>(like)].name));
  return with_arguments(call, std::vector<TensorType>(op.schema.returns.size(), type));
}

/// Litz's operators and those of the registry.
class KnownOps final : public ir::OpSet {
 public:
  KnownOps(std::shared_ptr<const OpTable> table, const std::vector<const ir::OpInfo*>& users)
      : table_(std::move(table)), all_(users) {
    all_.insert(all_.end(), table_->all().begin(), table_->all().end());
    std::ranges::sort(all_, {}, &ir::OpInfo::name);
  }

  const ir::OpInfo* find(std::string_view name) const override {
    const auto found = std::ranges::lower_bound(all_, name, {}, &ir::OpInfo::name);
    // The table knows more operators than it lists.
    return found != all_.end() && (*found)->name() == name ? *found : table_->find(name);
  }

  std::vector<std::string> suggestions(std::string_view name) const override {
    return table_->suggestions(name);
  }

  std::span<const ir::OpInfo* const> all() const override { return all_; }

 private:
  std::shared_ptr<const OpTable> table_;
  std::vector<const ir::OpInfo*> all_;
};

void require_names_of_their_own(const std::vector<UserOperator>& operators) {
  const std::shared_ptr<const OpTable> table = standard_ops();
  for (const UserOperator& op : operators) {
    const std::string& name = op.schema.name;
    require(table->find(name) == nullptr && !name.starts_with("litz."),
            "a registered operator must not have the name of one of Litz's own:", name);
  }
}

}  // namespace

void register_user_operators(std::vector<UserOperator> operators) {
  require_names_of_their_own(operators);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.known = nullptr;
  for (UserOperator& op : operators) {
    Entry& entry = all.entries.emplace_back();
    entry.schema = std::move(op.schema);
    entry.traits = op.traits | ir::Trait::library;
    entry.origin = ir::OpOrigin::user;
    entry.like = op.like;
    entry.types = std::move(op.types);
    if (op.like >= 0) entry.infer = infer_like;
    if (!entry.schema.mutates()) continue;
    Entry& functional = all.entries.emplace_back();
    functional.schema = ir::functional_schema(entry.schema);
    functional.traits = entry.traits;
    functional.origin = ir::OpOrigin::user;
    entry.functional = &functional;
  }
}

std::vector<ir::ValueType> types_of_call(const ir::OpInfo& op,
                                         std::span<const ir::Argument> arguments,
                                         ir::InferContext& context) {
  if (op.infer != nullptr) return op.infer(op, arguments, context);
  const auto* entry = op.origin == ir::OpOrigin::user ? static_cast<const Entry*>(&op) : nullptr;
  require(entry != nullptr && entry->types, ErrorCode::unsupported,
          "an operator must tell the types of its results to be called from C++:", op.name());
  const Call call(op, arguments, &context);
  return with_arguments(call, entry->types(call));
}

std::shared_ptr<const ir::OpSet> known_ops() {
  static const std::shared_ptr<const OpTable> table = standard_ops();
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (all.entries.empty()) return table;
  if (all.known == nullptr) {
    std::vector<const ir::OpInfo*> users;
    for (const Entry& entry : all.entries) users.push_back(&entry);
    all.known = std::make_shared<KnownOps>(table, users);
  }
  return all.known;
}

}  // namespace litz::ops
