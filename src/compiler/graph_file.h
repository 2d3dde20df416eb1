// A program before compilation as a file: the graph as text, signature, guards and weights.
//
// A caller that edits a program (`litz partition -o`) stores it so, and every reader of exported
// programs accepts such a file. The parts that compiled programs share are here for both.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "artifact/graph_file.h"
#include "ir/program.h"

namespace litz {
class MappedFile;
}

namespace litz::compiler {

/// Everything except code. `text` is that of the graphs; `weight` gives the data of an input,
/// undefined if it has none.
artifact::GraphFile describe_program(const ir::Program& program, std::string text,
                                     const std::function<Tensor(size_t)>& weight);

/// The inverse. Throws Error{corrupt} for files that contradict themselves.
ir::Program program_of(const artifact::GraphFile& file);

/// The program as the bytes of a file.
std::vector<std::byte> store_graph(const ir::Program& program);

/// Writes store_graph's bytes or, if the name ends in ".ir", only the text of the graphs. Returns
/// the size. Throws Error{io}.
size_t write_program(const std::string& path, const ir::Program& program);

/// True for files of this kind, even damaged ones.
bool is_graph_file(std::span<const std::byte> bytes);

/// A separate program that shares the weights, so neither may write them.
ir::Program copy_program(const ir::Program& program);

struct OpenOptions {
  std::string model;  ///< Selects one of several in an archive.
  /// Verifies the checksums of all weights of an archive (ImportOptions::check_weights_crc). Those of
  /// other files always are.
  bool verify_checksums = false;
  /// For open_file: copies the file to memory instead of mapping it.
  bool copies = false;
};

/// Reads an exported program (.pt2) or a file of write_program; for text alone (.ir), callers give
/// all arguments, including weights. Throws Error as import_program and read_graph_file do.
ir::Program open_program(const std::string& path, const OpenOptions& options = {});
/// The same for a file that is open.
ir::Program open_program(const std::shared_ptr<const MappedFile>& file,
                         const OpenOptions& options = {});
/// The same for the bytes of an archive or of store_graph, which `owner` keeps alive.
ir::Program open_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                         const OpenOptions& options = {});

}  // namespace litz::compiler
