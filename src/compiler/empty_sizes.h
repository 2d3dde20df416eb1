// Calls with sizes of 0, which tracing excludes and PyTorch accepts.
//
// The exporter records a dynamic size as at least 1 or 2, and the whole program is compiled for
// that. If a call brings a 0, the program is read again as if it had been exported for that size,
// which checks everything that must hold for it.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "compiler/graph_file.h"

namespace litz::compiler {

/// Reads an exported program in memory again for other sizes; null for other files.
ReadAgain read_again(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                     const std::string& model = {});

/// A program and what reads it again, both from the file that was opened, whatever has its name
/// later, or both from one copy of it in memory.
struct OpenedFile {
  ir::Program program;
  ReadAgain read_again;
};

/// Throws Error as open_program does.
OpenedFile open_file(const std::string& path, const OpenOptions& options);

class EmptySizes {
 public:
  /// Programs that cannot be read again have no variants. What `surroundings` names must outlive
  /// this object.
  EmptySizes(const ir::Program& program, const Options& options, const Surroundings& surroundings);

  /// The variant that runs a call with these inputs; null if the program itself runs it or reports
  /// the error. Throws Error where sizes of 0 are impossible. Thread-safe.
  Executable* for_inputs(std::span<const Leaf> given);

 private:
  struct Dimension {
    size_t input = 0;  ///< Indexes the inputs that callers give.
    size_t dim = 0;
    std::string symbol;
  };

  ReadAgain read_again_;
  Options options_;
  std::vector<Dimension> dimensions_;
  std::mutex mutex_;
  std::map<std::set<std::string>, std::unique_ptr<Executable>> made_;
};

}  // namespace litz::compiler
