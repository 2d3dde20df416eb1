#include "artifact/program_json.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "artifact/json_fields.h"
#include "artifact/program_fields.h"
#include "artifact/program_file.h"
#include "artifact/stored_parts.h"

namespace litz::artifact {
namespace {

constexpr std::string_view kFirstKey = "\"litz_program\"";

constexpr std::array<std::string_view, 6> kSymbolKinds{"size",       "data_dependent", "index",
                                                       "real_input", "real_data",      "boolean"};

/// Sizes and addresses beyond these are text of somebody else.
constexpr JsonOptions kLimits{.max_bytes = uint64_t{1} << 32,
                              .max_string_bytes = uint64_t{1} << 32};

void write_symbols(JsonWriter& out, const ExprPool& pool) {
  out.key("symbols").begin_array();
  for (SymbolId id = 0; id < pool.symbol_count(); ++id) {
    const SymbolInfo& info = pool.symbol(id);
    if (info.kind == SymbolKind::index) continue;  // Only kernels have them.
    out.begin_object();
    out.member("name", info.name).member("kind", kSymbolKinds[static_cast<size_t>(info.kind)]);
    out.member("least", info.range.lo).member("most", info.range.hi);
    if (info.hint) out.member("hint", *info.hint);
    out.end_object();
  }
  out.end_array();
}

void read_symbols(ExprPool& pool, const JsonValue& symbols, const JsonPath& path) {
  for (const JsonValue& each : symbols.as_array(path)) {
    SymbolInfo info;
    info.name = each.at("name", path).as_string(path);
    const std::string_view kind = each.at("kind", path).as_string(path);
    const auto* const found = std::ranges::find(kSymbolKinds, kind);
    require(found != kSymbolKinds.end(), ErrorCode::corrupt, "a program as JSON:", path,
            "must be of known kinds:", kind);
    info.kind = static_cast<SymbolKind>(found - kSymbolKinds.begin());
    info.range = {each.at("least", path).as_int(path), each.at("most", path).as_int(path)};
    if (const JsonValue* hint = each.get("hint", path)) info.hint = hint->as_int(path);
    try {
      pool.add_symbol(std::move(info));
    } catch (const Error& error) {
      fail(ErrorCode::corrupt, "a program as JSON:", path, "must be sound:", error.message());
    }
  }
}

void write_one(JsonWriter& out, const Program& program, const ExprPool& pool) {
  write_symbols(out, pool);
  JsonFieldWriter writer(out, pool);
  writer("program", program);
  if (program.seed) writer.symbol("seed", *program.seed);
  writer("data", weights_of(program).numbers);
}

Program read_one(const JsonValue& object, const JsonPath& path, std::vector<int64_t>& numbers) {
  Program program;
  program.symbols = std::make_shared<ExprPool>();
  read_symbols(*program.symbols, object.at("symbols", path), path / "symbols");
  JsonFieldReader reader(object, path, *program.symbols);
  reader("program", program, "data", numbers);
  if (object.find("seed", path) != nullptr) reader.symbol("seed", program.seed.emplace());
  return program;
}

void write_weights(JsonWriter& out, const std::vector<Tensor>& tensors) {
  const TensorTableWriter table(tensors);
  ByteWriter types;
  ByteWriter data;
  table.write_types(types);
  table.write_storages(data);
  out.key("weights").begin_object();
  out.member("types", hex_text(types.take())).member("data", hex_text(data.take()));
  out.end_object();
}

std::vector<Tensor> read_weights(const JsonValue& weights, const JsonPath& path) {
  const std::vector<std::byte> types =
      bytes_of_hex(weights.at("types", path).as_string(path), path / "types");
  const std::vector<std::byte> bytes =
      bytes_of_hex(weights.at("data", path).as_string(path), path / "data");
  // Aligned as in a file.
  const Tensor data = Tensor::of_bytes(DType::u8, {static_cast<int64_t>(bytes.size())}, bytes);
  ByteReader in(types, "a stored program");
  std::vector<Tensor> tensors = read_tensor_table(in, {data.data(), bytes.size()}, data.storage());
  require(in.at_end(), ErrorCode::corrupt, "a program as JSON:", path,
          "must end with the types of its tensors");
  return tensors;
}

}  // namespace

std::string program_json(const Program& program, const ExprPool& pool, std::string_view build,
                         bool with_weights) {
  require_portable(program);
  JsonWriter out(1);
  out.begin_object();
  out.member("litz_program", kProgramFile.format).member("build", build);
  write_one(out, program, pool);
  if (!program.parts.empty()) {
    out.key("parts").begin_array();
    for (const Program& part : program.parts) {
      out.begin_object();
      write_one(out, part, *part.symbols);
      out.end_object();
    }
    out.end_array();
  }
  if (with_weights) write_weights(out, all_tensors(program));
  out.end_object();
  return out.take();
}

Program read_program_json(std::string_view text, std::string_view build) {
  const JsonDocument document = JsonDocument::parse(text, "a program as JSON", kLimits);
  const JsonValue& root = document.root();
  const JsonPath path;
  const int64_t format = root.at("litz_program", path).as_int(path);
  require(format == static_cast<int64_t>(kProgramFile.format), ErrorCode::unsupported,
          "a program as JSON must be of format", kProgramFile.format, "not", format);
  require_build(root.at("build", path).as_string(path), build);
  const JsonValue* const data = root.get("weights", path);
  require(data != nullptr, ErrorCode::unsupported,
          "a program as JSON must have its weights to run: print it with --weights");
  std::vector<std::vector<int64_t>> numbers;
  Program program = read_one(root, path, numbers.emplace_back());
  if (const JsonValue* parts = root.find("parts", path)) {
    const JsonPath parts_path = path / "parts";
    for (const JsonValue& part : parts->as_array(parts_path)) {
      program.parts.push_back(read_one(part, parts_path, numbers.emplace_back()));
    }
  }
  attach_tensors(program, std::move(numbers), read_weights(*data, path / "weights"));
  require_sound(program);
  return program;
}

bool is_program_json(std::string_view text) {
  const auto skip_space = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  };
  skip_space();
  if (!text.starts_with('{')) return false;
  text.remove_prefix(1);
  skip_space();
  return text.starts_with(kFirstKey);
}

}  // namespace litz::artifact
