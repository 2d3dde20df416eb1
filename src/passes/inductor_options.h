// The options of PyTorch's own compiler by name, as exported programs name them in annotations of
// regions. They steer code that Litz does not make: known ones are checked and, but for those in
// region_options.h, have no effect; names outside of this table are mistakes.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace litz::passes {

enum class InductorType : uint8_t { flag, integer, real, text, anything };

struct InductorOption {
  InductorType type = InductorType::anything;
  bool is_optional = false;  ///< None is a value, too.
};

/// Nothing for a name that PyTorch does not know.
std::optional<InductorOption> find_inductor_option(std::string_view name);

/// All names, for suggestions.
std::vector<std::string_view> inductor_option_names();

}  // namespace litz::passes
