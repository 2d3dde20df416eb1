// Inputs and outputs of `litz run`: files of arrays, or values generated from a specification.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "artifact/signature.h"
#include "runtime/program/value.h"
#include "types/npz.h"

namespace litz::tools {

/// Arrays of a .npz, .npy or .safetensors file, by extension. A .npy holds one, named as its stem.
std::vector<NamedTensor> read_arrays(const std::string& path);
/// The names of arrays, for messages: "x, y".
std::string names_of(std::span<const NamedTensor> arrays);
/// Writes .npz, .npy (exactly one array) or .safetensors.
void write_arrays(const std::string& path, std::span<const NamedTensor> arrays);

/// Reads the expected tensor results, by the names out0, out1, ...; a .npy file, whose array has no
/// name, has the only result. If no array is named outN or inN and there are as many as results,
/// they are taken in order, with a note on stderr. `dtypes` are the results': types that NumPy
/// lacks are stored as their bits. Throws Error naming a missing or superfluous result.
std::vector<Tensor> read_expected(const std::string& path, std::span<const DType> dtypes);

/// Makes inputs from the `--input` specifications:
///
///   FILE              arrays by input name (x, opts.k) or position (in0, in1; arr_0); other names
///                     are an error, except that a .npy file, which has none, is the next input
///   2x3:f32:rand      sizes, dtype and a fill: rand (uniform in [0, 1)), randn, zeros,
///                     ones, arange, a number, randint:HIGH
///   7   2.5   true    a host number for an int, float or bool input
///
/// Without specifications, inputs are random, with sizes at their smallest allowed value or the
/// recorded example's. `seed` makes fills repeatable. Throws Error that names the input.
std::vector<runtime::Value> make_inputs(const artifact::Signature& signature,
                                        std::span<const std::string> specifications, uint64_t seed);

}  // namespace litz::tools
