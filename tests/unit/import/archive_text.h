// Small programs and archives written as text, for tests that break one thing at a time.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "import/import.h"

namespace litz::import_ {

/// The JSON of a program in pieces. The default is y = relu(x) + w with a parameter w.
struct ProgramText {
  std::string schema_version = R"({"major": 8, "minor": 17})";
  std::string inputs = R"({"as_tensor": {"name": "w"}}, {"as_tensor": {"name": "x"}})";
  std::string outputs = R"({"as_tensor": {"name": "y"}})";
  std::string nodes;
  std::string tensor_values;
  std::string sym_int_values;
  std::string sym_bool_values;
  std::string input_specs = R"({"parameter": {"arg": {"name": "w"}, "parameter_name": "lin.w"}},)"
                            R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})";
  std::string output_specs = R"({"user_output": {"arg": {"as_tensor": {"name": "y"}}}})";
  std::string range_constraints;
  std::string guards;
  std::string dialect = "TRAINING";
  std::string torch_version = "2.11.0";
  std::string in_spec =
      R"([1, {\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [)"
      R"({\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [)"
      R"({\"type\": null, \"context\": null, \"children_spec\": []}]},)"
      R"({\"type\": \"builtins.dict\", \"context\": \"[]\", \"children_spec\": []}]}])";
  std::string out_spec = R"([1, {\"type\": null, \"context\": null, \"children_spec\": []}])";

  ProgramText();
  std::string json() const;
};

/// A tensor description; sizes and strides are JSON such as `{"as_int": 2}` lists.
std::string tensor_meta(const std::string& sizes, const std::string& strides, int dtype = 7,
                        const std::string& offset = R"({"as_int": 0})", int layout = 7,
                        const std::string& device = "cpu");
/// The same with literal sizes, row-major.
std::string tensor_meta(const std::vector<int>& sizes, int dtype = 7);
/// A SymInt or SymBool given by an expression.
std::string symbolic(const std::string& expression, const std::string& hint = "null");
/// `"name": meta`
std::string entry(const std::string& name, const std::string& meta);
/// A node with one tensor result; inputs are named arguments.
std::string node(const std::string& target, const std::string& inputs, const std::string& outputs,
                 const std::string& metadata = "");
std::string tensor_argument(const std::string& name, const std::string& value);
std::string argument(const std::string& name, const std::string& json);
std::string tensor_output(const std::string& value);

using Entries = std::map<std::string, std::string>;

/// The entries of a whole archive of the newest layout for a program: markers, configs, weight_0.
Entries archive_entries(const ProgramText& program);
/// The archive as bytes; names are put under "m/" unless `root` says otherwise.
std::vector<std::byte> zip_bytes(const Entries& entries, const std::string& root = "m/");

ir::Program import_bytes(const std::vector<std::byte>& bytes, const ImportOptions& options = {});
ir::Program import_text(const ProgramText& program);

/// The full text of the Error that importing throws; fails the test when it throws none.
std::string refusal(const ProgramText& program);
std::string refusal(const std::vector<std::byte>& bytes);

}  // namespace litz::import_
