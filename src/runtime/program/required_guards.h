// The conditions of an export, checked for a call, in the names that callers know.

#pragma once

#include <string>
#include <string_view>

#include "artifact/signature.h"
#include "expr/expr.h"

namespace litz::runtime {

/// The text of a guard or of its error with "x.size(1)" for symbols that inputs bind ("s27") and for
/// the paths of the exporter ("L['x'].size()[1]").
std::string in_names_of_inputs(std::string_view text, const artifact::Signature& signature);

/// As check_guards of the signature's guards, but names inputs instead of symbols.
void require_guards(const artifact::Signature& signature, const Bindings& bindings);

}  // namespace litz::runtime
