// A program before it is compiled, as a file: the graph as text, signature, guards and weights.
//
// Who edits a program (`litz partition -o`) stores it so, and whatever takes an exported program
// takes such a file as well. The parts that compiled programs have, too, are here for both.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "artifact/graph_file.h"
#include "ir/program.h"

namespace litz::compiler {

/// Everything but what has to do with code; `text` is that of the graphs, `weight` gives the data of
/// an input, undefined where it has none.
artifact::GraphFile describe_program(const ir::Program& program, std::string text,
                                     const std::function<Tensor(size_t)>& weight);

/// The other way round. Throws Error{corrupt} for files that contradict themselves.
ir::Program program_of(const artifact::GraphFile& file);

/// The program as the bytes of a file.
std::vector<std::byte> store_graph(const ir::Program& program);

/// Writes store_graph's bytes, or, under a name that ends in ".ir", the text of the graphs alone.
/// Gives the size. Throws Error{io}.
size_t write_program(const std::string& path, const ir::Program& program);

/// True for files of this kind, damaged ones included.
bool is_graph_file(std::span<const std::byte> bytes);

/// A program of its own with the same weights, which both must not write.
ir::Program copy_program(const ir::Program& program);

/// An exported program (.pt2) or what write_program wrote; of text alone (.ir), callers give all
/// arguments, weights too. Throws Error as import_program and read_graph_file do; `model` names one
/// of an archive with several.
ir::Program open_program(const std::string& path, const std::string& model = {});

}  // namespace litz::compiler
