// Which tensors of a graph share memory, and the newest of each while writes are made functional.
//
// Every tensor belongs to a storage: that of the graph argument or of the fresh result from which
// views made it. A write gives the storage a new version, held by a new root value. A tensor that
// is read later is made again: a root is the newest root, a view its view operator on its base.

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
  /// `program`, where `graph` is its main graph, tells which inputs share memory; else null. New
  /// nodes go to the graph's insertion point.
  StorageVersions(ir::Graph& graph, const ir::Program* program);

  /// Registers the results of a view; to be called before its operands are refreshed.
  void add_views(ir::Node* view);
  /// The newest form of a value of the original graph. Makes views again where they are stale.
  ir::Value current(ir::Value value);
  /// Lets a node read the newest forms of its operands.
  void refresh_operands(ir::Node* node);
  /// Whether two tensors are known to be dense pieces of one memory that overlap without being the
  /// same piece in the same order.
  bool overlap_in_part(ir::Value a, ir::Value b);

  /// The number of the memory that a tensor lies in.
  size_t memory(ir::Value value) { return identity(value).storage; }

  /// Whether two tensors are known to share no element: of two memories, or places of one.
  bool are_apart(ir::Value a, ir::Value b);
  /// From now on the memory of `target` holds `contents`. Throws Error{unsupported} for overlapping
  /// targets and for memory whose elements cannot be told apart.
  void write(ir::Value target, ir::Value contents);

  /// True when something was written.
  bool wrote() const { return wrote_; }

  /// Graph inputs that were written and what they hold at the end, by input position.
  std::vector<std::pair<size_t, ir::Value>> written_inputs();

 private:
  struct Storage {
    ir::Value origin;
    ir::Value root;  // Newest version of the whole.
    int version = 0;
    bool is_shared = false;  // An input of another geometry lies in the same memory.
  };

  // How a value of the original graph is related to its storage.
  struct Identity {
    size_t storage = 0;
    ir::Value base;            // The value it is a view of; null for roots.
    ir::Node* view = nullptr;  // The operator that made it from `base`.
    size_t result = 0;         // Which result of `view`.
    TensorType type;           // As first made.
    ir::Value current;         // Its newest form...
    int version = 0;           // ...as of this version of the storage.
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
  // Looked up, never walked.
  std::unordered_map<const ir::ValueData*, size_t> identity_of_;
  bool wrote_ = false;
};

}  // namespace litz::passes
