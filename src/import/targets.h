// Decides which node targets become nodes.

#pragma once

#include <string>
#include <string_view>

#include "schema/spelled_names.h"

namespace litz::import_ {

/// The same as ir::operator_name; leftovers of vmap get the namespace functorch.
std::string operator_name(std::string_view target);

/// True for a target that computes a host scalar from others or from sizes: the tables of symbolic
/// values contain its value, so it needs no node.
bool is_symbolic_computation(std::string_view operator_name);

/// True for calls that only matter for tracing: they have neither effects nor results at run time.
bool is_dropped(std::string_view operator_name);

/// True for higher-order operators that the importer rewrites instead of creating a node.
bool is_rewritten_on_import(std::string_view operator_name);

}  // namespace litz::import_
