// Checks the marks of schedules against the loops. Code generators rely on each of these rules.

#include <algorithm>
#include <string>

#include "loops/deviations.h"
#include "loops/instrs.h"
#include "loops/marks.h"
#include "loops/squares.h"
#include "support/check.h"

namespace litz::loops {
namespace {

bool is_access(const Instr& instr) {
  return instr.kind == InstrKind::load || instr.kind == InstrKind::store;
}

bool is_parallel(const Instr& instr) {
  return std::ranges::any_of(instr.vars, &LoopVar::is_parallel);
}

class MarkVerifier {
 public:
  explicit MarkVerifier(const Kernel& kernel) : kernel_(kernel) {}

  void run() {
    const bool is_divided = std::ranges::any_of(kernel_.body.instrs, is_parallel);
    for (const Instr& instr : kernel_.body.instrs) {
      expect(!is_divided || is_pure(instr) || is_parallel(instr),
             "beside parallel loops there must be pure instructions and parallel loops only");
      if (is_parallel(instr)) verify_parallel(instr);
      if (is_tiled(instr)) verify_tile(instr);
      if (has_column_blocks(instr)) verify_column_blocks(instr);
    }
    visit(kernel_.body, Place{});
  }

 private:
  /// The surroundings of an instruction.
  struct Place {
    const Block* block = nullptr;
    const Instr* parent = nullptr;
    const Instr* vector = nullptr;  ///< The loop with the lanes.
  };

  void expect(bool condition, const char* rule) const {
    if (!condition) throw InternalError(std::string(rule) + ": kernel @" + kernel_.name);
  }

  void visit(const Block& block, Place place) {
    place.block = &block;
    for (const Instr& instr : block.instrs) {
      if (is_access(instr)) verify_access(instr, place);
      verify_words(instr, place);
      if (instr.blocks.empty()) continue;
      verify_loop(instr, place);
      Place inside = place;
      inside.parent = &instr;
      if (lanes_of(instr) > 1) inside.vector = &instr;
      for (const auto& nested : instr.blocks) visit(*nested, inside);
    }
  }

  void verify_loop(const Instr& instr, const Place& place) const {
    for (size_t v = 0; v < instr.vars.size(); ++v) {
      const LoopVar& var = instr.vars[v];
      const bool is_last = v + 1 == instr.vars.size();
      expect(var.lanes >= 1 && (is_last || var.lanes == 1),
             "only the last variable of a loop may have lanes");
      expect(!var.is_parallel || place.parent == nullptr, "parallel loops must be at the top");
      expect(!var.is_tiled || place.parent == nullptr, "tiled loops must be at the top");
      expect(!var.is_tiled || instr.kind == InstrKind::loop, "only loops may be tiled");
      expect(!var.is_tiled || is_last || (is_tiled(instr) && v + 2 == instr.vars.size()),
             "tiles must be of the last one or two variables");
      expect(!var.is_tiled || lanes_of(instr) > 1, "tiled loops must have lanes");
    }
    const int lanes = lanes_of(instr);
    if (lanes == 1) return;
    expect((lanes & (lanes - 1)) == 0, "the number of lanes must be a power of two");
    expect(place.vector == nullptr, "vector loops must not nest");
    expect(instr.kind == InstrKind::loop || instr.kind == InstrKind::reduce,
           "only loops and reductions may have lanes");
    expect(instr.carried.empty(), "loops that carry values must have no lanes");
    for_each_inside(instr, [&](const Instr& inner) {
      expect(inner.kind != InstrKind::sort && inner.kind != InstrKind::sort_row,
             "vector loops must not sort");
    });
  }

  /// Each lane must write its own elements.
  void verify_access(const Instr& instr, const Place& place) const {
    if (place.vector == nullptr) return;
    expect(!instr.strides.empty(), "accesses in vector loops must be flat");
    if (instr.kind != InstrKind::store) return;
    const SymbolId lane = lane_symbol(*place.vector);
    expect(has_computed_index(instr) || mentions(offset_of(instr), lane),
           "lanes must not store to one element");
    expect(instr.mode == StoreMode::assign || steps_by_one(offset_of(instr), lane),
           "lanes that combine must be neighbours in memory");
  }

