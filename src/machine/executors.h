// The named ways to run a program. All code that lists executors reads this table.

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace litz::machine {

struct ExecutorRow {
  std::string_view name;
  std::string_view note;  ///< For people, if the name alone is not clear.
};

/// In the order of compiler::ExecutorKind.
inline constexpr std::array kExecutors{
    ExecutorRow{"interpreter", "the reference"},
    ExecutorRow{"cpu", "the default"},
};

std::vector<std::string_view> executor_names();

/// For people: "interpreter (the reference), cpu (the default)"
std::string executor_list();

}  // namespace litz::machine
