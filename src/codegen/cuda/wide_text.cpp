// Neighbours that a thread takes at a time.
//
//   const Wide<u16, 8> w0 = load_wide<8>(&b0[...]);         if all buffers are aligned, else one
//   Wide<u16, 8> w1;                                         element after the other
//   for (int e = 0; e < 8; ++e) w1.item[e] = f(w0.item[e]);
//   store_wide(&b1[...], w1);

#include "codegen/cuda/kernel_text.h"
#include "loops/marks.h"

namespace litz::codegen {

/// True at run time if the buffers of wide accesses begin at multiples of 16 bytes; empty if they
/// do.
std::string KernelText::are_aligned(const Instr& loop) const {
  std::set<loops::BufferId> buffers;
  for (const Instr& instr : loop.blocks[0]->instrs) {
    const bool is_bound = static_cast<size_t>(instr.buffer) < schedule_.bound_buffers;
    if (schedule_.wide.contains(&instr) && is_bound) buffers.insert(instr.buffer);
  }
  std::string addresses;
  for (const loops::BufferId buffer : buffers) {
    addresses += (addresses.empty() ? "u64(b" : " | u64(b") + std::to_string(buffer) + ")";
  }
  return addresses.empty() ? "" : "((" + addresses + ") & 15) == 0";
}

void KernelText::add_wide(const Instr& loop, const std::string& base, const Body& body) {
  const std::string width = std::to_string(schedule_.width_of(loop));
  const SymbolId symbol = loop.vars.back().symbol.symbol();
  const Text at_base = symbols_.at(symbol);
  element_number_ = unique("e");
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (schedule_.invariant.contains(&instr)) add_instr(instr);
  }
  const auto each_element = [&] {
    in_wide_ = true;
    line("#pragma unroll");
    add_scope("for (int " + element_number_ + " = 0; " + element_number_ + " < " + width + "; ++" +
                  element_number_ + ")",
              [&] {
                const std::string own = unique("at");
                line(std::string("const ") + (at_base.is_wide ? "i64 " : "int ") + own + " = " +
                     base + " + " + element_number_ + ";");
                symbols_[symbol] = {own, at_base.is_wide};
                body();
                symbols_[symbol] = at_base;
              });
    in_wide_ = false;
  };
  const std::string aligned = are_aligned(loop);
  add_scope(aligned.empty() ? "" : "if (" + aligned + ")", [&] {
    std::vector<const Instr*> stores;
    for (const Instr& instr : loop.blocks[0]->instrs) {
      if (!schedule_.wide.contains(&instr)) continue;
      const DType dtype = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
      const std::string own = unique("w");
      const std::string type = std::string("Wide<") + memory_type(dtype) + ", " + width + "> ";
      if (instr.kind == loops::InstrKind::load) {
        line("const " + type + own + " = load_wide<" + width + ">(&" + element(instr) + ");");
      } else {
        line(type + own + ";");
        stores.push_back(&instr);
      }
      registers_[&instr] = own;
    }
    each_element();
    for (const Instr* store : stores) {
      const std::string own = registers_.at(store);
      line("store_wide(&" + element(*store) + ", " + own + ");");
    }
    registers_.clear();
  });
  if (!aligned.empty()) add_scope("else", each_element);
}

}  // namespace litz::codegen
