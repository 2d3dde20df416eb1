// The options of PyTorch's own compiler by name, as annotations of regions in exported programs use
// them. They control code that Litz does not generate: known options are checked and, except for
// those in region_options.h, have no effect; unknown names are errors.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace litz::passes {

enum class InductorType : uint8_t { flag, integer, real, text, anything };

struct InductorOption {
  InductorType type = InductorType::anything;
  bool is_optional = false;  ///< Also allows None.
};

/// Nothing for a name that PyTorch does not know.
std::optional<InductorOption> find_inductor_option(std::string_view name);

/// All names, to suggest similar ones.
std::vector<std::string_view> inductor_option_names();

}  // namespace litz::passes
