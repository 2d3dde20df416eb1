#include "machine/executors.h"

#include "support/text.h"

namespace litz::machine {

std::vector<std::string_view> executor_names() {
  std::vector<std::string_view> names;
  for (const ExecutorRow& executor : kExecutors) names.push_back(executor.name);
  return names;
}

std::string executor_list() {
  std::vector<std::string> texts;
  for (const ExecutorRow& executor : kExecutors) {
    texts.push_back(std::string(executor.name) + " (" + std::string(executor.note) + ")");
  }
  return join(texts, ", ");
}

}  // namespace litz::machine
