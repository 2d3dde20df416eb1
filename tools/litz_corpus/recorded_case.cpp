#include "litz_corpus/recorded_case.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>

#include "support/check.h"
#include "support/json.h"
#include "support/mapped_file.h"
#include "types/fill.h"

namespace litz::corpus {
namespace {

namespace fs = std::filesystem;

std::vector<int64_t> integers(const JsonValue& list, const JsonPath& path) {
  std::vector<int64_t> values;
  for (const JsonValue& value : list.as_array(path)) values.push_back(value.as_int(path));
  return values;
}

DType dtype_of(const JsonValue& value, const JsonPath& path) {
  const std::string_view text = value.as_string(path);
  const std::optional<DType> dtype = parse_dtype(text);
  require(dtype.has_value(), ErrorCode::corrupt, "unknown dtype in the corpus:", text);
  return *dtype;
}

// Calls `visit` with each line of a manifest.
void for_each_line(const std::string& manifest,
                   const std::function<void(const JsonValue&, const JsonPath&)>& visit) {
  const MappedFile file = MappedFile::open(manifest);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const JsonPath path(manifest);
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (line.empty()) continue;
    const JsonDocument document = JsonDocument::parse(line, manifest);
    visit(document.root(), path);
  }
}

std::string without_extension(const std::string& path) { return path.substr(0, path.size() - 4); }

// Adds the archive if it is there; operator cases lack a core program where decomposition failed.
void add_program(std::vector<RecordedProgram>& programs, RecordedProgram program,
                 const std::string& folder, const std::string& archive, const std::string& arrays) {
  program.name = without_extension(archive);
  program.archive = folder + "/" + archive;
  program.arrays = folder + "/" + arrays;
  if (fs::exists(program.archive)) programs.push_back(std::move(program));
}

void list_op_case(std::vector<RecordedProgram>& programs, const std::string& folder,
                  const JsonValue& line, const JsonPath& path) {
  RecordedProgram program{.corpus = Corpus::ops};
  for (const JsonValue& input : line.at("inputs", path).as_array(path)) {
    program.input_strides.push_back(integers(input.at(size_t{1}, path), path));
  }
  const std::string name(line.at("case", path).as_string(path));
  add_program(programs, program, folder, name + ".pt2", name + ".npz");
  add_program(programs, program, folder, name + ".core.pt2", name + ".npz");
}

// The programs of gradient cases are those of the operator cases, in the folder beside.
std::map<std::string, RecordedProgram> differentiated_programs(const std::string& folder) {
  const std::string ops = fs::path(folder).lexically_normal().parent_path() / "ops";
  const std::string manifest = ops + "/manifest.jsonl";
  std::map<std::string, RecordedProgram> programs;
  for_each_line(manifest, [&](const JsonValue& line, const JsonPath& path) {
    const std::string name(line.at("case", path).as_string(path));
    RecordedProgram program{.corpus = Corpus::grads, .name = name};
    program.archive = ops + "/" + name + ".pt2";
    program.arrays = ops + "/" + name + ".npz";
    for (const JsonValue& input : line.at("inputs", path).as_array(path)) {
      program.input_strides.push_back(integers(input.at(size_t{1}, path), path));
    }
    RecordedGradients& gradients = program.gradients.emplace();
    gradients.arrays = folder + "/" + name + ".npz";
    for (const JsonValue& output : line.at("outputs", path).as_array(path)) {
      gradients.outputs.push_back(
          {dtype_of(output.at(size_t{1}, path), path), integers(output.at(size_t{0}, path), path)});
    }
    programs.emplace(name, std::move(program));
  });
  return programs;
}

std::vector<RecordedProgram> list_gradients(const std::string& folder) {
  std::map<std::string, RecordedProgram> known = differentiated_programs(folder);
  std::vector<RecordedProgram> programs;
  for_each_line(folder + "/manifest.jsonl", [&](const JsonValue& line, const JsonPath& path) {
    const auto found = known.find(std::string(line.at("case", path).as_string(path)));
    require(found != known.end(), ErrorCode::corrupt,
            "gradients must belong to an operator case:", line.at("case", path).as_string(path));
    found->second.gradients->is_refused = line.get("error", path) != nullptr;
    programs.push_back(found->second);
  });
  return programs;
}

void list_model(std::vector<RecordedProgram>& programs, const std::string& folder,
                const JsonValue& line, const JsonPath& path) {
  const std::string name(line.at("case", path).as_string(path));
  for (const JsonMember& member : line.at("programs", path).as_object(path)) {
    RecordedProgram program{.corpus = Corpus::models, .recipe = folder + "/" + name + ".json"};
    add_program(programs, program, folder, std::string(member.key), name + ".npz");
  }
}

void list_small_program(std::vector<RecordedProgram>& programs, Corpus corpus,
                        const std::string& folder, const JsonValue& line, const JsonPath& path) {
  const std::string name(line.at("case", path).as_string(path));
  RecordedProgram program{.corpus = corpus};
  program.calls = static_cast<int>(line.at("calls", path).as_int(path));
  for (const char* form : {".raw.pt2", ".core.pt2"}) {
    add_program(programs, program, folder, name + form, name + ".npz");
  }
}

std::string joined(const std::string& folder, std::string_view file) {
  return folder + "/" + std::string(file);
}

void list_report(std::vector<RecordedProgram>& programs, const std::string& folder,
                 const JsonValue& line, const JsonPath& path) {
  RecordedProgram program{.corpus = Corpus::reports};
  program.tolerance = {line.at("rtol", path).as_double(path),
                       line.at("atol", path).as_double(path)};
  for (const JsonValue& run : line.at("runs", path).as_array(path)) {
    ReportedRun& reported = program.reported_runs.emplace_back();
    reported.inputs = joined(folder, run.at("inputs", path).as_string(path));
    if (const JsonValue* expected = run.get("expected", path)) {
      reported.expected = joined(folder, expected->as_string(path));
    }
    reported.repeat = static_cast<int>(run.at("repeat", path).as_int(path));
  }
  for (const JsonValue& archive : line.at("programs", path).as_array(path)) {
    add_program(programs, program, folder, std::string(archive.as_string(path)), "");
  }
}

std::vector<PackedArray> packed_arrays(const JsonValue& list, const JsonPath& path) {
  std::vector<PackedArray> arrays;
  for (const JsonValue& entry : list.as_array(path)) {
    PackedArray& array = arrays.emplace_back();
    array.dtype = dtype_of(entry.at(size_t{0}, path), path);
    array.sizes = integers(entry.at(size_t{1}, path), path);
    array.offset = static_cast<size_t>(entry.at(size_t{2}, path).as_int(path));
  }
  return arrays;
}

void list_op_call(std::vector<RecordedProgram>& programs, const std::string& folder,
                  const JsonValue& line, const JsonPath& path) {
  RecordedProgram program{.corpus = Corpus::calls};
  program.name = line.at("case", path).as_string(path);
  program.arrays = folder + "/values.bin";
  RecordedOpCall& call = program.op_call.emplace();
  call.op = line.at("op", path).as_string(path);
  call.text = line.at("call", path).as_string(path);
  call.inputs = packed_arrays(line.at("inputs", path), path);
  if (const JsonValue* outputs = line.get("outputs", path)) {
    call.outputs = packed_arrays(*outputs, path);
  } else {
    call.is_refused = true;
  }
  if (const JsonValue* after = line.get("after", path)) call.after = packed_arrays(*after, path);
  if (const JsonValue* exact = line.get("exact", path)) call.exact = packed_arrays(*exact, path);
  if (const JsonValue* strides = line.get("strides", path)) {
    for (const JsonValue& entry : strides->as_array(path)) {
      call.strides.emplace_back();
      if (!entry.is_null()) call.strides.back() = integers(entry, path);
    }
  }
  programs.push_back(std::move(program));
}

Tensor array(std::span<const NamedTensor> arrays, const std::string& name) {
  const Tensor* found = find_tensor(arrays, name);
  return found != nullptr ? *found : Tensor();
}

// Arrays "in0", "in1", ... of a call; gaps stay undefined up to the largest number present.
std::vector<Tensor> numbered(std::span<const NamedTensor> arrays, const std::string& prefix,
                             const std::string& suffix) {
  std::vector<Tensor> tensors;
  constexpr size_t kMostArrays = 256;
  for (size_t i = 0; i < kMostArrays; ++i) {
    const Tensor* found = find_tensor(arrays, prefix + std::to_string(i) + suffix);
    if (found == nullptr) continue;
    tensors.resize(i + 1);
    tensors[i] = *found;
  }
  return tensors;
}

JsonDocument parse_file(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  return JsonDocument::parse(file.bytes(), path);
}

std::vector<Tensor> recipe_inputs(const JsonValue& recipe, const JsonPath& path) {
  std::vector<Tensor> inputs;
  for (const JsonValue& input : recipe.at("inputs", path).as_array(path)) {
    std::vector<int64_t> sizes = integers(input.at("shape", path), path);
    const DType dtype = dtype_of(input.at("dtype", path), path);
    const std::string_view kind = input.at("kind", path).as_string(path);
    if (kind == "ones") {
      inputs.push_back(fill_constant(dtype, std::move(sizes), 1));
      continue;
    }
    const auto seed = static_cast<uint64_t>(input.at("seed", path).as_int(path));
    if (kind == "float") {
      inputs.push_back(fill_floats(dtype, std::move(sizes), seed,
                                   static_cast<float>(input.at("scale", path).as_double(path)),
                                   static_cast<float>(input.at("shift", path).as_double(path))));
    } else {
      inputs.push_back(fill_integers(dtype, std::move(sizes), seed,
                                     static_cast<uint64_t>(input.at("high", path).as_int(path))));
    }
  }
  return inputs;
}

// The recorded arrays; corrected ones replace those that PyTorch computed wrongly, and results in
// double precision join them.
std::vector<NamedTensor> corrected_arrays(const std::string& path, const std::string& corrections) {
  std::vector<NamedTensor> arrays = read_npz(path);
  if (corrections.empty()) return arrays;
  for (NamedTensor& corrected : read_npz(corrections)) {
    const auto recorded = std::ranges::find(arrays, corrected.first, &NamedTensor::first);
    if (recorded != arrays.end()) {
      *recorded = std::move(corrected);
      continue;
    }
    require(corrected.first.starts_with("exact"), ErrorCode::corrupt,
            "a corrected array must have the name of a recorded one, not", corrected.first);
    arrays.push_back(std::move(corrected));
  }
  return arrays;
}

std::vector<NamedTensor> corrected_arrays(const RecordedProgram& program) {
  return corrected_arrays(program.arrays, program.gradients ? "" : program.corrections);
}

RecordedCall load_model_call(const RecordedProgram& program) {
  const JsonDocument document = parse_file(program.recipe);
  const JsonPath path(program.recipe);
  RecordedCall call;
  call.inputs = recipe_inputs(document.root(), path);
  const std::vector<NamedTensor> arrays = corrected_arrays(program);
  size_t i = 0;
  for (const JsonValue& output : document.root().at("outputs", path).as_array(path)) {
    const std::string number = std::to_string(i++);
    RecordedOutput recorded{.values = array(arrays, "out" + number),
                            .index = array(arrays, "out" + number + "_index"),
                            .reference = array(arrays, "ref" + number)};
    if (const JsonValue* magnitude = output.get("absmax", path)) {
      recorded.magnitude = magnitude->as_double(path);
    }
    call.outputs.push_back(std::move(recorded));
  }
  return call;
}

std::vector<RecordedOutput> whole_outputs(std::vector<Tensor> tensors) {
  std::vector<RecordedOutput> outputs;
  outputs.reserve(tensors.size());
  for (Tensor& values : tensors) outputs.push_back({.values = std::move(values)});
  return outputs;
}

std::vector<RecordedRun> load_reported_runs(const RecordedProgram& program) {
  std::vector<RecordedRun> runs;
  for (const ReportedRun& reported : program.reported_runs) {
    RecordedRun& run = runs.emplace_back();
    run.is_refused = reported.expected.empty();
    RecordedCall call{.inputs = numbered(read_npz(reported.inputs), "in", ""), .is_judged = false};
    run.calls.assign(static_cast<size_t>(reported.repeat), call);
    if (run.is_refused) continue;
    run.calls.back().outputs = whole_outputs(numbered(read_npz(reported.expected), "out", ""));
    run.calls.back().is_judged = true;
  }
  return runs;
}

Tensor unpack(const PackedArray& array, std::span<const std::byte> bytes) {
  Tensor tensor = Tensor::empty(array.dtype, array.sizes);
  const auto size = static_cast<size_t>(tensor.numel() * item_size(array.dtype));
  require(array.offset <= bytes.size() && size <= bytes.size() - array.offset, ErrorCode::corrupt,
          "an array of a recorded call must lie in its file, offset:", array.offset);
  std::copy_n(bytes.data() + array.offset, size, tensor.mutable_data());
  return tensor;
}

RecordedCall load_op_call(const RecordedProgram& program) {
  const MappedFile file = MappedFile::open(program.arrays);
  const auto unpacked = [&](const std::vector<PackedArray>& arrays) {
    std::vector<Tensor> tensors;
    tensors.reserve(arrays.size());
    for (const PackedArray& array : arrays) tensors.push_back(unpack(array, file.bytes()));
    return tensors;
  };
  RecordedCall call{.inputs = unpacked(program.op_call->inputs),
                    .outputs = whole_outputs(unpacked(program.op_call->outputs)),
                    .after = whole_outputs(unpacked(program.op_call->after)),
                    .is_dense = true,
                    .is_judged = !program.op_call->is_refused};
  const std::vector<Tensor> exact = unpacked(program.op_call->exact);
  for (size_t i = 0; i < exact.size(); ++i) {
    const size_t k = i < call.outputs.size() ? i : i - call.outputs.size();
    require(k < (i < call.outputs.size() ? call.outputs : call.after).size(), ErrorCode::corrupt,
            "a recorded call must have a result for each exact one:", program.name);
    (i < call.outputs.size() ? call.outputs : call.after)[k].exact = exact[i];
  }
  return call;
}

RecordedRun load_small_run(const RecordedProgram& program) {
  const std::vector<NamedTensor> arrays = corrected_arrays(program);
  RecordedRun run;
  for (int k = 0; k < program.calls; ++k) {
    const std::string suffix = k == 0 ? "" : "_" + std::to_string(k);
    RecordedCall call{.inputs = numbered(arrays, "in", suffix),
                      .outputs = whole_outputs(numbered(arrays, "out", suffix)),
                      .after = whole_outputs(numbered(arrays, "after", suffix))};
    for (size_t i = 0; i < call.inputs.size() && i < program.input_strides.size(); ++i) {
      // Recorded arrays are dense; the program was exported for these strides.
      if (call.inputs[i].defined() && call.inputs[i].rank() == program.input_strides[i].size()) {
        call.inputs[i] = call.inputs[i].clone(program.input_strides[i]);
      }
    }
    run.calls.push_back(std::move(call));
  }
  return run;
}

bool is_floating_output(const DifferentiatedOutput& output) { return is_floating(output.dtype); }

// The inputs of a program and the weights of its floating outputs; the gradients are its results.
RecordedRun load_gradient_run(const RecordedProgram& program) {
  constexpr uint64_t kFirstSeed = 1000;
  RecordedRun run = load_small_run(program);
  RecordedCall& call = run.calls.front();
  const RecordedGradients& recorded = *program.gradients;
  for (size_t k = 0; k < recorded.outputs.size(); ++k) {
    const DifferentiatedOutput& output = recorded.outputs[k];
    if (!is_floating_output(output)) continue;
    call.inputs.push_back(fill_floats(output.dtype, output.sizes, kFirstSeed + k, 1, 0));
  }
  call.after.clear();
  call.outputs.clear();
  run.is_refused = recorded.is_refused;
  if (run.is_refused) return run;
  const std::vector<NamedTensor> arrays = corrected_arrays(recorded.arrays, program.corrections);
  const std::vector<Tensor> exact = numbered(arrays, "exact", "");
  const std::vector<Tensor> gradients = numbered(arrays, "grad", "");
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    call.outputs.push_back({.values = gradients[i]});
    if (i < exact.size()) call.outputs.back().exact = exact[i];
  }
  return run;
}

}  // namespace

