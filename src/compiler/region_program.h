// A region of a program as a program of its own: its graph in a module of its own, weights of the
// program around it as weights, everything else as inputs.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"
#include "lowering/plan.h"

namespace litz::compiler {

/// Which values of a program are always the same weight.
class ConstantValues {
 public:
  /// The program must outlive this; weights that it changes are not constant.
  explicit ConstantValues(const ir::Program& program);

  /// The number of the program's input; nothing for a value that differs between calls. Arguments of
  /// child graphs are followed to what all calls give for them.
  std::optional<size_t> input_of(ir::Value value) const;

 private:
  std::optional<size_t> argument_of(ir::Value value, int depth) const;

  const ir::Program& program_;
  std::vector<bool> is_constant_;  ///< By input of the main graph.
};

struct RegionProgram {
  ir::Program program;
  std::vector<size_t> operands;   ///< What its calls are given: these operands of the region,
  std::vector<SymbolId> symbols;  ///< then the values of these symbols of the module around it.
};

/// Copies the graph of a region by its text, which is exact. Sizes that no operand has as its own
/// become inputs. Constants share their memory with the program's.
RegionProgram make_region_program(const ir::Module& module, const lowering::RegionBody& body,
                                  const ir::Program& outer, const ConstantValues& constants);

/// The text of a graph, of the graphs that it calls and of their symbols: a module of its own.
std::string module_text(ir::Graph& graph);

}  // namespace litz::compiler
