#include "compiler/passed_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::compiler {
namespace {

using lowering::ControlKind;
using lowering::ControlOperand;
using lowering::ControlStep;
using testing::ElementsAre;

ControlOperand value(lowering::Slot slot) { return {slot, std::nullopt, std::nullopt}; }

/// Plans with so many inputs; input i is slot i.
lowering::LoweredProgram program_of(std::initializer_list<int> inputs) {
  lowering::LoweredProgram program;
  for (const int count : inputs) {
    lowering::Plan& plan = program.plans.emplace_back();
    for (int i = 0; i < count; ++i) plan.input_slots.push_back(i);
    plan.slot_count = count;
  }
  return program;
}

void add(lowering::Plan& plan, ControlStep step) {
  plan.steps.emplace_back().work = std::move(step);
}

TEST(PassedWeights, LoopsPassAdditionalOperandsAlone) {
  for (const ControlKind kind : {ControlKind::scan, ControlKind::while_loop, ControlKind::map}) {
    lowering::LoweredProgram program = program_of({3, 2});
    ControlStep loop;
    loop.kind = kind;
    loop.plans = {1};
    (kind == ControlKind::map ? loop.xs : loop.carried) = {value(0)};
    loop.additional = {value(1)};
    add(program.plans[0], std::move(loop));
    EXPECT_THAT(weights_passed(program, {true, true, false}),
                ElementsAre(ElementsAre(0, 1, -1), ElementsAre(-1, 1)));
  }
}

TEST(PassedWeights, BranchesPassAllOperandsAndTheirOwnChildrenToo) {
  lowering::LoweredProgram program = program_of({2, 1, 2});
  ControlStep branch;
  branch.kind = ControlKind::cond;
  branch.plans = {2, 2};
  branch.carried = {value(0), value(1)};
  add(program.plans[0], std::move(branch));
  ControlStep call;
  call.kind = ControlKind::call;
  call.plans = {1};
  call.carried = {value(1)};
  add(program.plans[2], std::move(call));
  EXPECT_THAT(weights_passed(program, {false, true}),
              ElementsAre(ElementsAre(-1, 1), ElementsAre(1), ElementsAre(-1, 1)));
}

TEST(PassedWeights, CallersThatDifferPassValues) {
  lowering::LoweredProgram program = program_of({2, 2, 1});
  for (const lowering::Slot first : {0, 1}) {
    ControlStep call;
    call.kind = ControlKind::call;
    call.plans = {1};
    call.carried = {value(first), value(1)};
    add(program.plans[0], std::move(call));
  }
  EXPECT_THAT(weights_passed(program, {true, true}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(-1, 1), ElementsAre(-1)));
}

}  // namespace
}  // namespace litz::compiler