  void verify_words(const Instr& instr, const Place& place) const {
    const Marks& marks = instr.marks;
    if (marks.is_transposed) {
      expect(is_in_square(instr, place),
             "a transposed access must be in squares of lanes and rows");
    }
    if (marks.is_streamed) {
      expect(is_stream(instr, place), "a streamed store must write all that the lanes pass");
    }
    expect(marks.ahead == 0 || instr.kind == InstrKind::load, "only loads may fetch ahead");
    if (marks.mean_of != kNoValue) {
      expect(place.parent != nullptr && has_column_blocks(*place.parent),
             "deviations from a running mean must be in column blocks");
      const Instr* sum = sum_of_mean(kernel_, *place.block, instr);
      expect(sum != nullptr && sum->results[0] == marks.mean_of,
             "deviations must be from the mean of their sum");
    }
  }

  bool is_in_square(const Instr& instr, const Place& place) const {
    if (place.vector == nullptr || place.parent == nullptr || !is_access(instr)) return false;
    const SymbolId lane = lane_symbol(*place.vector);
    if (!place.parent->carried.empty()) {
      return is_square_of_scan(kernel_, instr, lane, *place.parent);
    }
    if (!is_tiled(*place.parent) || instr.kind != InstrKind::load) return false;
    const std::vector<LoopVar>& vars = place.parent->vars;
    return is_square(kernel_, instr, lane, vars[vars.size() - 2].symbol.symbol());
  }

  bool is_stream(const Instr& instr, const Place& place) const {
    if (place.vector == nullptr || instr.kind != InstrKind::store) return false;
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(instr.buffer)];
    return instr.mode == StoreMode::assign && instr.predicate == kNoValue &&
           !has_computed_index(instr) && buffer.role != BufferRole::scratch &&
           steps_by_one(offset_of(instr), lane_symbol(*place.vector));
  }

  void verify_parallel(const Instr& loop) const {
    expect(loop.kind == InstrKind::loop && loop.carried.empty(),
           "parallel loops must carry nothing");
    const auto first = std::ranges::find(loop.vars, true, &LoopVar::is_parallel);
    const auto last =
        std::find_if(first, loop.vars.end(), [](const LoopVar& var) { return !var.is_parallel; });
    expect(std::none_of(last, loop.vars.end(), [](const auto& var) { return var.is_parallel; }),
           "parallel variables of a loop must follow each other");
    expect(last != loop.vars.end() || lanes_of(loop) == 1 || last - first == 1 || is_tiled(loop),
           "threads must divide the variable of the lanes alone or in tiles");
    expect(!is_tiled(loop) || (last == loop.vars.end() && last - first > 1),
           "threads must divide both variables of tiles");
    for_each_inside(loop, [&](const Instr& instr) {
      if (instr.kind != InstrKind::store) return;
      expect(instr.mode == StoreMode::assign, "parallel loops must not combine what they store");
      if (instr.strides.empty() || !has_computed_index(instr)) return;
      for (auto var = first; var != last; ++var) {
        expect(mentions(offset_of(instr), var->symbol.symbol()),
               "parallel iterations must not store to one element");
      }
    });
  }

  void verify_tile(const Instr& loop) const {
    for (const Instr& instr : loop.blocks[0]->instrs) {
      expect(instr.blocks.empty(), "a loop in squares must hold no loop");
      expect(instr.kind != InstrKind::store || !has_computed_index(instr),
             "a loop in squares must not scatter");
    }
  }

  /// All reductions must come before all stores.
  void verify_column_blocks(const Instr& loop) const {
    std::vector<BufferId> stored;
    const auto reads_stored = [&](const Instr& instr) {
      return instr.kind == InstrKind::load && std::ranges::count(stored, instr.buffer) > 0;
    };
    for (const Instr& instr : loop.blocks[0]->instrs) {
      expect(instr.blocks.empty() || instr.kind == InstrKind::reduce,
             "column blocks must hold no loops but reductions");
      expect(!reads_stored(instr), "column blocks must not read what they store");
      if (instr.kind == InstrKind::store) stored.push_back(instr.buffer);
      for_each_inside(instr, [&](const Instr& inner) {
        expect(inner.blocks.empty(), "reductions in column blocks must hold no loops");
        expect(!reads_stored(inner), "column blocks must not read what they store");
      });
    }
  }

  const Kernel& kernel_;
};

}  // namespace

void verify_marks(const Kernel& kernel) { MarkVerifier(kernel).run(); }

}  // namespace litz::loops
