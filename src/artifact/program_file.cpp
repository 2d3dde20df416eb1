#include "artifact/program_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "artifact/byte_stream.h"
#include "support/check.h"
#include "support/hash.h"

namespace litz::artifact {
namespace {

constexpr std::string_view kCompiledMagic = "litzprog";
constexpr std::string_view kGraphMagic = "litzgrph";
constexpr uint64_t kFormat = 2;
constexpr const char* kWhat = "a stored program";
constexpr size_t kHeaderBytes = 8 + 3 * sizeof(uint64_t);
/// Alignment of storages in the file: that of vector registers and cache lines.
constexpr size_t kAlignment = 64;

std::string_view magic_of(FileKind kind) {
  return kind == FileKind::compiled ? kCompiledMagic : kGraphMagic;
}

size_t aligned(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

uint64_t checksum(std::span<const std::byte> content) { return hash_bytes(content, kFormat); }

/// The storages of tensors, each once.
class StorageTable {
 public:
  explicit StorageTable(std::span<const Tensor> tensors) {
    for (const Tensor& tensor : tensors) {
      const Storage* storage = tensor.storage().get();
      const auto [found, is_new] = numbers_.emplace(storage, storages_.size());
      if (is_new) storages_.push_back(storage);
    }
  }

  uint64_t number(const Tensor& tensor) const { return numbers_.at(tensor.storage().get()); }

  std::span<const Storage* const> all() const { return storages_; }

 private:
  std::map<const Storage*, size_t> numbers_;
  std::vector<const Storage*> storages_;
};

void write_numbers(ByteWriter& out, std::span<const int64_t> numbers) {
  out.number<uint64_t>(numbers.size());
  for (const int64_t number : numbers) out.number(number);
}

std::vector<int64_t> read_numbers(ByteReader& in) {
  std::vector<int64_t> numbers(in.count());
  for (int64_t& number : numbers) number = in.number<int64_t>();
  return numbers;
}

bool read_flag(ByteReader& in) {
  const auto flag = in.number<uint8_t>();
  require(flag <= 1, ErrorCode::corrupt, kWhat, "must hold flags of 0 or 1:", int{flag});
  return flag != 0;
}

void write_signature(ByteWriter& out, const ProgramFile& file) {
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

void read_signature(ByteReader& in, ProgramFile& file) {
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

void write_tensors(ByteWriter& out, const ProgramFile& file, const StorageTable& storages) {
  out.number<uint64_t>(storages.all().size());
  uint64_t offset = 0;
  for (const Storage* storage : storages.all()) {
    out.number(offset);
    out.number<uint64_t>(storage->size());
    offset += aligned(storage->size());
  }
  out.number<uint64_t>(file.tensors.size());
  for (const Tensor& tensor : file.tensors) {
    out.number(static_cast<uint8_t>(tensor.dtype()));
    out.number(storages.number(tensor));
    write_numbers(out, tensor.sizes());
    write_numbers(out, tensor.strides());
    out.number(tensor.offset());
  }
}

Tensor read_tensor(ByteReader& in, std::span<const std::shared_ptr<Storage>> storages) {
  const auto dtype = in.number<uint8_t>();
  require(dtype <= static_cast<uint8_t>(DType::c128), ErrorCode::corrupt, kWhat,
          "must hold tensors of known dtypes:", int{dtype});
  const auto storage = in.number<uint64_t>();
  require(storage < storages.size(), ErrorCode::corrupt, kWhat,
          "must hold the storages of its tensors:", storage);
  std::vector<int64_t> sizes = read_numbers(in);
  std::vector<int64_t> strides = read_numbers(in);
  const auto offset = in.number<int64_t>();
  const bool is_shape = sizes.size() == strides.size() && offset >= 0 &&
                        std::ranges::all_of(sizes, [](int64_t size) { return size >= 0; }) &&
                        std::ranges::all_of(strides, [](int64_t stride) { return stride >= 0; });
  require(is_shape, ErrorCode::corrupt, kWhat, "must hold sizes and strides of tensors");
  try {
    return {static_cast<DType>(dtype), std::move(sizes), std::move(strides), offset,
            storages[static_cast<size_t>(storage)]};
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    fail(ErrorCode::corrupt, kWhat, "must hold the elements of its tensors:", error.message());
  }
}

void read_tensors(ByteReader& in, std::span<const std::byte> data,
                  const std::shared_ptr<const void>& keeper, ProgramFile& file) {
  std::vector<std::shared_ptr<Storage>> storages;
  for (size_t left = in.count(); left > 0; --left) {
    const auto offset = in.number<uint64_t>();
    const auto size = in.number<uint64_t>();
    require(offset % kAlignment == 0 && offset <= data.size() && size <= data.size() - offset,
            ErrorCode::corrupt, kWhat, "must hold its weights:", offset, size);
    storages.push_back(Storage::borrow(
        data.subspan(static_cast<size_t>(offset), static_cast<size_t>(size)), keeper));
  }
  for (size_t left = in.count(); left > 0; --left) {
    file.tensors.push_back(read_tensor(in, storages));
  }
  const auto count = static_cast<int64_t>(file.tensors.size());
  for (const StoredInput& input : file.inputs) {
    require(input.tensor >= -1 && input.tensor < count, ErrorCode::corrupt, kWhat,
            "must hold the data of its inputs:", input.tensor);
  }
}

std::vector<std::byte> body_of(const ProgramFile& file, const StorageTable& storages) {
  ByteWriter body;
  for (const std::string& text : {file.build, file.target, file.triple, file.features}) {
    body.text(text);
  }
  body.number(static_cast<uint8_t>(file.fuse));
  body.number(static_cast<uint8_t>(file.functional));
  body.number(static_cast<uint8_t>(file.weights_missing));
  for (const std::string& text : {file.torch_version, file.schema_version, file.dialect}) {
    body.text(text);
  }
  body.text(file.main);
  body.text(file.graph);
  write_signature(body, file);
  write_tensors(body, file, storages);
  body.number<uint64_t>(file.kernels.size());
  for (const auto& [key, payload] : file.kernels) {
    body.number(key.high);
    body.number(key.low);
    body.block(payload);
  }
  return body.take();
}

FileKind kind_of(std::span<const std::byte> bytes) {
  if (is_program_file(bytes, FileKind::graph)) return FileKind::graph;
  require(is_program_file(bytes, FileKind::compiled), ErrorCode::corrupt,
          "Invalid header: a stored program must begin with", kCompiledMagic, "or", kGraphMagic);
  return FileKind::compiled;
}

/// What the checksum covers, or nothing is read.
std::span<const std::byte> content_of(std::span<const std::byte> bytes) {
  ByteReader in(bytes.subspan(kCompiledMagic.size()), kWhat);
  const auto format = in.number<uint64_t>();
  require(format == kFormat, ErrorCode::unsupported,
          "a stored program must have a format that this version reads:", format, "instead of",
          kFormat);
  const auto size = in.number<uint64_t>();
  const auto sum = in.number<uint64_t>();
  require(size <= bytes.size(), ErrorCode::corrupt, kWhat, "must not be truncated:", size,
          "bytes written,", bytes.size(), "left");
  require(size == bytes.size(), ErrorCode::corrupt, kWhat,
          "must end where it says:", bytes.size() - size, "bytes too many");
  const std::span<const std::byte> content = bytes.subspan(kHeaderBytes);
  require(checksum(content) == sum, ErrorCode::corrupt, kWhat, "must be undamaged");
  return content;
}

}  // namespace

std::vector<std::byte> frame_program(FileKind kind, std::span<const std::byte> content) {
  ByteWriter out;
  out.bytes(std::as_bytes(std::span(magic_of(kind))));
  out.number(kFormat);
  out.number<uint64_t>(kHeaderBytes + content.size());
  out.number(checksum(content));
  out.bytes(content);
  return out.take();
}

std::vector<std::byte> write_program_file(const ProgramFile& file) {
  const StorageTable storages(file.tensors);
  ByteWriter content;
  content.block(body_of(file, storages));
  content.zeros(aligned(kHeaderBytes + content.size()) - kHeaderBytes - content.size());
  for (const Storage* storage : storages.all()) {
    content.bytes({storage->data(), storage->size()});
    content.zeros(aligned(storage->size()) - storage->size());
  }
  return frame_program(file.kind, content.take());
}

bool is_program_file(std::span<const std::byte> bytes, FileKind kind) {
  const std::string_view magic = magic_of(kind);
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

ProgramFile read_program_file(std::span<const std::byte> bytes,
                              const std::shared_ptr<const void>& keeper) {
  const FileKind kind = kind_of(bytes);
  const std::span<const std::byte> content = content_of(bytes);
  ByteReader outer(content, kWhat);
  const std::span<const std::byte> body = outer.block();
  const size_t begin =
      std::min(bytes.size(), aligned(kHeaderBytes + sizeof(uint64_t) + body.size()));
  ByteReader in(body, kWhat);
  ProgramFile file;
  file.kind = kind;
  for (std::string* text : {&file.build, &file.target, &file.triple, &file.features}) {
    *text = in.text();
  }
  file.fuse = read_flag(in);
  file.functional = read_flag(in);
  file.weights_missing = read_flag(in);
  for (std::string* text : {&file.torch_version, &file.schema_version, &file.dialect}) {
    *text = in.text();
  }
  file.main = in.text();
  file.graph = in.text();
  read_signature(in, file);
  read_tensors(in, bytes.subspan(begin), keeper, file);
  for (size_t left = in.count(); left > 0; --left) {
    KernelKey key;
    key.high = in.number<uint64_t>();
    key.low = in.number<uint64_t>();
    file.kernels.emplace_back(key, in.block());
  }
  require(in.at_end(), ErrorCode::corrupt, kWhat, "must end with its code");
  return file;
}

}  // namespace litz::artifact
