#include "types/safetensors.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>

#include "support/check.h"
#include "support/json.h"
#include "support/json_writer.h"
#include "support/mapped_file.h"

namespace litz {
namespace {

constexpr uint64_t kMaxHeader = 100'000'000;  // The format's own limit.
constexpr size_t kMaxRank = 64;
constexpr std::string_view kMetadataKey = "__metadata__";

struct NameRow {
  std::string_view name;
  DType dtype;
};

constexpr NameRow kNames[] = {
    {"BOOL", DType::bool_},
    {"U8", DType::u8},
    {"I8", DType::i8},
    {"U16", DType::u16},
    {"I16", DType::i16},
    {"U32", DType::u32},
    {"I32", DType::i32},
    {"U64", DType::u64},
    {"I64", DType::i64},
    {"F8_E4M3", DType::f8e4m3fn},
    {"F8_E5M2", DType::f8e5m2},
    {"F8_E4M3FNUZ", DType::f8e4m3fnuz},
    {"F8_E5M2FNUZ", DType::f8e5m2fnuz},
    {"F8_E8M0", DType::f8e8m0fnu},
    {"F16", DType::f16},
    {"BF16", DType::bf16},
    {"F32", DType::f32},
    {"F64", DType::f64},
    {"C64", DType::c64},
};

DType parse_name(std::string_view text, const JsonPath& path) {
  for (const NameRow& row : kNames) {
    if (row.name == text) return row.dtype;
  }
  fail(ErrorCode::unsupported, "a safetensors dtype must be known:", text, "at", path.text());
}

std::string_view name_in_file(DType dtype) {
  for (const NameRow& row : kNames) {
    if (row.dtype == dtype) return row.name;
  }
  fail(ErrorCode::unsupported, "safetensors cannot hold this dtype, cast it first:", name(dtype));
}

/// One tensor of the header; offsets count from the start of the data.
struct Record {
  std::string name;
  DType dtype;
  std::vector<int64_t> sizes;
  uint64_t begin;
  uint64_t end;
};

uint64_t read_offset(const JsonValue& value, const JsonPath& path) {
  int64_t offset = value.as_int(path);
  require(offset >= 0, ErrorCode::corrupt, "a safetensors offset must not be negative:", offset,
          "at", path.text());
  return static_cast<uint64_t>(offset);
}

Record read_record(std::string_view tensor_name, const JsonValue& value, const JsonPath& path) {
  for (const JsonMember& member : value.as_object(path)) {
    require(member.key == "dtype" || member.key == "shape" || member.key == "data_offsets",
            ErrorCode::corrupt,
            "a safetensors record has only dtype, shape and data_offsets:", member.key, "at",
            path.text());
  }
  Record record;
  record.name = tensor_name;
  JsonPath dtype_path = path / "dtype";
  record.dtype = parse_name(value.at("dtype", path).as_string(dtype_path), dtype_path);

  JsonPath shape_path = path / "shape";
  std::span<const JsonValue> shape = value.at("shape", path).as_array(shape_path);
  require(shape.size() <= kMaxRank, ErrorCode::limit_exceeded,
          "a safetensors tensor must have at most 64 dimensions:", shape.size(), "at",
          shape_path.text());
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t size = shape[i].as_int(shape_path / i);
    require(size >= 0, ErrorCode::corrupt, "a safetensors size must not be negative:", size, "at",
            shape_path.text());
    record.sizes.push_back(size);
  }

  JsonPath offsets_path = path / "data_offsets";
  const JsonValue& offsets = value.at("data_offsets", path);
  require(offsets.as_array(offsets_path).size() == 2, ErrorCode::corrupt,
          "data_offsets must have two numbers:", offsets.size(), "at", offsets_path.text());
  record.begin = read_offset(offsets.at(size_t{0}, offsets_path), offsets_path);
  record.end = read_offset(offsets.at(size_t{1}, offsets_path), offsets_path);

