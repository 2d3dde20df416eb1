// Neighbours that a thread takes at a time.
//
//   const Wide<u16, 8> w0 = load_wide<8>(&b0[...]);         if all buffers are aligned, else one
//   Wide<u16, 8> w1;                                         element after the other
//   for (int e = 0; e < 8; ++e) w1.item[e] = f(w0.item[e]);
//   store_wide(&b1[...], w1);

#include <utility>

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

void KernelText::add_chunks(const Instr& loop, int chunks, const Body& body) {
  const loops::LoopVar& var = loop.vars[0];
  const int64_t extent = var.extent.constant();
  const int64_t step = int64_t{schedule_.width_of(loop)} * team_;
  const std::string outer = std::exchange(chunk_, unique("c"));
  line("#pragma unroll");
  add_scope("for (int " + chunk_ + " = 0; " + chunk_ + " < " + std::to_string(chunks) + "; ++" +
                chunk_ + ")",
            [&] {
              const std::string index = declare(var);
              line("const int " + index + " = " + chunk_ + " * " + std::to_string(step) +
                   " + rank * " + std::to_string(schedule_.width_of(loop)) + ";");
              const auto run = [&] { add_wide(loop, index, body); };
              if (extent == chunks * step) return run();
              add_scope("if (" + index + " < " + std::to_string(extent) + ")", run);
            });
  chunk_ = outer;
}

void KernelText::add_kept_rows(const Instr& loop) {
  for (size_t i = 0; i < schedule_.kept_rows.size(); ++i) {
    const schedule::KeptRow& row = schedule_.kept_rows[i];
    if (row.loop != &loop) continue;
    const auto buffer = static_cast<size_t>(row.load->buffer);
    const std::string width = std::to_string(schedule_.width_of(loop));
    const std::string name = "row" + std::to_string(i);
    line("Wide<" + std::string(memory_type(kernel_.buffers[buffer].type.dtype)) + ", " + width +
         "> " + name + "[" + std::to_string(row.chunks) + "];");
    // Loops whose other buffers are not aligned read memory instead.
    add_scope("if ((u64(b" + std::to_string(buffer) + ") & 15) == 0)", [&] {
      alone_ = true;
      const Instr& load = *row.load;
      const int64_t extent = loop.vars[0].extent.constant();
      const int64_t step = int64_t{schedule_.width_of(loop)} * team_;
      line("#pragma unroll");
      add_scope("for (int c = 0; c < " + std::to_string(row.chunks) + "; ++c)", [&] {
        const std::string index = declare(loop.vars[0]);
        line("const int " + index + " = c * " + std::to_string(step) + " + rank * " + width + ";");
        const std::string guard = extent == row.chunks * step
                                      ? ""
                                      : "if (" + index + " < " + std::to_string(extent) + ") ";
        line(guard + name + "[c] = load_wide<" + width + ">(&" + element(load) + ");");
      });
      alone_ = false;
    });
  }
}

void KernelText::add_wide(const Instr& loop, const std::string& base, const Body& body) {
  const std::string width = std::to_string(schedule_.width_of(loop));
  const SymbolId symbol = loop.vars.back().symbol.symbol();
  const Text at_base = symbols_.at(symbol);
  const std::string number = unique("e");
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (schedule_.invariant.contains(&instr)) add_instr(instr);
  }
  const auto each_element = [&] {
    in_wide_ = true;
    line("#pragma unroll");
    add_scope("for (int " + number + " = 0; " + number + " < " + width + "; ++" + number + ")",
              [&] {
                const std::string at = unique("at");
                line(std::string("const ") + (at_base.is_wide ? "i64 " : "int ") + at + " = " +
                     base + " + " + number + ";");
                symbols_[symbol] = {at, at_base.is_wide};
                body();
                symbols_[symbol] = at_base;
              });
    in_wide_ = false;
  };
  const std::string aligned = are_aligned(loop);
  add_scope(aligned.empty() ? "" : "if (" + aligned + ")", [&] {
    const std::string item = ".item[" + number + "]";
    std::vector<std::pair<const Instr*, std::string>> stores;
    for (const Instr& instr : loop.blocks[0]->instrs) {
      if (!schedule_.wide.contains(&instr)) continue;
      const DType dtype = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
      if (const auto row = schedule_.kept_row_of.find(&instr); row != schedule_.kept_row_of.end()) {
        held_[&instr] = "row" + std::to_string(row->second) + "[" + chunk_ + "]" + item;
        continue;
      }
      const std::string own = unique("w");
      const std::string type = std::string("Wide<") + memory_type(dtype) + ", " + width + "> ";
      if (instr.kind == loops::InstrKind::load) {
        line("const " + type + own + " = load_wide<" + width + ">(&" + element(instr) + ");");
      } else {
        line(type + own + ";");
        stores.emplace_back(&instr, own);
      }
      held_[&instr] = own + item;
    }
    each_element();
    for (const auto& [store, own] : stores) {
      line("store_wide(&" + element(*store) + ", " + own + ");");
    }
    held_.clear();
  });
  if (!aligned.empty()) add_scope("else", each_element);
}

}  // namespace litz::codegen
