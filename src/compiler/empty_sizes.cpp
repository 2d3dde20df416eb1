#include "compiler/empty_sizes.h"

#include <utility>

#include "import/import.h"
#include "ops/user_operators.h"
#include "support/check.h"
#include "support/mapped_file.h"

namespace litz::compiler {

ReadAgain read_again(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                     const std::string& model) {
  if (is_graph_file(bytes)) return nullptr;
  return [bytes, owner = std::move(owner), model](const SizesByName& sizes) {
    import_::ImportOptions options;
    options.model = model;
    options.fixed_sizes = sizes;
    return import_::import_program(bytes, owner, ops::known_ops(), options);
  };
}

OpenedFile open_file(const std::string& path, const OpenOptions& options) {
  const auto file = std::make_shared<const MappedFile>(options.copies ? MappedFile::read(path)
                                                                      : MappedFile::open(path));
  OpenedFile opened = {open_program(file, options), nullptr};
  if (is_graph_file(file->bytes()) || path.ends_with(".ir")) return opened;
  opened.read_again = [file, model = options.model](const SizesByName& sizes) {
    return import_::import_program(file, ops::known_ops(), {.model = model, .fixed_sizes = sizes});
  };
  return opened;
}

EmptySizes::EmptySizes(const ir::Program& program, const Options& options,
                       const Surroundings& surroundings)
    : read_again_(surroundings.read_again), options_(options) {
  if (read_again_ == nullptr) return;
  options_.keep_report = false;
  const ExprPool& pool = program.module->exprs();
  size_t position = 0;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!is_given_by_caller(program.inputs[i].kind)) continue;
    const ir::Value input = program.graph().input(i);
    const size_t given = position++;
    if (!input.is_tensor()) continue;
    for (size_t d = 0; d < input.tensor().rank(); ++d) {
      const Expr size = input.tensor().sizes[d];
      if (!size.is_symbol()) continue;
      const SymbolInfo& info = pool.symbol(size.symbol());
      if (info.range.lo == 1) dimensions_.push_back({given, d, info.name});
    }
  }
}

Executable* EmptySizes::for_inputs(std::span<const Leaf> given) {
  std::set<std::string> empty;
  for (const Dimension& dimension : dimensions_) {
    if (dimension.input >= given.size()) return nullptr;
    const auto* tensor = std::get_if<Tensor>(&given[dimension.input]);
    if (tensor == nullptr || !tensor->defined() || tensor->rank() <= dimension.dim) return nullptr;
    if (tensor->sizes()[dimension.dim] == 0) empty.insert(dimension.symbol);
  }
  if (empty.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Executable>& executable = made_[empty];
  if (executable == nullptr) {
    SizesByName sizes;
    for (const std::string& symbol : empty) sizes[symbol] = 0;
    try {
      executable = std::make_unique<Executable>(read_again_(sizes), options_);
    } catch (Error& error) {
      std::string names;
      for (const std::string& symbol : empty) names += (names.empty() ? "" : ", ") + symbol;
      error.add_note("while reading the program for inputs whose size is 0: " + names);
      throw;
    }
  }
  return executable.get();
}

}  // namespace litz::compiler
