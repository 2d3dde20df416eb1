// Memory that the threads of a team exchange.
//
// All bound buffers count as one here: an output may share memory with an input.

#include "codegen/cuda/kernel_text.h"
#include "loops/instrs.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::InstrKind;

constexpr BufferId kBound = -1;

bool meets(const std::set<BufferId>& a, const std::set<BufferId>& b) {
  for (const BufferId buffer : a) {
    if (b.contains(buffer)) return true;
  }
  return false;
}

}  // namespace

KernelText::Touched KernelText::touched_by(const Instr& instr) const {
  Touched touched;
  const auto visit = [&](const Instr& access) {
    if (access.kind != InstrKind::load && access.kind != InstrKind::store) return;
    if (access.kind == InstrKind::load && is_in_stored_row(access)) return;  // In registers.
    const auto index = static_cast<size_t>(access.buffer);
    const BufferId buffer = index < schedule_.bound_buffers ? kBound : access.buffer;
    const bool combines =
        access.kind == InstrKind::store && access.mode != loops::StoreMode::assign;
    if (access.kind == InstrKind::store) touched.written.insert(buffer);
    if (access.kind == InstrKind::load || combines) touched.read.insert(buffer);
  };
  visit(instr);
  loops::for_each_inside(instr, visit);
  return touched;
}

void KernelText::sync_before(const Instr& instr) {
  const Touched next = touched_by(instr);
  const bool must_wait = meets(next.read, unsynced_.written) ||
                         meets(next.written, unsynced_.written) ||
                         meets(next.written, unsynced_.read);
  if (must_wait) sync();
}

void KernelText::note(const Instr& instr) {
  // A fold over a block waits for all its threads, after all that it reads; what lanes exchange
  // orders no memory. What a scan stores for each prefix comes later.
  const bool is_reduce = instr.kind == InstrKind::reduce;
  const bool has_waited = !is_warp() && (is_reduce || loops::is_combining(instr));
  if (has_waited) unsynced_ = {};
  if (has_waited && is_reduce) return;
  const Touched touched = touched_by(instr);
  unsynced_.read.insert(touched.read.begin(), touched.read.end());
  unsynced_.written.insert(touched.written.begin(), touched.written.end());
}

void KernelText::sync() {
  line(is_warp() ? "__syncwarp();" : "__syncthreads();");
  unsynced_ = {};
}

bool KernelText::has_shared(const Block& block) const {
  for (const Instr& instr : block.instrs) {
    if (schedule::is_shared_by_team(schedule_, instr, team_)) return true;
    for (const auto& nested : instr.blocks) {
      if (has_shared(*nested)) return true;
    }
  }
  return false;
}

void KernelText::add_alone(const Instr& instr, const Body& body) {
  // Lanes exchange values without memory; columns have a cell each.
  const char* const dims = has_columns_ ? "[32]" : "";
  const char* const own = has_columns_ ? "[threadIdx.x % 32]" : "";
  std::vector<std::string> cells;
  for (const ValueId result : instr.results) {
    cells.push_back(unique("cell"));
    line(std::string(is_warp() ? "" : "__shared__ ") + register_type(dtype(result)) + " " +
         cells.back() + dims + (is_warp() ? "{};" : ";"));
  }
  add_scope("if (rank == 0)", [&] {
    alone_ = true;
    body();
    alone_ = false;
    for (size_t i = 0; i < cells.size(); ++i) {
      line(cells[i] + own + " = " + name(instr.results[i]) + ";");
    }
  });
  if (cells.empty()) return;
  if (!is_warp()) sync();
  for (size_t i = 0; i < cells.size(); ++i) {
    define(instr.results[i], is_warp() ? "from_lane_of(" + cells[i] + ", 0)" : cells[i] + own);
  }
  if (!is_warp()) sync();
}

}  // namespace litz::codegen
