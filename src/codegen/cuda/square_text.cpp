// Squares in the memory of a block, for loads along another variable than the stores.
//
//   __shared__ f32 square0[32][33];
//   for (int r = threadIdx.x / 32; r < 32; r += 8) square0[r][threadIdx.x % 32] = b0[...];
//   __syncthreads();
//   for (int r = threadIdx.x / 32; r < 32; r += 8) { ... square0[threadIdx.x % 32][r] ... }
//
// A column more than needed keeps the threads of a warp on different banks in both directions.

#include "codegen/cuda/kernel_text.h"

namespace litz::codegen {

void KernelText::add_squares(const schedule::Phase& phase) {
  const Instr& loop = *schedule_.loop_of(phase);
  const loops::LoopVar& row = loop.vars[*phase.square_rows];
  const loops::LoopVar& column = loop.vars.back();
  std::vector<const loops::LoopVar*> others;
  for (const loops::LoopVar& var : loop.vars) {
    if (&var != &row && &var != &column) others.push_back(&var);
  }
  const std::string size = std::to_string(schedule::kSquare);
  const std::string lane = "threadIdx.x % " + size;
  const std::string rows = expr(row.extent);
  const std::string columns = expr(column.extent);
  const auto squares = [&](const std::string& extent) {
    return "((" + extent + " + " + std::to_string(schedule::kSquare - 1) + ") / " + size + ")";
  };
  ends_on_failure_ = true;
  line("i64 square = blockIdx.x;");
  line("if (square >= count) return;");
  line("const i64 first_column = square % " + squares(columns) + " * " + size + ";");
  line("square /= " + squares(columns) + ";");
  line("const i64 first_row = square % " + squares(rows) + " * " + size + ";");
  line("square /= " + squares(rows) + ";");
  if (!others.empty()) add_digits(others, "square");

  std::vector<const Instr*> loads;
  for (const Instr& load : loop.blocks[0]->instrs) {
    if (!schedule_.transposed.contains(&load)) continue;
    const DType dtype = kernel_.buffers[static_cast<size_t>(load.buffer)].type.dtype;
    line(std::string("__shared__ ") + memory_type(dtype) + " square" +
         std::to_string(loads.size()) + "[" + size + "][" + std::to_string(schedule::kSquare + 1) +
         "];");
    loads.push_back(&load);
  }
  const auto define_var = [&](const loops::LoopVar& var, const char* first,
                              const std::string& step) {
    const std::string own = declare(var);
    const std::string type = symbols_.at(var.symbol.symbol()).is_wide ? "i64" : "int";
    line("const " + type + " " + own + " = " + type + "(" + first + ") + " + step + ";");
    return own;
  };
  const auto each_row = [&](const std::string& own_row, const std::string& own_column,
                            const Body& body) {
    add_scope("for (int r = threadIdx.x / " + size + "; r < " + size +
                  "; r += " + std::to_string(threads_ / schedule::kWarpThreads) + ")",
              [&] {
                const std::string i = define_var(row, "first_row", own_row);
                const std::string j = define_var(column, "first_column", own_column);
                line("if (" + i + " >= " + rows + " || " + j + " >= " + columns + ") continue;");
                body();
              });
  };
  each_row(lane, "r", [&] {
    for (size_t i = 0; i < loads.size(); ++i) {
      line("square" + std::to_string(i) + "[r][" + lane + "] = " + element(*loads[i]) + ";");
    }
  });
  line("__syncthreads();");
  each_row("r", lane, [&] {
    for (size_t i = 0; i < loads.size(); ++i) {
      held_[loads[i]] = "square" + std::to_string(i) + "[" + lane + "][r]";
    }
    add_block(*loop.blocks[0]);
    held_.clear();
  });
}

}  // namespace litz::codegen
