#include "runtime/program/collective_starts.h"

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/collectives.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::LibraryStep;
using artifact::Step;
using distributed::Starts;

constexpr size_t kMostStarts = 1'000'000;

/// Every function of kernels/collectives.h that starts one takes the name of the group last.
std::string group_of(const LibraryStep& call) {
  const auto* const group =
      call.arguments.empty() ? nullptr : std::get_if<std::string>(&call.arguments.back());
  require(group != nullptr, ErrorCode::corrupt, "a collective must name its group:", call.function);
  return *group;
}

std::string text_of(const LibraryStep& call, const Step& step) {
  if (call.function == "all_to_all") return call.function;
  std::string text = call.function;
  for (const artifact::StepArgument& argument : call.arguments) {
    if (const auto* const number = std::get_if<Expr>(&argument)) text += " " + to_string(*number);
    if (const auto* const word = std::get_if<std::string>(&argument)) text += " " + *word;
  }
  for (const artifact::StepResult& result : step.results) {
    const auto* const type = std::get_if<TensorType>(&result.type);
    if (type != nullptr) text += " " + to_string(*type);
  }
  return text;
}

class Finder {
 public:
  explicit Finder(const artifact::Program& program) : program_(program) {}

  /// Requires that routines do not call themselves, which loading checks.
  const Starts& of(int32_t routine) {
    if (const auto known = known_.find(routine); known != known_.end()) return known->second;
    Starts starts;
    for (const Step& step : program_.routines[static_cast<size_t>(routine)].steps) {
      if (const auto* const call = std::get_if<LibraryStep>(&step.work)) {
        if (kernels::is_collective(call->function) && call->function != "wait") {
          add(starts, *call, step);
        }
      } else if (const auto* const control = std::get_if<artifact::ControlStep>(&step.work)) {
        for (const int32_t child : control->routines) append(starts, of(child));
      }
    }
    return known_.emplace(routine, std::move(starts)).first->second;
  }

 private:
  static void add(Starts& starts, const LibraryStep& call, const Step& step) {
    // A group with transfers only is compared too: another rank may start more.
    std::vector<std::string>& texts = starts[group_of(call)];
    if (call.function != "send" && call.function != "receive") {
      texts.push_back(text_of(call, step));
    }
  }

  static void append(Starts& starts, const Starts& called) {
    for (const auto& [group, texts] : called) {
      std::vector<std::string>& all = starts[group];
      require(all.size() + texts.size() <= kMostStarts, ErrorCode::limit_exceeded,
              "calls of routines must not repeat so many collectives of group", group);
      all.insert(all.end(), texts.begin(), texts.end());
    }
  }

  const artifact::Program& program_;
  std::map<int32_t, Starts> known_;  ///< By routine.
};

}  // namespace

distributed::Starts collective_starts(const artifact::Program& program) {
  return program.routines.empty() ? Starts() : Finder(program).of(0);
}

}  // namespace litz::runtime
