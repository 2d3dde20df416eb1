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
    const auto buffer = static_cast<size_t>(row.first->buffer);
    const std::string width = std::to_string(schedule_.width_of(loop));
    const std::string name = "row" + std::to_string(i);
    line("Wide<" + std::string(memory_type(kernel_.buffers[buffer].type.dtype)) + ", " + width +
         "> " + name + "[" + std::to_string(row.chunks) + "];");
    if (row.first->kind == loops::InstrKind::store) continue;
    // Loops whose other buffers are not aligned read memory instead.
    add_scope("if ((u64(b" + std::to_string(buffer) + ") & 15) == 0)", [&] {
      alone_ = true;
      const Instr& load = *row.first;
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

void KernelText::add_kept_values(const Instr& loop) {
  for (size_t i = 0; i < schedule_.kept_values.size(); ++i) {
    const schedule::KeptValue& value = schedule_.kept_values[i];
    if (value.loop != &loop) continue;
    line(std::string(register_type(dtype(value.first->results[0]))) + " kept" + std::to_string(i) +
         "[" + std::to_string(value.elements) + "];");
  }
}

std::string KernelText::kept_value(const Instr& instr) const {
  const auto found = schedule_.kept_value_of.find(&instr);
  if (found == schedule_.kept_value_of.end()) return "";
  const int width = schedule_.width_of(*schedule_.kept_values[found->second].loop);
  return "kept" + std::to_string(found->second) + "[" + chunk_ + " * " + std::to_string(width) +
         " + " + neighbour_ + "]";
}

bool KernelText::is_in_stored_row(const Instr& access) const {
  const auto found = schedule_.kept_row_of.find(&access);
  return found != schedule_.kept_row_of.end() &&
         schedule_.kept_rows[found->second].first->kind == loops::InstrKind::store;
}

std::string KernelText::stored_element(const Instr& access) const {
  const std::string row = "row" + std::to_string(schedule_.kept_row_of.at(&access));
  if (!chunk_.empty()) return row + "[" + chunk_ + "].item[" + neighbour_ + "]";
  const std::string first = row + "[0].item[0]";
  return is_warp() ? "from_lane_of(" + first + ", 0)"
                   : "from_first<" + std::to_string(team_) + ">(" + first + ")";
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
    const std::string outer = std::exchange(neighbour_, number);
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
    neighbour_ = outer;
    in_wide_ = false;
  };
  const std::string aligned = are_aligned(loop);
  add_scope(aligned.empty() ? "" : "if (" + aligned + ")",
            [&] { add_neighbours(loop, ".item[" + number + "]", each_element); });
  if (!aligned.empty()) add_scope("else", each_element);
}

void KernelText::add_neighbours(const Instr& loop, const std::string& item,
                                const Body& each_element) {
  const std::string width = std::to_string(schedule_.width_of(loop));
  std::vector<std::pair<const Instr*, std::string>> stores;
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (!schedule_.wide.contains(&instr)) continue;
    const DType dtype = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
    if (const auto row = schedule_.kept_row_of.find(&instr); row != schedule_.kept_row_of.end()) {
      const std::string own = "row" + std::to_string(row->second) + "[" + chunk_ + "]";
      held_[&instr] = own + item;
      if (instr.kind == loops::InstrKind::store) stores.emplace_back(&instr, own);
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
}

// The digits of the first iteration are divided out; those of its neighbours are counted.
void KernelText::add_flat(const Instr& loop, const std::string& number, const Body& body) {
  const std::string width = std::to_string(schedule_.width_of(loop));
  const auto vars = all_vars(loop);
  const std::string e = unique("e");
  add_digits(vars, number);
  std::vector<std::pair<std::string, std::string>> counters;  // By variable: name and extent.
  for (const loops::LoopVar* var : vars) {
    const Text first = symbols_.at(var->symbol.symbol());
    const std::string own = unique("at");
    line((first.is_wide ? "i64 " : "int ") + own + " = " + first.text + ";");
    counters.emplace_back(own, expr(var->extent));
  }
  const auto each_element = [&](const std::string& guard) {
    line("#pragma unroll");
    add_scope("for (int " + e + " = 0; " + e + " < " + width + "; ++" + e + ")", [&] {
      if (!guard.empty()) line(guard);
      const auto outer = symbols_;
      for (size_t v = 0; v < vars.size(); ++v) {
        symbols_[vars[v]->symbol.symbol()].text = counters[v].first;
      }
      add_scope("", body);
      symbols_ = outer;
      std::string next;
      for (size_t v = vars.size(); v-- > 0;) {
        const auto& [own, extent] = counters[v];
        if (v == 0) {
          next += "++" + own + ";";
        } else {
          next += "if (++" + own + " == " + extent + ") { " + own + " = 0; ";
        }
      }
      for (size_t v = 1; v < vars.size(); ++v) next += " }";
      line(next);
    });
  };
  const std::string aligned = are_aligned(loop);
  add_scope("if (" + number + " + " + width + " <= count" +
                (aligned.empty() ? "" : " && " + aligned) + ")",
            [&] { add_neighbours(loop, ".item[" + e + "]", [&] { each_element(""); }); });
  add_scope("else", [&] { each_element("if (" + number + " + " + e + " >= count) break;"); });
}

}  // namespace litz::codegen
