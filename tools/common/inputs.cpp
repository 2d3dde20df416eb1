#include "common/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <span>
#include <unistd.h>

#include "runtime/program/call_inputs.h"
#include "support/check.h"
#include "support/text.h"
#include "types/fill.h"
#include "types/npy.h"
#include "types/safetensors.h"
#include "types/tensor.h"

namespace litz::tools {
namespace {

using runtime::Value;

std::string extension(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

bool is_array_file(const std::string& text) {
  const std::string suffix = extension(text);
  return suffix == ".npz" || suffix == ".npy" || suffix == ".safetensors";
}

// Sums of uniforms would be close enough to normal for generated inputs, but Box-Muller is exact
// and as short.
Tensor normal(DType dtype, const std::vector<int64_t>& sizes, uint64_t seed) {
  const Tensor first = fill_floats(DType::f32, sizes, seed, 0.5F, 0.5F);
  const Tensor second = fill_floats(DType::f32, sizes, seed + 1, 0.5F, 0.5F);
  Tensor result = Tensor::empty(DType::f32, sizes);
  const auto* u = reinterpret_cast<const float*>(first.data());
  const auto* v = reinterpret_cast<const float*>(second.data());
  auto* out = reinterpret_cast<float*>(result.mutable_data());
  for (int64_t i = 0; i < result.numel(); ++i) {
    const double radius = std::sqrt(-2 * std::log(std::max(1.0 - double{u[i]}, 1e-12)));
    out[i] = static_cast<float>(radius * std::cos(2 * std::numbers::pi * double{v[i]}));
  }
  return result.to(dtype);
}

Tensor counting(DType dtype, std::vector<int64_t> sizes) {
  Tensor result = Tensor::empty(DType::i64, std::move(sizes));
  auto* out = reinterpret_cast<int64_t*>(result.mutable_data());
  for (int64_t i = 0; i < result.numel(); ++i) out[i] = i;
  return result.to(dtype);
}

Tensor filled(DType dtype, std::vector<int64_t> sizes, const std::string& fill, uint64_t seed) {
  if (fill == "rand") {
    if (dtype == DType::bool_ || is_integer(dtype)) {
      return fill_integers(dtype, std::move(sizes), seed, 2);
    }
    return fill_floats(dtype, std::move(sizes), seed, 0.5F, 0.5F);
  }
  if (fill == "randn") return normal(dtype, sizes, seed);
  if (fill == "zeros") return fill_constant(dtype, std::move(sizes), 0);
  if (fill == "ones") return fill_constant(dtype, std::move(sizes), 1);
  if (fill == "arange") return counting(dtype, std::move(sizes));
  if (fill.starts_with("randint:")) {
    const std::optional<int64_t> high = parse_int(fill.substr(8));
    require(high && *high > 0, "randint needs a positive bound, for example randint:100, got",
            fill);
    return fill_integers(dtype, std::move(sizes), seed, static_cast<uint64_t>(*high));
  }
  const std::optional<double> value = parse_double(fill);
  require(value.has_value(),
          "a fill must be rand, randn, zeros, ones, arange, randint:HIGH or a number, got", fill);
  return fill_constant(dtype, std::move(sizes), *value);
}

// "2x3" or "scalar".
std::vector<int64_t> parse_sizes(const std::string& text) {
  if (text == "scalar" || text.empty()) return {};
  std::vector<int64_t> sizes;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<int64_t> size = parse_int(part);
    require(size && *size >= 0, "sizes read 2x3, or scalar for rank 0, got", text);
    sizes.push_back(*size);
  }
  return sizes;
}

// A size for a generated input: the example's if recorded, else the smallest allowed.
int64_t example_size(Expr size) {
  if (const std::optional<int64_t> constant = size.maybe_constant()) return *constant;
  Bindings bindings;
  for (const SymbolId id : free_symbols(size)) {
    const SymbolInfo& info = size.pool()->symbol(id);
    const int64_t smallest = info.range.lo == Interval::kMin ? 1 : info.range.lo;
    bindings.set(id, info.hint.value_or(std::max<int64_t>(smallest, 2)));
  }
  return evaluate(size, bindings);
}

/// Refuses to make an input up that takes much of the machine's memory, which a damaged file may state.
void require_modest(DType dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  constexpr int64_t kShares = 8;
  const int64_t memory = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  const int64_t most = memory / kShares / static_cast<int64_t>(item_size(dtype));
  require(checked_numel(sizes) <= most && storage_span(sizes, strides, 0) <= most,
          ErrorCode::limit_exceeded,
          "an input that is not given is made up to an eighth of the memory; give it by --input:",
          torch_name(dtype), "[" + join(sizes, ", ") + "]");
}

Value made_up(const artifact::ValueType& type, uint64_t seed) {
  if (const auto* tensor = std::get_if<TensorType>(&type)) {
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    for (const Expr size : tensor->sizes) sizes.push_back(example_size(size));
    for (const Expr stride : tensor->strides) strides.push_back(example_size(stride));
    require_modest(tensor->dtype, sizes, strides);
    const Tensor made = filled(tensor->dtype, std::move(sizes), "rand", seed);
    return made.strides() == strides ? made : made.clone(strides);
  }
  const auto* const scalar = std::get_if<artifact::HostScalar>(&type);
  if (scalar == nullptr) return std::monostate();
  switch (scalar->domain) {
    case ExprDomain::integer:
      return example_size(scalar->value);
    case ExprDomain::real:
      return 1.0;
    case ExprDomain::boolean:
      return true;
  }
  return std::monostate();
}

// The program's user inputs, with a slot for each value.
struct InputPlaces {
  std::vector<size_t> positions;  // In Signature::inputs.
  std::vector<Value> values;
  std::vector<bool> given;      // Has a value.
  std::vector<bool> from_file;  // The values of an array file.
};

InputPlaces places(const artifact::Signature& signature) {
  InputPlaces result;
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const artifact::ProgramInput& input = signature.inputs[i];
    if (!is_given_by_caller(input.kind)) continue;
    result.positions.push_back(i);
    const bool constant = input.kind == InputKind::constant_value;
    result.values.push_back(constant ? runtime::literal_value(input.literal) : Value());
    result.given.push_back(constant);
    result.from_file.push_back(false);
  }
  return result;
}

// Converts a stored array to the value of the input; half types may be stored as their bits.
Value as_value(const Tensor& tensor, const artifact::ValueType& type) {
  if (const auto* scalar = std::get_if<artifact::HostScalar>(&type)) {
    switch (scalar->domain) {
      case ExprDomain::integer:
        return tensor.int_at({});
      case ExprDomain::real:
        return tensor.at({});
      case ExprDomain::boolean:
        return tensor.int_at({}) != 0;
    }
  }
  const auto* wanted = std::get_if<TensorType>(&type);
  const bool has_no_numpy_type =
      wanted != nullptr && (wanted->dtype == DType::bf16 || is_float8(wanted->dtype));
  const bool stored_as_bits = has_no_numpy_type &&
                              (tensor.dtype() == DType::u16 || tensor.dtype() == DType::u8) &&
                              item_size(wanted->dtype) == item_size(tensor.dtype());
  if (!stored_as_bits) return tensor;
  return Tensor(wanted->dtype, tensor.sizes(), tensor.strides(), tensor.offset(), tensor.storage());
}

/// Converts a stored array to a number that was fixed at export.
Value as_constant(const Tensor& tensor) {
  if (!tensor.sizes().empty() || is_complex(tensor.dtype())) return tensor;
  if (tensor.dtype() == DType::bool_) return tensor.int_at({}) != 0;
  if (is_integer(tensor.dtype())) return tensor.int_at({});
  return tensor.at({});
}

std::optional<size_t> place_of(const artifact::Signature& signature, const InputPlaces& places,
                               const std::string& name) {
  for (size_t k = 0; k < places.positions.size(); ++k) {
    const size_t position = places.positions[k];
    if (name == signature.inputs[position].label || name == "in" + std::to_string(k) ||
        name == "arr_" + std::to_string(k) || name == signature.inputs[position].name) {
      return k;
    }
  }
  return std::nullopt;
}

std::string name_of(const artifact::Signature& signature, const InputPlaces& places, size_t k) {
  const std::string& label = signature.inputs[places.positions[k]].label;
  return label.empty() ? "in" + std::to_string(k) : label;
}

void take_array(const artifact::Signature& signature, InputPlaces& places, size_t k,
                const Tensor& tensor) {
  const bool is_constant = signature.inputs[places.positions[k]].kind == InputKind::constant_value;
  require(!places.from_file[k] && (is_constant || !places.given[k]),
          "an input must be given once, but more values are given for",
          name_of(signature, places, k));
  places.from_file[k] = true;
  places.values[k] = is_constant ? as_constant(tensor)
                                 : as_value(tensor, signature.inputs[places.positions[k]].type);
  places.given[k] = true;
}

std::string input_names(const artifact::Signature& signature, const InputPlaces& places) {
  std::string names;
  for (size_t k = 0; k < places.positions.size(); ++k) {
    if (k > 0) names += ", ";
    names += name_of(signature, places, k);
  }
  return names;
}

[[noreturn]] void refuse_more_inputs(const artifact::Signature& signature,
                                     const InputPlaces& places) {
  size_t open = 0;
  std::string fixed;
  for (size_t k = 0; k < places.positions.size(); ++k) {
    if (signature.inputs[places.positions[k]].kind != InputKind::constant_value) {
      ++open;
      continue;
    }
    fixed += (fixed.empty() ? "" : ", ") + name_of(signature, places, k);
  }
  const std::string note =
      fixed.empty() ? "" : " (fixed by the export, so not to be given: " + fixed + ")";
  fail(ErrorCode::invalid_argument,
       "more inputs are given than the program takes:", std::to_string(open) + note);
}

void take_file(const artifact::Signature& signature, InputPlaces& places, const std::string& path) {
  // A .npy file has no names: its array is the next input.
  const bool has_names = extension(path) != ".npy";
  for (const auto& [name, tensor] : read_arrays(path)) {
    std::optional<size_t> k = place_of(signature, places, name);
    if (!k && !has_names) {
      const auto open = std::ranges::find(places.given, false);
      if (open == places.given.end()) refuse_more_inputs(signature, places);
      k = static_cast<size_t>(open - places.given.begin());
    }
    require(k.has_value(), "arrays in", path, "must be named after inputs:", quote(name),
            "is none of", input_names(signature, places));
    take_array(signature, places, *k, tensor);
  }
}

/// False if a call refuses a tensor of these sizes, whatever else it is given.
bool may_have_sizes(const TensorType& type, std::span<const int64_t> sizes) {
  if (type.rank() != sizes.size()) return false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const Expr size = type.sizes[d];
    if (size.is_constant() && !size.is(sizes[d])) return false;
    if (!size.is_symbol()) continue;
    if (!size.pool()->symbol(size.symbol()).range.contains(sizes[d])) return false;
  }
  return true;
}

