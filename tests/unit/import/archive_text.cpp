#include "archive_text.h"

#include <gtest/gtest.h>

#include "import/archive.h"
#include "import/import_archive.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "support/zip_writer.h"

namespace litz::import_ {

std::string tensor_meta(const std::string& sizes, const std::string& strides, int dtype,
                        const std::string& offset, int layout, const std::string& device) {
  return R"({"dtype": )" + std::to_string(dtype) + R"(, "sizes": [)" + sizes +
         R"(], "requires_grad": false, "device": {"type": ")" + device +
         R"(", "index": null}, "strides": [)" + strides + R"(], "storage_offset": )" + offset +
         R"(, "layout": )" + std::to_string(layout) + "}";
}

std::string tensor_meta(const std::vector<int>& sizes, int dtype) {
  std::string size_text;
  std::string stride_text;
  int stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    const std::string comma = i + 1 == sizes.size() ? "" : ", ";
    size_text = R"({"as_int": )" + std::to_string(sizes[i]) + "}" + comma + size_text;
    stride_text = R"({"as_int": )" + std::to_string(stride) + "}" + comma + stride_text;
    stride *= sizes[i];
  }
  return tensor_meta(size_text, stride_text, dtype);
}

std::string symbolic(const std::string& expression, const std::string& hint) {
  return R"({"as_expr": {"expr_str": ")" + expression + R"(", "hint": )" + hint + "}}";
}

std::string entry(const std::string& name, const std::string& meta) {
  return "\"" + name + "\": " + meta;
}

std::string argument(const std::string& name, const std::string& json) {
  return R"({"name": ")" + name + R"(", "arg": )" + json + R"(, "kind": 1})";
}

std::string tensor_argument(const std::string& name, const std::string& value) {
  return argument(name, R"({"as_tensor": {"name": ")" + value + R"("}})");
}

std::string tensor_output(const std::string& value) {
  return R"({"as_tensor": {"name": ")" + value + R"("}})";
}

std::string node(const std::string& target, const std::string& inputs, const std::string& outputs,
                 const std::string& metadata) {
  return R"({"target": ")" + target + R"(", "inputs": [)" + inputs + R"(], "outputs": [)" +
         outputs + R"(], "metadata": {)" + metadata + R"(}, "is_hop_single_tensor_return": null})";
}

ProgramText::ProgramText()
    : nodes(node("torch.ops.aten.relu.default", tensor_argument("self", "x"), tensor_output("r")) +
            "," +
            node("torch.ops.aten.add.Tensor",
                 tensor_argument("self", "r") + "," + tensor_argument("other", "w"),
                 tensor_output("y"))),
      tensor_values(entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3})) + "," +
                    entry("r", tensor_meta({2, 3})) + "," + entry("y", tensor_meta({2, 3}))) {}

std::string ProgramText::json() const {
  return R"({"graph_module": {"graph": {"inputs": [)" + inputs + R"(], "outputs": [)" + outputs +
         R"(], "nodes": [)" + nodes + R"(], "tensor_values": {)" + tensor_values +
         R"(}, "sym_int_values": {)" + sym_int_values + R"(}, "sym_bool_values": {)" +
         sym_bool_values + R"(}}, "signature": {"input_specs": [)" + input_specs +
         R"(], "output_specs": [)" + output_specs +
         R"(]}, "module_call_graph": [{"fqn": "", "signature": {"inputs": [], "outputs": [], )" +
         R"("in_spec": ")" + in_spec + R"(", "out_spec": ")" + out_spec +
         R"(", "forward_arg_names": ["x"]}}]}, "opset_version": {"aten": 10}, )" +
         R"("range_constraints": {)" + range_constraints + R"(}, "schema_version": )" +
         schema_version + R"(, "verifiers": [")" + dialect + R"("], "torch_version": ")" +
         torch_version + R"(", "guards_code": [)" + guards + "]}";
}

Entries archive_entries(const ProgramText& program) {
  const std::string record = R"({"config": {"lin.w": {"path_name": "weight_0", "is_param": true, )"
                             R"("use_pickle": false, "tensor_meta": )" +
                             tensor_meta({2, 3}) + "}}}";
  return {{"archive_format", "pt2"},
          {"archive_version", "0"},
          {"byteorder", "little"},
          {"data/weights/model_weights_config.json", record},
          {"data/constants/model_constants_config.json", R"({"config": {}})"},
          {"data/weights/weight_0", std::string(24, '\0')},
          {"models/model.json", program.json()}};
}

std::vector<std::byte> zip_bytes(const Entries& entries, const std::string& root) {
  ZipWriter writer = ZipWriter::to_memory();
  for (const auto& [name, text] : entries) writer.add(root + name, std::string_view(text));
  writer.finish();
  return writer.take_bytes();
}

ir::Program import_bytes(const std::vector<std::byte>& bytes, const ImportOptions& options) {
  static const std::shared_ptr<const ops::OpTable> kOps = ops::standard_ops();
  return import_archive(Archive::open(bytes, "test.pt2", options.model), kOps, options);
}

ir::Program import_text(const ProgramText& program) {
  return import_bytes(zip_bytes(archive_entries(program)));
}

std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    import_bytes(bytes);
  } catch (const InternalError& error) {
    ADD_FAILURE() << "a bad file must not break an invariant: " << error.what();
    return error.what();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "importing must be refused";
  return {};
}

std::string refusal(const ProgramText& program) {
  return refusal(zip_bytes(archive_entries(program)));
}

}  // namespace litz::import_
