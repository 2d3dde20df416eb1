// Tracks which tensors of a graph share memory, and their newest values while writes become
// functional.
//
// Every tensor belongs to a storage: that of a graph argument, or of the fresh result that it is a
// view of. A write gives the storage a new version, held by a new root value. A tensor that is read
// later is recomputed: a root is the newest root, a view is its operator on its recomputed base.

#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/program.h"

namespace litz::passes {

/// True for operators whose results are views of their first operand.
bool is_view(const ir::Node& node);

class StorageVersions {
 public:
  /// `program` tells which inputs share memory, if `graph` is its main graph; else null. New nodes
  /// go to the graph's insertion point.
  StorageVersions(ir::Graph& graph, const ir::Program* program);

  /// Registers the results of a view; call it before refreshing the view's operands.
  void add_views(ir::Node* view);
  /// The newest form of a value of the original graph. Recomputes stale views.
  ir::Value current(ir::Value value);
  /// Replaces a node's operands by their newest forms.
  void refresh_operands(ir::Node* node);
  /// True if two tensors are known to be dense pieces of one memory that overlap without being the
  /// same piece in the same order.
  bool overlap_in_part(ir::Value a, ir::Value b);

  /// The number of the memory that holds a tensor.
  size_t memory(ir::Value value) { return identity(value).storage; }

  /// True if two tensors are known to share no element: different memories, or separate parts of
  /// one.
  bool are_apart(ir::Value a, ir::Value b);
  /// Records that the memory of `target` now holds `contents`. Throws Error{unsupported} for
  /// targets that overlap themselves, and for memory whose elements cannot be distinguished.
  void write(ir::Value target, ir::Value contents);

  /// True after a write.
  bool wrote() const { return wrote_; }

  /// The written graph inputs and their final contents, by input position.
  std::vector<std::pair<size_t, ir::Value>> written_inputs();

 private:
  struct Storage {
    ir::Value origin;
    ir::Value root;  // The newest version of the whole storage.
    int version = 0;
    bool is_shared = false;  // An input of another geometry shares the memory.
  };

  // How a value of the original graph relates to its storage.
  struct Identity {
    size_t storage = 0;
    ir::Value base;            // The value that it is a view of; null for roots.
    ir::Node* view = nullptr;  // The operator that makes it from `base`.
    size_t result = 0;         // Which result of `view`.
    TensorType type;           // Its original type.
    ir::Value current;         // Its newest form,
    int version = 0;           // for this version of the storage.
  };

  Identity& identity(ir::Value value);
  void add_root(ir::Value value);
  void add_inputs();
  void add_view(ir::Node* view, size_t result);
  ir::Value remake(const Identity& id);
  void retype_view(ir::Node* view);
  void move_offset(std::vector<ir::Argument>& arguments, const ir::Node& view, ir::Value old_base,
                   ir::Value new_base) const;
  ir::Value fitted(ir::Value contents, const TensorType& type);
  ir::Value written_through(ir::Value contents, const TensorType& part, ir::Value origin);
  ir::Value written_in_list(ir::Value values, const TensorType& part, ir::Value newest,
                            const TensorType& whole);

  ir::Graph& graph_;
  const ir::Program* program_;
  std::vector<Storage> storages_;
  std::vector<Identity> identities_;
  // For lookup only, since its order is not deterministic.
  std::unordered_map<const ir::ValueData*, size_t> identity_of_;
  bool wrote_ = false;
};

}  // namespace litz::passes