/// A tensor for an input of this type. Memory of sizes that a call refuses is not filled.
Tensor made_by_text(const std::string& text, uint64_t seed, const TensorType& type) {
  const size_t first = text.find(':');
  require(first != std::string::npos, "a made-up input reads SIZES:DTYPE[:FILL], for example",
          "2x3:f32:rand, got", text);
  const size_t second = text.find(':', first + 1);
  const std::string dtype_text =
      text.substr(first + 1, second == std::string::npos ? second : second - first - 1);
  const std::optional<DType> dtype = parse_dtype(dtype_text);
  require(dtype.has_value(), "unknown dtype (try f32, bf16, i64, bool):", dtype_text);
  const std::string fill = second == std::string::npos ? "rand" : text.substr(second + 1);
  std::vector<int64_t> sizes = parse_sizes(text.substr(0, first));
  // Calls accept 0 below the range of the export.
  const bool is_empty = std::ranges::find(sizes, 0) != sizes.end();
  if (!is_empty && !may_have_sizes(type, sizes)) {
    return Tensor::empty(*dtype, std::move(sizes));
  }
  return filled(*dtype, std::move(sizes), fill, seed);
}

Value value_from_text(const std::string& text, const artifact::ValueType& type, uint64_t seed) {
  if (const auto* tensor = std::get_if<TensorType>(&type)) return made_by_text(text, seed, *tensor);
  if (text == "true") return true;
  if (text == "false") return false;
  if (const std::optional<int64_t> integer = parse_int(text)) return *integer;
  const std::optional<double> real = parse_double(text);
  require(real.has_value(), "an input that is a number takes a number, true or false, got", text);
  return *real;
}

