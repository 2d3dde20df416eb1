// The state of lowering one module: plans by graph, slots by value, symbols that are known so far.

#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "ir/value_labels.h"
#include "lowering/plan.h"
#include "ops/op_def.h"
#include "ops/op_table.h"

namespace litz::lowering {

using SymbolSet = std::set<SymbolId>;

class ProgramLowering {
 public:
  explicit ProgramLowering(ir::Module& module) : module_(module) {}

  /// The plan of a graph; lowered on first use. `known` are the symbols bound where it is called.
  int plan_of(ir::Graph& graph, const SymbolSet& known);
  LoweredProgram finish() &&;

  ir::Module& module() const { return module_; }

 private:
  ir::Module& module_;
  LoweredProgram program_;
  std::unordered_map<const ir::Graph*, int> plans_;
};

/// Lowers one graph.
class GraphLowering {
 public:
  GraphLowering(ProgramLowering& program, ir::Graph& graph, const SymbolSet& known);
  Plan run();

 private:
  // graph_lowering.cpp
  void add_inputs();
  void add_outputs();
  void lower_node(ir::Node& node);
  Slot slot_of(ir::Value value) const;
  Slot add_slot(ir::Value value);
  ControlOperand operand(ir::Value value) const;
  std::vector<ControlOperand> operands(const ir::Argument& argument) const;
  std::vector<SymbolId> take_unknown(const ir::ValueType& type);
  /// A step of the node with its results; `allocated` ones are made by the runner before it.
  Step& add_step(const ir::Node& node, decltype(Step::work) work, bool allocated);

  // lower_operator.cpp
  void lower_kernel(ir::Node& node, const ops::OpDef& op);
  void lower_library(ir::Node& node, const ops::Library& library);
  void lower_views(ir::Node& node);

  // lower_structural.cpp
  void lower_structural(ir::Node& node);
  bool lower_control(ir::Node& node);
  RegionBody region_body(ir::GraphRef ref) const;
  void lower_item(ir::Node& node);
  void lower_assertion(ir::Node& node);
  void lower_range(ir::Node& node);
  void require_known(const ir::Node& node) const;

  ProgramLowering& program_;
  ir::Graph& graph_;
  SymbolSet known_;
  ir::ValueLabels labels_;
  std::unordered_map<const ir::ValueData*, Slot> slots_;
  Plan plan_;
};

/// The symbols in a type.
std::vector<SymbolId> symbols_of(const ir::ValueType& type);

}  // namespace litz::lowering