std::optional<Corpus> parse_corpus(std::string_view text) {
  if (text == "ops") return Corpus::ops;
  if (text == "models") return Corpus::models;
  if (text == "extras") return Corpus::extras;
  if (text == "versions") return Corpus::versions;
  if (text == "reports") return Corpus::reports;
  if (text == "calls") return Corpus::calls;
  if (text == "grads") return Corpus::grads;
  return std::nullopt;
}

std::vector<RecordedProgram> list_programs(Corpus corpus, const std::string& folder) {
  if (corpus == Corpus::grads) return list_gradients(folder);
  std::vector<RecordedProgram> programs;
  for_each_line(folder + "/manifest.jsonl", [&](const JsonValue& line, const JsonPath& path) {
    switch (corpus) {
      case Corpus::ops:
        list_op_case(programs, folder, line, path);
        break;
      case Corpus::models:
        list_model(programs, folder, line, path);
        break;
      case Corpus::extras:
      case Corpus::versions:
        list_small_program(programs, corpus, folder, line, path);
        break;
      case Corpus::reports:
        list_report(programs, folder, line, path);
        break;
      case Corpus::calls:
        list_op_call(programs, folder, line, path);
        break;
      case Corpus::grads:
        break;
    }
  });
  return programs;
}

void add_corrections(std::vector<RecordedProgram>& programs, const std::string& corpus_folder,
                     const std::string& folder) {
  std::set<std::string> unused;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) unused.insert(entry.path().lexically_normal().string());
  }
  const std::set<std::string> corrections = unused;
  for (RecordedProgram& program : programs) {
    const std::string& arrays = program.gradients ? program.gradients->arrays : program.arrays;
    if (!arrays.ends_with(".npz")) continue;
    const fs::path relative = fs::path(arrays).lexically_relative(corpus_folder);
    const std::string path = (fs::path(folder) / relative).lexically_normal().string();
    if (!corrections.contains(path)) continue;
    program.corrections = path;
    unused.erase(path);
  }
  require(unused.empty(), ErrorCode::not_found,
          "a correction must belong to a recorded program:", unused.empty() ? "" : *unused.begin());
}

