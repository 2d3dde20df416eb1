#include "runtime/test_modes.h"

#include <array>
#include <string>

#include "support/check.h"
#include "support/text.h"

namespace litz::runtime {
namespace {

constexpr std::array<std::string_view, 4> kNames{"poison", "access", "order", "fault"};

[[noreturn]] void refuse_name(std::string_view name) {
  std::string message = "a test mode must be poison, access, order or fault, but is " + quote(name);
  if (const auto near = closest(name, kNames)) {
    message += ": did you mean '" + std::string(*near) + "'?";
  }
  fail(ErrorCode::invalid_argument, message.c_str());
}

void add_mode(TestModes& modes, std::string_view text) {
  const size_t at = text.find('=');
  const std::string_view name = text.substr(0, at);
  int64_t number = 0;
  if (at != std::string_view::npos) {
    const std::string_view digits = text.substr(at + 1);
    require(name != "poison" && name != "access",
            "a test mode of this name takes no number:", name);
    const std::optional<int64_t> parsed = parse_int(digits);
    require(parsed && *parsed >= 0, "the number of a test mode must be a natural one, not", digits);
    number = *parsed;
  }
  if (name == "poison") {
    modes.poison = true;
  } else if (name == "access") {
    modes.access = true;
  } else if (name == "order") {
    modes.order_seed = static_cast<uint64_t>(number);
  } else if (name == "fault") {
    modes.fault = true;
    modes.fail_call = number;
  } else {
    refuse_name(name);
  }
}

}  // namespace

TestModes parse_test_modes(std::string_view text) {
  TestModes modes;
  for (const std::string_view mode : split(text, ',')) add_mode(modes, trim(mode));
  return modes;
}

DeviceModes device_modes(const TestModes& modes) {
  return {.poison = modes.poison,
          .check_accesses = modes.access,
          .audit_pointers = modes.access,
          .watch_memory = modes.access,
          .count_nodes = modes.fault,
          .order_seed = modes.order_seed};
}

}  // namespace litz::runtime
