// Recorded programs: where each lies, and what PyTorch was given and returned.

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

enum class Corpus : uint8_t { ops, models, extras, versions };

std::optional<Corpus> parse_corpus(std::string_view text);

/// One archive of a corpus and the files that belong to it.
struct RecordedProgram {
  Corpus corpus = Corpus::ops;
  std::string name;     ///< "H/0_bool.core": the archive below the folder, without ".pt2".
  std::string archive;  ///< Path of the .pt2.
  std::string arrays;   ///< Path of the .npz with recorded arrays.
  std::string recipe;   ///< Path of the .json with the recipe for weights and inputs; models only.
  std::vector<std::vector<int64_t>> input_strides;  ///< Operator cases: strides to rebuild.
  int calls = 1;
};

/// What is recorded of one output of one call.
struct RecordedOutput {
  Tensor values;     ///< Whole, or the sampled elements as a vector.
  Tensor index;      ///< Positions of sampled elements in the flattened output; undefined if whole.
  Tensor reference;  ///< The same in float32 where `values` is bfloat16 of a model; else undefined.
  double magnitude = 0;  ///< Largest magnitude of the whole output where recorded, else 0.
};

struct RecordedCall {
  std::vector<Tensor> inputs;  ///< By user input; undefined where none is recorded.
  std::vector<RecordedOutput> outputs;
  std::vector<Tensor> after;  ///< Mutated inputs after the call; undefined where not recorded.
};

/// Reads the manifest of an unpacked corpus folder, in its order. Throws Error.
std::vector<RecordedProgram> list_programs(Corpus corpus, const std::string& folder);

/// Reads or fills the arrays of all calls. Throws Error.
std::vector<RecordedCall> load_calls(const RecordedProgram& program);

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
