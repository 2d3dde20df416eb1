// Calls with sizes of 0 that tracing excludes and PyTorch accepts all the same.
//
// A dynamic size is recorded as at least 1 or 2, which the whole program is compiled under. Where a
// call comes with 0, the program is read again as if it had been exported for that size, which
// checks everything that must hold of it.

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

namespace litz::compiler {

/// What reads an exported program again for other sizes; null for other files.
ReadAgain read_again(const std::string& path, const std::string& model = {});

class EmptySizes {
 public:
  /// Programs that change their weights have no others, since those would have to share them; nor
  /// have programs that cannot be read again. What surrounds them must outlive this.
  EmptySizes(const ir::Program& program, const Options& options, const Surroundings& surroundings);

  /// What runs a call with these inputs in place of the program; null where the program itself does,
  /// or says why not. Throws Error where sizes of 0 are impossible. Any thread.
  Executable* for_inputs(std::span<const Leaf> given);

 private:
  struct Dimension {
    size_t input = 0;  ///< Among those that callers give.
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
