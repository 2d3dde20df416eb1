#include "text_program.h"

#include <cstdlib>

#include "ir/parser.h"
#include "ops/user_operators.h"

namespace litz::compiler {

ir::Program text_program(std::string_view text) {
  ir::Program program;
  program.module = ir::read_module(text, ops::known_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.inputs.resize(program.graph().input_count());
  program.outputs.resize(program.graph().outputs().size());
  program.functional = true;
  return program;
}

std::string bytes_of(const std::vector<Leaf>& leaves) {
  std::string bytes;
  for (const Leaf& leaf : leaves) {
    const Tensor tensor = std::get<Tensor>(leaf).contiguous();
    for (const int64_t size : tensor.sizes()) bytes += std::to_string(size) + " ";
    bytes.append(reinterpret_cast<const char*>(tensor.data()),
                 static_cast<size_t>(tensor.numel() * item_size(tensor.dtype())));
  }
  return bytes;
}

int count_from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace litz::compiler
