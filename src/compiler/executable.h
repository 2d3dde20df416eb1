// A program that is ready to run: kernels compiled for this processor, or interpreted.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/program.h"
#include "compiler/execution/test_modes.h"
#include "compiler/leaf.h"
#include "ir/program.h"
#include "passes/pass_driver.h"
#include "types/tensor.h"

namespace litz {
class ThreadPool;
}

namespace litz::compiler {

class KernelStore;

enum class ExecutorKind : uint8_t {
  // As machine::kExecutors has them.
  interpreter,  ///< The reference: slow, needs no code generation.
  cpu,          ///< Kernels compiled to machine code.
};

/// The executor of that name; throws Error{invalid_argument} listing the names otherwise.
ExecutorKind parse_executor(std::string_view text);

/// What becomes of a region that cannot be compiled.
enum class RegionFailure : uint8_t {
  raise,     ///< Its error.
  run_plain  ///< A warning; it runs operator by operator like what is outside of regions.
};

struct Options {
  ExecutorKind executor = ExecutorKind::cpu;
  /// Threads that compile and run, the caller included, at most ThreadPool::kMostThreads; 0: one for
  /// each CPU. Results do not depend on it, so where the system starts fewer, those work.
  int threads = 0;
  /// Where the program runs: on the host or on a simulated device (runtime/sim), which needs
  /// ExecutorKind::cpu. Nothing: on the host, with a warning in the log if it was exported elsewhere.
  std::optional<Device> device;
  /// The processor that code is made for: "host", or another that this machine can run.
  std::string target = "host";
  /// Of random numbers: call i of an Executable draws the same ones wherever seed and i are the same,
  /// whatever the other options are. Calls count from 0 for every Executable, in the order in which
  /// they begin.
  uint64_t seed = 0;
  /// Runs the graph verifier between passes.
  bool verify = false;
  /// Runs the inference pipeline over the imported program.
  bool optimize = true;
  /// How to run the inference pipeline. What watches its passes watches those of the import
  /// pipeline, too.
  passes::DriverOptions passes;
  /// Refuses inputs that a recorded guard excludes: the program may hold constants or branches that
  /// are wrong for them. Off only to repeat what an exporter ran without checking.
  bool enforce_guards = true;
  /// Rewrites the lowered program to fewer kernels, with the same results.
  bool fuse = true;
  /// Keeps compiled kernels on disk for the next program (CacheSettings::from_environment). Off
  /// here, so that only what users start leaves files behind; `litz run` and litz::load set it.
  bool use_cache = false;
  /// Remembers what passes and fusion did, for `Executable::report`. Operators that nobody can compute
  /// fail the call that reaches them, and not, as elsewhere, the program.
  bool keep_report = false;
  /// Keeps the code of kernels as bytes, so that saving the program compiles nothing again.
  bool keep_code = false;
  /// Compiles what annotations mark (passes/regions.h), each region as a program of its own with its
  /// own options. Everything else runs operator by operator, without optimising passes and fusion, and
  /// fails the call when it reaches one that nobody can compute.
  bool regional = false;
  RegionFailure region_failure = RegionFailure::raise;
  /// Replays what a CUDA graph can record as lists of launches, as exported; the rest runs operator by
  /// operator. It is what PyTorch's back end "cudagraphs" does, on any device. Goes with compiled
  /// kernels and without `regional`.
  bool cuda_graphs = false;
  /// Runs what it launches in test modes. Calls follow each other then, and take many times as long;
  /// profiles have no times of steps.
  TestModes test_modes;
};

/// Reads a program again with these sizes in place of symbols, by name. Throws Error where it cannot
/// have them.
using ReadAgain = std::function<ir::Program(const std::map<std::string, int64_t>&)>;

/// What a program shares with the one around it, and what was done to it before.
struct Surroundings {
  ThreadPool* pool = nullptr;      ///< Null: one of its own, if it runs on several threads.
  KernelStore* kernels = nullptr;  ///< Instead of the cache; used while preparing only.
  bool passes_ran = false;         ///< The program is what passes left.
  ReadAgain read_again;            ///< For sizes of 0 (empty_sizes.h); null: those are refused.
};

/// What one call launches, where control flow does not decide.
struct LaunchCounts {
  int64_t kernels = 0;
  int64_t interpreted = 0;  ///< Those of them that are interpreted.
  int64_t library_calls = 0;
};

/// How long calls and their steps took, in sum.
struct Profile {
  int64_t calls = 0;
  double seconds = 0;  ///< Whole calls, with what is not a step.
  /// By plan and step. Steps of child plans count in the step that runs the plan, too.
  std::vector<std::vector<double>> step_seconds;
};

struct CompileReport;
struct ReportedRegion;

/// Parameters and buffers with their current contents, and the lowered program. `run` may be called
/// from several threads. Calls of one Executable carry buffer state over; those of a program that
/// changes buffers follow each other, so that no update is lost, others run side by side.
class Executable {
 public:
  Executable(ir::Program program, const Options& options)
      : Executable(std::move(program), options, Surroundings{}) {}