std::vector<RecordedRun> load_runs(const RecordedProgram& program) {
  switch (program.corpus) {
    case Corpus::models:
      return {{.calls = {load_model_call(program)}}};
    case Corpus::reports:
      return load_reported_runs(program);
    case Corpus::calls:
      return {{.calls = {load_op_call(program)}, .is_refused = program.op_call->is_refused}};
    case Corpus::grads:
      return {load_gradient_run(program)};
    case Corpus::ops:
    case Corpus::extras:
    case Corpus::versions:
      return {load_small_run(program)};
  }
  return {};
}

struct WeightRecipe::Impl {
  struct Fill {
    int64_t numel = 0;
    DType dtype = DType::f32;
    uint64_t seed = 0;
    float scale = 0;
    float shift = 0;
  };

  std::map<std::string, Fill, std::less<>> entries;
};

WeightRecipe::WeightRecipe(const RecordedProgram& program) : impl_(std::make_unique<Impl>()) {
  if (program.recipe.empty()) return;
  const JsonDocument document = parse_file(program.recipe);
  const JsonPath path(program.recipe);
  const std::string archive = fs::path(program.archive).filename().string();
  const JsonValue* recipe = document.root().at("programs", path).find(archive, path);
  if (recipe == nullptr) return;
  for (const JsonMember& member : recipe->at("weights", path).as_object(path)) {
    const JsonValue& fill = member.value;
    impl_->entries[std::string(member.key)] = {
        .numel = fill.at("numel", path).as_int(path),
        .dtype = dtype_of(fill.at("dtype", path), path),
        .seed = static_cast<uint64_t>(fill.at("seed", path).as_int(path)),
        .scale = static_cast<float>(fill.at("scale", path).as_double(path)),
        .shift = static_cast<float>(fill.at("shift", path).as_double(path))};
  }
}

WeightRecipe::~WeightRecipe() = default;

std::shared_ptr<Storage> WeightRecipe::fill(const std::string& entry, size_t /*bytes*/) const {
  const auto found = impl_->entries.find(entry);
  if (found == impl_->entries.end()) return nullptr;
  const Impl::Fill& fill = found->second;
  return fill_floats(fill.dtype, {fill.numel}, fill.seed, fill.scale, fill.shift).storage();
}

}  // namespace litz::corpus
