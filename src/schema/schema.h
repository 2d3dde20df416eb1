// Operator signatures in the notation of PyTorch's schema strings, with dots in the name:
//
//   aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
//
// An unnamed overload has no third part: aten.relu(Tensor self) -> Tensor.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/attribute.h"

namespace litz::ir {

enum class ArgKind : uint8_t {
  tensor,
  tensor_list,           ///< Tensor[]
  optional_tensor_list,  ///< Tensor?[]
  scalar,                ///< Scalar: int, float, bool or complex; the category matters.
  scalar_list,
  integer,       ///< int and SymInt
  integer_list,  ///< int[], SymInt[], with or without a length
  real,          ///< float
  real_list,
  boolean,
  boolean_list,
  string,
  string_list,
  dtype,          ///< ScalarType
  layout,         ///< Layout
  device,         ///< Device
  memory_format,  ///< MemoryFormat
  generator,
  graph,  ///< Graph: a child graph, higher-order operators only.
  op,     ///< Op: an operator name.
  any,    ///< Any: values or attributes of any kind (operands of child graphs).
  any_list,
};

std::string_view name(ArgKind kind);

struct SchemaArgument {
  std::string name;
  ArgKind kind = ArgKind::tensor;
  bool optional = false;      ///< `T?`
  bool symbolic = false;      ///< SymInt, SymInt[]: takes sizes that are known when it runs.
  int length = 0;             ///< n of `T[n]`: a single element is repeated n times; 0: any length.
  bool keyword_only = false;  ///< After `*`.
  bool mutated = false;       ///< `(a!)`
  char alias = 0;             ///< 'a' of `(a)` and `(a!)`; 0 if none.
  bool has_default = false;
  Attribute default_value;
};

struct SchemaReturn {
  std::string name;  ///< May be empty.
  ArgKind kind =
      ArgKind::tensor;  ///< tensor, tensor_list, integer, real, boolean, scalar or any_list.
  bool mutated = false;
  char alias = 0;
};

struct Schema {
  std::string name;  ///< "aten.add.Tensor"
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaReturn> returns;

  /// Index of an argument by name, or -1.
  int find(std::string_view argument) const;
  bool mutates() const;
};

/// Parses schema text; throws Error{invalid_argument} with the column of the mistake.
Schema parse_schema(std::string_view text);
std::string to_string(const Schema& schema);

/// Schema text that is checked at compile time: a malformed literal does not compile.
class SchemaText {
 public:
  consteval SchemaText(const char* text);  // NOLINT(google-explicit-constructor)

  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace litz::ir

#include "schema/schema_text.h"  // The consteval constructor: the same grammar, at compile time.
