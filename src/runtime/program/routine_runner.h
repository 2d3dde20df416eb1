// Runs a program's routines: launch lists and the steps between them.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/routine.h"
#include "runtime/program/device_stream.h"
#include "runtime/program/list_runner.h"
#include "runtime/program/loaded_program.h"
#include "runtime/program/value.h"

namespace litz::runtime {

/// Runs a part of the program (artifact::Program::parts) on the inputs of callers, under a key of random
/// numbers.
using RunPart =
    std::function<std::vector<Value>(int32_t part, std::span<const Value> inputs, int64_t key)>;

/// Thread-safe.
class RoutineRunner {
 public:
  /// `pool` is that of the program's symbols; `lists` has a runner for each of the program's lists.
  /// All must outlive the runner.
  RoutineRunner(const LoadedProgram& program, const ExprPool& pool,
                std::span<const ListRunner> lists, DeviceLibrary& library, RunPart run_part);

  /// Runs the main routine. Every symbol of its inputs must be bound. Outputs may share memory with
  /// inputs and each other, and are valid in the order of the stream.
  std::vector<Value> run(const InputOf& input_of, Bindings& bindings, StreamId stream) const;

 private:
  struct Frame;

  std::vector<Value> run_routine(const artifact::Routine& routine, Frame& frame) const;
  std::vector<Value> call(int32_t routine, std::vector<Value> inputs, Frame& caller) const;
  void take_inputs(const artifact::Routine& routine, std::vector<Value> inputs, Frame& frame) const;
  void take_input(const artifact::Routine& routine, size_t i, const Tensor& tensor,
                  Frame& frame) const;

  void run_step(Frame& frame, const artifact::Step& step, const artifact::ListStep& work) const;
  void run_step(Frame& frame, const artifact::Step& step, const artifact::LibraryStep& work) const;
  void run_step(Frame& frame, const artifact::Step& step, const artifact::ItemStep& work) const;
  void run_step(Frame& frame, const artifact::Step& step, const artifact::ControlStep& work) const;
  void run_step(Frame& frame, const artifact::Step& step, const artifact::ProgramStep& work) const;

  /// Stores results whose sizes were unknown before the step ran.
  void settle(Frame& frame, const artifact::Step& step, std::vector<Value> results) const;
  void settle(Frame& frame, const artifact::Step& step, size_t i, Value value) const;

  const LoadedProgram& program_;
  const ExprPool& pool_;
  std::span<const ListRunner> lists_;
  DeviceLibrary& library_;
  RunPart run_part_;
};

/// The variables of one running routine.
struct RoutineRunner::Frame {
  Frame(Bindings& symbols, const DeviceStream& at, int32_t value_count)
      : bindings(symbols), where(at), values(static_cast<size_t>(value_count)) {}

  Tensor& value(artifact::ValueId id) { return values[static_cast<size_t>(id)]; }

  Value operand(const artifact::Operand& operand) const;
  std::vector<Value> operands(std::span<const artifact::Operand> operands) const;

  Bindings& bindings;
  DeviceStream where;
  std::vector<Tensor> values;
};

}  // namespace litz::runtime