  /// A program that was compiled before. Of the options, those count that say how calls run: threads,
  /// seed, guards, test modes.
  Executable(artifact::Program program, const Options& options);
  /// What surrounds it must outlive it.
  Executable(ir::Program program, const Options& options, const Surroundings& surroundings);
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  /// Runs on flat user inputs in order (pytree leaves); mutated inputs are written in place. Throws
  /// Error for inputs that do not fit: count, dtype, rank, sizes, ranges, guards.
  std::vector<Leaf> run(std::span<const Leaf> inputs);

  /// As a part of another program's call: draws random numbers under its key (ops/random_streams.h).
  std::vector<Leaf> run_under_key(std::span<const Leaf> inputs, int64_t key);

  /// Does what the first call with inputs of these sizes does before it runs, where programs run as
  /// launch lists.
  void prepare(std::span<const Leaf> inputs);

  /// The same as run; adds to the profile. While no other thread runs the program.
  std::vector<Leaf> run_profiled(std::span<const Leaf> inputs, Profile& profile);

  /// TestModes::fault: the nth device call from now (1 is the next; in each region by itself) throws
  /// Error{io}; 0: none. The call of the program that it belongs to throws it, and later calls are as
  /// if that one had not been, but for what it had written in place: inputs and buffers that programs
  /// update.
  void fail_call(int64_t n);

  /// What callers give and get.
  const artifact::Signature& signature() const;

  /// The program as passes left it; null for one that was compiled before.
  const ir::Program* program() const;

  /// All that running it needs; null for a program that is run from its plans.
  const artifact::Program* compiled() const;

  /// The devices of its tensors before it was put where it runs, in order of first use.
  const std::vector<Device>& exported_on() const;

  /// What was made of the program (compile_report.h), with the sizes of a call with these inputs
  /// and, where given, times. Needs Options::keep_report.
  CompileReport report(std::span<const Leaf> inputs, const Profile* profile = nullptr) const;

  /// Without what regions launch.
  LaunchCounts launch_counts() const;

  /// What Options::regional compiled or Options::cuda_graphs recorded, in the order of calls.
  std::span<const ReportedRegion> regions() const;
  /// Region i as a program: its inputs are the region's operands that are no weights, and after them
  /// sizes that none of them has. It stays valid as long as this program.
  std::shared_ptr<Executable> region(size_t i) const;

  /// Has library calls pack constant weights, which the first call does otherwise, so that they are
  /// saved with the program. Does nothing for programs with control flow or sizes from data, and for
  /// code of another processor than this one.
  void pack_constants();

  /// The program with code, weights, constants packed so far and signature as a file that load_program (stored_program.h)
  /// takes; buffers with their current contents. Throws Error{unsupported} for a program with regions
  /// (they are saved one by one) and for kernels without code.
  std::vector<std::byte> to_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::compiler
