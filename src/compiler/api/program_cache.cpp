#include "compiler/api/program_cache.h"

#include <utility>

#include "ir/printer.h"

namespace litz::compiler {

std::shared_ptr<TracedProgram> ProgramCache::compiled(ir::Program program, const Options& options) {
  std::string text = ir::to_string(*program.module);
  const std::lock_guard lock(mutex_);
  if (const auto* known = programs_.find(text)) return *known;
  auto made = std::make_shared<TracedProgram>(std::move(program), options);
  ++made_;
  return programs_.add(std::move(text), std::move(made));
}

size_t ProgramCache::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

}  // namespace litz::compiler
