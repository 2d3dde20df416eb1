// Text forms of torch.fx, to compare with expectations and for people who know them.

#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The IR form, exactly as torch.fx prints a graph: one line `%name : [num_users=N] =
/// call_function[target=T](args = (...), kwargs = {...})` per node. Results of calls with several
/// go through operator.getitem, child graphs through get_attr; everything except names of values is
/// spelled as by Python's str().
std::string fx_text(const Graph& graph);

struct ProgramTextOptions {
  bool strides = false;  ///< After the sizes of tensors: "f32[2, 3][3, 1]".
  bool devices = false;  ///< "f32[2, 3]cpu"
};

struct ProgramText {
  std::string text;
  /// The node of each line, counted from 0; null for the frame.
  std::vector<const Node*> node_of_line;
};

/// The program form: one statement per node, the values whose lifetime ends there in the order of
/// their last use, and source lines as comments where they change.
ProgramText program_lines(const Graph& graph, const ProgramTextOptions& options = {});
std::string program_text(const Graph& graph, const ProgramTextOptions& options = {});

/// One row per node: opcode, name, target, args, kwargs.
std::string table_text(const Graph& graph);

}  // namespace litz::ir
