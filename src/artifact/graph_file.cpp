#include "artifact/graph_file.h"

#include "artifact/byte_stream.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";

bool read_flag(ByteReader& in) {
  const auto flag = in.number<uint8_t>();
  require(flag <= 1, ErrorCode::corrupt, kWhat, "must hold flags of 0 or 1:", int{flag});
  return flag != 0;
}

void write_signature(ByteWriter& out, const GraphFile& file) {
  out.number<uint64_t>(file.inputs.size());
  for (const StoredInput& input : file.inputs) {
    out.number(input.kind);
    out.number(static_cast<uint8_t>(input.persistent));
    out.number(input.tensor);
    out.number(static_cast<uint8_t>(input.literal_kind));
    for (const std::string& text : {input.target, input.label, input.literal}) out.text(text);
  }
  out.number<uint64_t>(file.outputs.size());
  for (const StoredOutput& output : file.outputs) {
    out.number(output.kind);
    out.number(output.input);
    out.text(output.label);
  }
  out.number<uint64_t>(file.guards.size());
  for (const StoredGuard& guard : file.guards) {
    out.text(guard.condition);
    out.text(guard.text);
  }
}

StoredInput read_input(ByteReader& in) {
  StoredInput input;
  input.kind = in.number<uint8_t>();
  input.persistent = read_flag(in);
  input.tensor = in.number<int64_t>();
  const auto literal = in.number<uint8_t>();
  require(literal <= static_cast<uint8_t>(LiteralKind::text), ErrorCode::corrupt, kWhat,
          "must hold literals of known kinds:", int{literal});
  input.literal_kind = static_cast<LiteralKind>(literal);
  for (std::string* text : {&input.target, &input.label, &input.literal}) *text = in.text();
  return input;
}

void read_signature(ByteReader& in, GraphFile& file) {
  for (size_t left = in.count(); left > 0; --left) file.inputs.push_back(read_input(in));
  for (size_t left = in.count(); left > 0; --left) {
    StoredOutput& output = file.outputs.emplace_back();
    output.kind = in.number<uint8_t>();
    output.input = in.number<int64_t>();
    output.label = in.text();
  }
  for (size_t left = in.count(); left > 0; --left) {
    StoredGuard& guard = file.guards.emplace_back();
    guard.condition = in.text();
    guard.text = in.text();
  }
}

}  // namespace

std::vector<std::byte> write_graph_file(const GraphFile& file) {
  const TensorTableWriter tensors(file.tensors);
  ByteWriter body;
  body.number(static_cast<uint8_t>(file.functional));
  body.number(static_cast<uint8_t>(file.weights_missing));
  for (const std::string& text :
       {file.torch_version, file.schema_version, file.dialect, file.main, file.graph}) {
    body.text(text);
  }
  write_signature(body, file);
  tensors.write_types(body);
  return framed(kGraphFile, body.take(), tensors);
}

GraphFile read_graph_file(std::span<const std::byte> bytes,
                          const std::shared_ptr<const void>& keeper) {
  const FileParts parts = unframed(kGraphFile, bytes);
  ByteReader in(parts.body, kWhat);
  GraphFile file;
  file.functional = read_flag(in);
  file.weights_missing = read_flag(in);
  for (std::string* text :
       {&file.torch_version, &file.schema_version, &file.dialect, &file.main, &file.graph}) {
    *text = in.text();
  }
  read_signature(in, file);
  file.tensors = read_tensor_table(in, parts.data, keeper);
  const auto count = static_cast<int64_t>(file.tensors.size());
  for (const StoredInput& input : file.inputs) {
    require(input.tensor >= -1 && input.tensor < count, ErrorCode::corrupt, kWhat,
            "must hold the data of its inputs:", input.tensor);
  }
  require(in.at_end(), ErrorCode::corrupt, kWhat, "must end with its weights");
  return file;
}

}  // namespace litz::artifact