  uint64_t needed = 0;
  bool fits = !__builtin_mul_overflow(static_cast<uint64_t>(checked_numel(record.sizes)),
                                      static_cast<uint64_t>(item_size(record.dtype)), &needed);
  require(fits && record.begin <= record.end && record.end - record.begin == needed,
          ErrorCode::corrupt, "data_offsets must span exactly the tensor's bytes:", record.begin,
          record.end, "needed", needed, "at", offsets_path.text());
  return record;
}

/// Requires that the records tile the data: no byte twice, none unused.
void require_tiling(const std::vector<Record>& records, uint64_t data_bytes,
                    const std::string& origin) {
  std::vector<const Record*> ordered;
  ordered.reserve(records.size());
  for (const Record& record : records) ordered.push_back(&record);
  std::sort(ordered.begin(), ordered.end(), [](const Record* a, const Record* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t position = 0;
  for (const Record* record : ordered) {
    require(record->begin >= position, ErrorCode::corrupt,
            "safetensors data must not overlap:", record->name, "begins at", record->begin,
            "before", position, "in", origin);
    require(record->begin == position, ErrorCode::corrupt,
            "safetensors data must have no holes:", record->name, "begins at", record->begin,
            "after", position, "in", origin);
    position = record->end;
  }
  require(position == data_bytes, ErrorCode::corrupt,
          "safetensors data must end with the file, used and present bytes:", position, data_bytes,
          "in", origin);
}

/// In place if the keeper, the alignment and, for booleans, the values allow it; else a copy.
Tensor make_tensor(const Record& record, std::span<const std::byte> data,
                   const std::shared_ptr<const void>& keeper) {
  auto address = reinterpret_cast<uintptr_t>(data.data());
  bool is_aligned = address % static_cast<uintptr_t>(item_size(record.dtype)) == 0;
  bool is_plain =
      record.dtype != DType::bool_ ||
      std::all_of(data.begin(), data.end(), [](std::byte b) { return b <= std::byte{1}; });
  if (keeper != nullptr && is_aligned && is_plain) {
    return Tensor(record.dtype, record.sizes, contiguous_strides(record.sizes), 0,
                  Storage::borrow(data, keeper));
  }
  Tensor tensor = Tensor::of_bytes(record.dtype, record.sizes, data);
  if (!is_plain) normalize_booleans(tensor.mutable_data(), data.size());
  return tensor;
}

uint64_t header_length(std::span<const std::byte> bytes, const std::string& origin) {
  require(bytes.size() >= 8, ErrorCode::corrupt,
          "a safetensors file must start with its header's length:", origin);
  uint64_t length = 0;
  for (size_t i = 0; i < 8; ++i) length |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  require(length <= kMaxHeader, ErrorCode::limit_exceeded,
          "a safetensors header must have at most 100 MB:", length, "in", origin);
  require(length <= bytes.size() - 8, ErrorCode::corrupt,
          "a safetensors file must hold its header:", length, bytes.size(), "in", origin);
  require(length > 0 && bytes[8] == std::byte{'{'}, ErrorCode::corrupt,
          "a safetensors header must start with a brace:", origin);
  return length;
}

}  // namespace

Safetensors parse_safetensors(std::span<const std::byte> bytes,
                              const std::shared_ptr<const void>& keeper,
                              const std::string& origin) {
  uint64_t length = header_length(bytes, origin);
  JsonDocument document = JsonDocument::parse(bytes.subspan(8, length), origin);
  std::span<const std::byte> data = bytes.subspan(8 + length);

  Safetensors result;
  std::vector<Record> records;
  JsonPath root{std::string_view(origin)};
  for (const JsonMember& member : document.root().as_object(root)) {
    JsonPath path = root / member.key;
    if (member.key != kMetadataKey) {
      records.push_back(read_record(member.key, member.value, path));
      continue;
    }
    for (const JsonMember& item : member.value.as_object(path)) {
      result.metadata.emplace_back(item.key, item.value.as_string(path / item.key));
    }
  }
  require_tiling(records, data.size(), origin);
  for (const Record& record : records) {
    std::span<const std::byte> own = data.subspan(record.begin, record.end - record.begin);
    result.tensors.emplace_back(record.name, make_tensor(record, own, keeper));
  }
  return result;
}

Safetensors read_safetensors(const std::string& path) {
  auto file = std::make_shared<MappedFile>(MappedFile::open(path));
  std::span<const std::byte> bytes = file->bytes();
  return parse_safetensors(bytes, std::move(file), path);
}

void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       std::span<const std::pair<std::string, std::string>> metadata) {
  std::vector<const NamedTensor*> ordered;
  std::set<std::string_view> names;
  for (const NamedTensor& entry : tensors) {
    require(names.insert(entry.first).second && entry.first != kMetadataKey,
            "names of saved tensors must be unique:", entry.first);
    ordered.push_back(&entry);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const NamedTensor* a, const NamedTensor* b) {
    return item_size(a->second.dtype()) > item_size(b->second.dtype());
  });

  JsonWriter json;
  json.begin_object();
  if (!metadata.empty()) {
    json.key(kMetadataKey).begin_object();
    for (const auto& [key, value] : metadata) json.member(key, value);
    json.end_object();
  }
  int64_t position = 0;
  for (const NamedTensor* entry : ordered) {
    const Tensor& tensor = entry->second;
    int64_t end = position + tensor.numel() * item_size(tensor.dtype());
    json.key(entry->first).begin_object().member("dtype", name_in_file(tensor.dtype()));
    json.key("shape").begin_array();
    for (int64_t size : tensor.sizes()) json.value(size);
    json.end_array().key("data_offsets").begin_array().value(position).value(end).end_array();
    json.end_object();
    position = end;
  }
  json.end_object();
  std::string header = json.take();
  // The format allows blanks after the JSON; here they align the data to a cache line.
  header.append((64 - (8 + header.size()) % 64) % 64, ' ');

  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  uint64_t length = header.size();
  for (int i = 0; i < 8; ++i) file.put(static_cast<char>((length >> (8 * i)) & 0xffU));
  file << header;
  for (const NamedTensor* entry : ordered) {
    Tensor dense = entry->second.contiguous();
    file.write(reinterpret_cast<const char*>(dense.data()),
               static_cast<std::streamsize>(dense.numel() * item_size(dense.dtype())));
  }
  file.close();
  require(file.good(), ErrorCode::io, "a safetensors file must be writable:", path);
}

}  // namespace litz