std::string result_name(size_t k) { return "out" + std::to_string(k); }

/// True for "out0", "out12" with the prefix "out".
bool is_numbered(const std::string& name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

/// The array with which each result is compared.
std::vector<const Tensor*> arrays_of_results(const std::string& path,
                                             const std::vector<NamedTensor>& arrays, size_t count) {
  std::vector<const Tensor*> found;
  bool has_numbered = false;
  for (const NamedTensor& array : arrays) {
    has_numbered |= is_numbered(array.first, "out") || is_numbered(array.first, "in");
  }
  // A .npy file has no names: its array is the only result.
  const bool has_names = extension(path) != ".npy";
  if (arrays.size() == count && (has_names ? !has_numbered : count == 1)) {
    std::string pairs;
    for (size_t k = 0; k < count; ++k) {
      found.push_back(&arrays[k].second);
      pairs += (k == 0 ? "" : ", ") + arrays[k].first + " with " + result_name(k);
    }
    if (has_names && count > 0) {
      std::fprintf(stderr, "note: arrays of %s are compared in their order: %s\n", path.c_str(),
                   pairs.c_str());
    }
    return found;
  }
  for (size_t k = 0; k < count; ++k) {
    found.push_back(find_tensor(arrays, result_name(k)));
    require(found.back() != nullptr,
            "the file to compare with must have an array for every result:", path, "lacks",
            result_name(k) + "; it has", names_of(arrays));
  }
  for (const NamedTensor& array : arrays) {
    const std::optional<int64_t> number =
        is_numbered(array.first, "out") ? parse_int(array.first.substr(3)) : 0;
    require(number && (*number == 0 || static_cast<size_t>(*number) < count),
            "the file to compare with must not have more results than the program:", path, "has",
            array.first + ", but results are numbered from 0 and there are", count);
  }
  return found;
}

}  // namespace

