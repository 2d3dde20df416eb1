// One run of a Program: sizes and addresses bound to numbers, and the state of the lanes.
//
// At any time `lanes_` iterations of one loop, the lane loop, are evaluated together. Loops inside
// it advance in lockstep, loops outside it one iteration at a time (lanes_ is then 1). The lane
// loop of a nest is chosen when the run is bound, from extents and strides.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "loops/program.h"
#include "types/tensor.h"

namespace litz::loops {

class Execution {
 public:
  /// Binds sizes and addresses; throws Error if tensors do not fit the kernel.
  Execution(const Program& program, std::span<const Tensor> buffers, const Bindings& bindings);
  void run();

 private:
  /// A linear form in numbers, split by the loop that advances each variable.
  struct BoundForm {
    int64_t constant = 0;
    std::vector<std::pair<int, int64_t>> steps;  ///< (variable outside the lane loop, coefficient)
    int64_t lane_stride = 0;                     ///< Per lane, if there is no pattern.
    const int64_t* pattern = nullptr;            ///< Contribution of each lane.
    std::vector<std::pair<const int64_t*, int64_t>> arrays;  ///< (per lane values, coefficient)
    // Before the split.
    std::vector<std::pair<int, int64_t>> coefficients;  ///< By variable, ascending, non-zero.

    bool varies_by_array() const { return pattern != nullptr || !arrays.empty(); }
  };

  struct BoundAccess {
    BoundForm form;
    std::byte* base = nullptr;
    int64_t low = 0;  ///< The first offset in the buffer; `high` is the last.
    int64_t high = -1;
    bool is_checked = false;  ///< Each offset is compared with low and high.
  };

  struct BoundOpaque {
    std::vector<BoundForm> operands;
  };

  struct BoundIndex {
    BoundForm form;
    double real = 0;  ///< The value if it does not vary.
  };

  enum class Mode : uint8_t { sequential, lanes };

  /// Offsets of lanes without a common stride, by the coefficient of each lane variable.
  struct Pattern {
    std::vector<int64_t> coefficients;
    std::unique_ptr<int64_t[]> offsets;
  };

  struct BoundLoop {
    std::vector<int64_t> extents;
    int64_t count = 0;
    Mode mode = Mode::sequential;
    std::vector<Pattern> patterns;  ///< Lane loops only.
  };

  // Binding (execution_bind.cpp).
  void bind_extents();
  void bind_buffers(std::span<const Tensor> buffers);
  void bind_access(int id);
  void bind_block(const BlockCode& block, int lane_loop);
  void bind_loop(int loop, int lane_loop);
  BoundForm bind_form(const LinearForm& form) const;
  void add_form(BoundForm& sum, const BoundForm& part, int64_t scale) const;
  void split_form(BoundForm& form, int lane_loop);
  void check_access(int id);
  int64_t factor(const LinearTerm& term) const;
  // Choice of the lane loop (execution_lanes.cpp).
  Mode choose_mode(int loop) const;
  bool must_be_sequential(int loop) const;
  int64_t coefficient(int access, int var) const;
  int innermost_var(int loop) const;

  int64_t extent(int var) const { return extents_[static_cast<size_t>(var)]; }

  // Running (execution.cpp).
  void run_block(const BlockCode& block);
  void run_step(const Step& step);
  void run_load(int id);
  void run_store(int id);
  void run_index(int id);
  void run_bound_check(int id);
  void run_check(const Check& code) const;
  void run_opaque(int id);
  void run_loop(int loop);
  void run_sequential(const LoopCode& code, const BoundLoop& bound);
  void run_lanes(const LoopCode& code, const BoundLoop& bound);
  void run_sort(const SortCode& sort);
  void run_sort_row(const SortRowCode& sort);
  void before_iteration(const LoopCode& code, int64_t position);
  void after_iteration(const LoopCode& code, int64_t position, int64_t position_step);
  void start_loop(const LoopCode& code, int64_t lanes);
  void finish_loop(const LoopCode& code, int64_t lanes);
  void fill_patterns(const LoopCode& code, const BoundLoop& bound);
  int64_t var_at(int var, int64_t lane) const;
  /// The value of the part that all lanes share.
  int64_t base_of(const BoundForm& form) const;
  /// Computes the form for all lanes.
  void materialize(const BoundForm& form, int64_t* out) const;
  const int64_t* checked_offsets(const BoundAccess& access, const std::byte* predicate);

  std::byte* at(Register start) const { return registers_ + start * program_.lanes; }

  int64_t* integers_at(Register start) const { return reinterpret_cast<int64_t*>(at(start)); }

  const Program& program_;
  const Bindings& bindings_;
  std::vector<Tensor> tensors_;
  std::vector<std::vector<int64_t>> strides_;  ///< By buffer.
  std::vector<int64_t> extents_;               ///< By variable.
  std::vector<BoundAccess> accesses_;
  std::vector<BoundOpaque> opaques_;
  std::vector<BoundIndex> index_values_;
  std::vector<BoundForm> bound_extents_;  ///< By bound check.
  std::vector<BoundLoop> loops_;

  struct AlignedFree {
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<std::byte[], AlignedFree> memory_;
  std::byte* registers_ = nullptr;
  std::vector<int64_t> offsets_;   ///< For one access at a time.
  std::vector<int64_t> operands_;  ///< For one opaque at a time.

  int64_t lanes_ = 1;
  int64_t lane_base_ = 0;      ///< Flattened position of lane 0 in the lane loop.
  std::vector<int64_t> vars_;  ///< Values of variables outside the lane loop.

  // The current sort (sorts do not nest: keys and positions are its own loops).
  struct Sorting {
    std::vector<std::byte> keys;
    std::vector<int64_t> origins;
    const SortCode* code = nullptr;
  };

  std::vector<Sorting> sorting_;
};

}  // namespace litz::loops
