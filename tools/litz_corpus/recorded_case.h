// Recorded programs: their files, and PyTorch's inputs and results.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/npz.h"
#include "types/tensor.h"

namespace litz::corpus {

enum class Corpus : uint8_t { ops, models, extras, versions, reports, calls, grads };

std::optional<Corpus> parse_corpus(std::string_view text);

/// Elements may differ by atol + rtol * |recorded|.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// One process lifetime of a loaded program, as reports record it: the same inputs `repeat` times.
struct ReportedRun {
  std::string inputs;    ///< Path of the .npz with `inN`.
  std::string expected;  ///< Path of the .npz with `outN`; empty where the run must be refused.
  int repeat = 1;        ///< The call whose results are recorded; state carries over.
};

/// Arrays of recorded calls: row-major elements, by offset in one file.
struct PackedArray {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  size_t offset = 0;
};

/// One call of one operator, as `litz-corpus list-calls` writes it, with recorded values.
struct RecordedOpCall {
  std::string op;    ///< "aten.add.Tensor".
  std::string text;  ///< "(f32[2, 3], f32[3], alpha=2)", see ops/samples.h.
  std::vector<PackedArray> inputs;
  std::vector<PackedArray> outputs;
  std::vector<PackedArray> after;  ///< Inputs after the call, if it writes them; else empty.
  std::vector<PackedArray> exact;  ///< Per output, then per entry of `after`; else empty.
  /// Of the outputs, without values where PyTorch has no single answer; empty: not recorded.
  std::vector<std::optional<std::vector<int64_t>>> strides;
  bool is_refused = false;  ///< PyTorch raises.
};

/// A result of a program whose gradients are recorded.
struct DifferentiatedOutput {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
};

/// PyTorch's gradients of a loss: the sum over floating outputs k of `sum(out_k * w_k)`, with w_k as
/// litz-corpus generates it.
struct RecordedGradients {
  std::string arrays;  ///< Path of the .npz with `gradN`, for each input that has one.
  std::vector<DifferentiatedOutput> outputs;
  bool is_refused = false;  ///< PyTorch raises.
};

/// One program of a corpus and the files that belong to it.
struct RecordedProgram {
  Corpus corpus = Corpus::ops;
  std::string name;         ///< "H/0_bool.core": the archive below the folder, without ".pt2".
  std::string archive;      ///< Path of the .pt2; empty for calls of operators.
  std::string arrays;       ///< Path of the file with recorded arrays.
  std::string corrections;  ///< Path of the file whose arrays replace recorded ones; empty: none.
  std::string recipe;  ///< Path of the .json with the recipe for weights and inputs; models only.
  std::vector<std::vector<int64_t>> input_strides;  ///< Operator cases: strides to rebuild.
  int calls = 1;
  std::vector<ReportedRun> reported_runs;           ///< Reports only.
  std::optional<Tolerance> tolerance = {};          ///< Reports only; else judge.h says how close.
  std::optional<RecordedOpCall> op_call = {};       ///< Calls only.
  std::optional<RecordedGradients> gradients = {};  ///< Grads only.
};

/// The record of one output of one call.
struct RecordedOutput {
  Tensor values;     ///< Whole, or the sampled elements as a vector.
  Tensor index;      ///< Positions of sampled elements in the flattened output; undefined if whole.
  Tensor reference;  ///< The same in float32 where `values` is bfloat16 of a model; else undefined.
  Tensor exact;      ///< PyTorch's result in double precision for the same inputs; else undefined.
  double magnitude = 0;  ///< Largest magnitude of the whole output where recorded, else 0.
};

struct RecordedCall {
  std::vector<Tensor> inputs;  ///< By user input; undefined if none is recorded.
  std::vector<RecordedOutput> outputs;
  std::vector<RecordedOutput> after;  ///< Mutated inputs after the call, where recorded.
  bool is_dense = false;              ///< Inputs get the layouts that the program states.
  bool is_judged = true;  ///< Results are recorded; false for earlier calls of a repeated one.
};

/// Calls of one loaded program in order; state carries over from each to the next.
struct RecordedRun {
  std::vector<RecordedCall> calls;
  bool is_refused = false;  ///< PyTorch raises in the last call.
};

/// Reads the manifest of an unpacked corpus folder, in its order. Throws Error.
std::vector<RecordedProgram> list_programs(Corpus corpus, const std::string& folder);

/// Adds to each program the file in `folder` with the name of its recorded arrays, if it exists.
/// Throws Error for files that belong to no program.
void add_corrections(std::vector<RecordedProgram>& programs, const std::string& corpus_folder,
                     const std::string& folder);

/// Reads or generates the arrays of all runs, each of a newly loaded program. Throws Error.
std::vector<RecordedRun> load_runs(const RecordedProgram& program);

/// Supplies the weights of a model program from its recipe, by archive entry.
class WeightRecipe {
 public:
  explicit WeightRecipe(const RecordedProgram& program);
  ~WeightRecipe();
  /// Null when the recipe has no such entry.
  std::shared_ptr<Storage> fill(const std::string& entry, size_t bytes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::corpus
