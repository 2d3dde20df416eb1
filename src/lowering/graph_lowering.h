// The state of lowering one module: plans by graph, slots by value, known symbols.

#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/effects.h"
#include "ir/graph.h"
#include "ir/value_labels.h"
#include "lowering/plan.h"
#include "ops/bodies.h"
#include "ops/op_def.h"
#include "ops/op_table.h"

namespace litz::lowering {

using SymbolSet = std::set<SymbolId>;

class ProgramLowering {
 public:
  explicit ProgramLowering(ir::Module& module) : module_(module) {}

  /// Returns the plan of a graph; the first use lowers it, the main graph first. `known` are the
  /// symbols bound at the call; `writable`, by input, says whether the plan may write its memory;
  /// empty: none.
  int plan_of(ir::Graph& graph, const SymbolSet& known, std::vector<bool> writable = {});
  LoweredProgram finish() &&;

  const Plan& plan(int index) const { return program_.plans[static_cast<size_t>(index)]; }

  ir::Module& module() const { return module_; }

  /// By input: whether the graph updates its memory.
  std::vector<bool> updated_arguments(const ir::Graph& graph) {
    return effects_.written_arguments(graph);
  }

 private:
  ir::Module& module_;
  LoweredProgram program_;
  ir::EffectWalk effects_;
  std::map<std::pair<uint32_t, std::vector<bool>>, int> plans_;  ///< By graph and writable inputs.
};

/// Lowers one graph.
class GraphLowering {
 public:
  GraphLowering(ProgramLowering& program, ir::Graph& graph, const SymbolSet& known,
                std::vector<bool> writable);
  Plan run();

 private:
  /// Memory that a slot shares with its views and updates.
  struct Memory {
    bool is_writable =
        false;        ///< A step made it for this plan alone, or the caller gives the input away.
    int version = 0;  ///< Counts updates.
  };

  struct SlotMemory {
    size_t memory = 0;
    int version = 0;  ///< The version that the slot shows; older ones are overwritten.
  };

  // graph_lowering.cpp
  void add_inputs();
  void add_outputs();
  void lower_node(ir::Node& node);
  Slot slot_of(ir::Value value) const;
  /// `shared` is the slot whose memory holds the value.
  Slot add_slot(ir::Value value, Slot shared = kNoSlot);

  Memory& memory_of(Slot slot) {
    return memories_[slot_memories_[static_cast<size_t>(slot)].memory];
  }

  ControlOperand operand(ir::Value value) const;
  std::vector<ControlOperand> operands(const ir::Argument& argument) const;
  std::vector<SymbolId> take_unknown(const ir::ValueType& type);
  /// Adds a step of the node with its results. The runner makes `allocated` results before the
  /// step, except those that reuse the memory of a slot: `over` has one entry per result, or none.
  Step& add_step(const ir::Node& node, decltype(Step::work) work, bool allocated,
                 std::span<const Slot> over = {});

  // lower_operator.cpp
  void lower_kernel(ir::Node& node, const ops::OpDef& op);
  void lower_update(ir::Node& node, const ir::OpInfo& functional);
  bool can_update(const ir::Node& node) const;
  void add_kernel(const ir::Node& node, ops::BoundKernel bound, Slot over);
  void lower_library(ir::Node& node, const ops::Library& library);
  void lower_wait(ir::Node& node, const ops::Library& library);
  LibraryStep library_step(const ir::Node& node, std::string function) const;
  void lower_views(ir::Node& node);
  void assert_expands(const ir::Node& node);

  // lower_user.cpp
  void lower_user(ir::Node& node);

  // lower_structural.cpp
  void lower_structural(ir::Node& node);
  bool lower_control(ir::Node& node);
  void lower_call(ir::Node& node);
  std::vector<bool> writable_operands(std::span<const ir::Value> operands, const ir::Graph& body);
  RegionBody region_body(ir::GraphRef ref) const;
  void lower_item(ir::Node& node);
  void lower_assertion(ir::Node& node);
  void lower_data_check(const ir::Node& node, const TensorType& type, Slot slot,
                        std::string message);
  void lower_range(ir::Node& node);
  void require_known(const ir::Node& node) const;

  ProgramLowering& program_;
  ir::Graph& graph_;
  SymbolSet known_;
  ir::ValueLabels labels_;
  std::unordered_map<const ir::ValueData*, Slot> slots_;
  std::vector<SlotMemory> slot_memories_;  ///< By slot.
  std::vector<Memory> memories_;
  std::vector<bool> writable_;  ///< By input; empty: none.
  Plan plan_;
};

/// The symbols in a type.
std::vector<SymbolId> symbols_of(const ir::ValueType& type);

}  // namespace litz::lowering
