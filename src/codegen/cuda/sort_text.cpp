// Sorts in the memory of a block. A key's place is the number of keys before it, so each thread finds
// the places of its own keys, and runs the second block there:
//
//   __shared__ f32 keys0[1000];
//   for (n = rank; n < 1000; n += 128) keys0[n] = ...;
//   __syncthreads();
//   for (n = rank; n < 1000; n += 128) {
//     place = number of keys before keys0[n];   if (place < 16) { ... }
//   }
//
// Equal keys keep their order, and NaN is larger than any number.

#include "codegen/cuda/kernel_text.h"
#include "support/check.h"

namespace litz::codegen {

void KernelText::add_sort(const Instr& sort) {
  check(in_team(), "the threads of a team share a sort:", kernel_.name);
  const loops::LoopVar& element = sort.vars[0];
  const std::string type = register_type(dtype(sort.blocks[0]->yields[0]));
  const std::string keys = unique("keys");
  const std::string count = product({&element});
  line("__shared__ " + type + " " + keys + "[" + std::to_string(bounds(element.extent).hi) + "];");
  sync();
  alone_ = true;
  add_shared({&element}, unique("n"), [&] {
    add_block(*sort.blocks[0]);
    line(keys + "[" + expr(element.symbol) + "] = " + name(sort.blocks[0]->yields[0]) + ";");
  });
  alone_ = false;
  sync();
  alone_ = true;
  add_shared({&element}, unique("n"), [&] {
    const std::string own = expr(element.symbol);
    const std::string place = unique("place");
    line("i64 " + place + " = 0;");
    line("for (int j = 0; j < " + count + "; ++j) " + place + " += is_before<" +
         (sort.flag ? "true" : "false") + ">(" + keys + "[j], j, " + keys + "[" + own + "], " +
         own + ");");
    add_scope("if (" + place + " < " + expr(sort.position.extent) + ")", [&] {
      symbols_[sort.position.symbol.symbol()] = {place, true};
      define(sort.carried[0], keys + "[" + own + "]");
      define(sort.carried[1], own);
      add_block(*sort.blocks[1]);
    });
  });
  alone_ = false;
  sync();
}

}  // namespace litz::codegen