std::vector<NamedTensor> read_arrays(const std::string& path) {
  const std::string suffix = extension(path);
  if (suffix == ".npz") return read_npz(path);
  if (suffix == ".safetensors") {
    std::vector<NamedTensor> tensors = read_safetensors(path).tensors;
    // Programs may write their inputs, and a mapped file must not be written.
    for (auto& [name, tensor] : tensors) tensor = tensor.clone(tensor.strides());
    return tensors;
  }
  require(suffix == ".npy", "arrays are read from .npz, .npy or .safetensors files, got", path);
  return {{std::filesystem::path(path).stem().string(), read_npy(path)}};
}

std::vector<Tensor> read_expected(const std::string& path, std::span<const DType> dtypes) {
  const std::vector<NamedTensor> arrays = read_arrays(path);
  const std::vector<const Tensor*> found = arrays_of_results(path, arrays, dtypes.size());
  std::vector<Tensor> expected;
  expected.reserve(dtypes.size());
  for (size_t k = 0; k < dtypes.size(); ++k) {
    Tensor wanted = *found[k];
    if ((dtypes[k] == DType::bf16 || is_float8(dtypes[k])) && is_integer(wanted.dtype()) &&
        item_size(dtypes[k]) == item_size(wanted.dtype())) {
      wanted =
          Tensor(dtypes[k], wanted.sizes(), wanted.strides(), wanted.offset(), wanted.storage());
    }
    expected.push_back(std::move(wanted));
  }
  return expected;
}

std::string names_of(std::span<const NamedTensor> arrays) {
  std::string names;
  for (const NamedTensor& array : arrays) names += (names.empty() ? "" : ", ") + array.first;
  return names.empty() ? "no arrays" : names;
}

void write_arrays(const std::string& path, std::span<const NamedTensor> arrays) {
  const std::string suffix = extension(path);
  if (suffix == ".npz") return write_npz(path, arrays);
  if (suffix == ".safetensors") return write_safetensors(path, arrays);
  require(suffix == ".npy", "arrays are written to .npz, .npy or .safetensors files, got", path);
  require(arrays.size() == 1, "a .npy file holds one array; use .npz for", arrays.size());
  write_npy(path, arrays.front().second);
}

std::vector<Value> make_inputs(const artifact::Signature& signature,
                               std::span<const std::string> specifications, uint64_t seed) {
  InputPlaces places = tools::places(signature);
  size_t next = 0;
  for (const std::string& text : specifications) {
    if (is_array_file(text)) {
      take_file(signature, places, text);
      continue;
    }
    while (next < places.given.size() && places.given[next]) ++next;
    if (next == places.given.size()) refuse_more_inputs(signature, places);
    places.values[next] =
        value_from_text(text, signature.inputs[places.positions[next]].type, seed + next);
    places.given[next] = true;
  }
  for (size_t k = 0; k < places.values.size(); ++k) {
    if (places.given[k]) continue;
    require(specifications.empty(), "no value is given for input", name_of(signature, places, k),
            "(litz info lists the inputs)");
    places.values[k] = made_up(signature.inputs[places.positions[k]].type, seed + k);
  }
  return std::move(places.values);
}

}  // namespace litz::tools
