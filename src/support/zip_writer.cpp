#include "support/zip_writer.h"

#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <zlib.h>

#include "support/check.h"
#include "support/zip_format.h"

namespace litz {
namespace {

using zip::append_u16;
using zip::append_u32;
using zip::append_u64;

struct Written {
  std::string name;
  uint64_t offset;
  uint64_t size;
  uint32_t crc;
};

bool is_plain_path(std::string_view name) {
  if (name.empty() || name.size() > 4096 || name.find('\\') != std::string_view::npos) return false;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

// 16 extra bytes for both sizes when either needs more than 32 bits.
void append_zip64_sizes(std::string& extra, uint64_t size) {
  append_u16(extra, zip::kZip64Extra);
  append_u16(extra, 16);
  append_u64(extra, size);
  append_u64(extra, size);
}

}  // namespace

struct ZipWriter::State {
  std::string path;
  std::string temporary_path;
  std::FILE* file = nullptr;
  std::vector<std::byte> memory;
  uint64_t offset = 0;
  std::vector<Written> entries;
  std::set<std::string, std::less<>> names;
  bool finished = false;

  ~State() {
    if (file == nullptr) return;
    std::fclose(file);
    ::unlink(temporary_path.c_str());
  }

  void write(const void* data, size_t size) {
    if (path.empty()) {
      const auto* const first = static_cast<const std::byte*>(data);
      memory.insert(memory.end(), first, first + size);
    } else if (size > 0 && std::fwrite(data, 1, size, file) != size) {
      fail(ErrorCode::io, "archive must be writable:", path + ":",
           std::generic_category().message(errno));
    }
    offset += size;
  }

  void write(const std::string& bytes) { write(bytes.data(), bytes.size()); }
};

ZipWriter::ZipWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

ZipWriter::ZipWriter(ZipWriter&&) noexcept = default;
ZipWriter& ZipWriter::operator=(ZipWriter&&) noexcept = default;
ZipWriter::~ZipWriter() = default;

ZipWriter ZipWriter::to_file(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->temporary_path = path + ".part" + std::to_string(::getpid());
  state->file = std::fopen(state->temporary_path.c_str(), "wb");
  require(state->file != nullptr, ErrorCode::io, "archive must be writable:", path + ":",
          std::generic_category().message(errno));
  return ZipWriter(std::move(state));
}

ZipWriter ZipWriter::to_memory() { return ZipWriter(std::make_unique<State>()); }

void ZipWriter::add(std::string_view name, std::span<const std::byte> data) {
  State& state = *state_;
  check(!state.finished, "an archive must not grow after finish:", name);
  require(is_plain_path(name), "entry name must be a relative path without dots:", name);
  require(state.names.emplace(name).second, "entry names must differ:", name);

  uint32_t crc = 0;
  for (size_t at = 0; at < data.size();) {
    const size_t step = std::min<size_t>(data.size() - at, size_t{1} << 30);
    crc = static_cast<uint32_t>(
        ::crc32(crc, reinterpret_cast<const Bytef*>(data.data() + at), static_cast<uInt>(step)));
    at += step;
  }
  const bool big = data.size() >= zip::kSaturated32;
  std::string extra;
  if (big) append_zip64_sizes(extra, data.size());
  // A padding field has a 4-byte head; its body brings the data to the alignment.
  const uint64_t unpadded = state.offset + zip::kLocalHeader + name.size() + extra.size() + 4;
  const uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
  append_u16(extra, zip::kPaddingExtra);
  append_u16(extra, static_cast<uint16_t>(padding));
  extra.append(padding, 'Z');

  std::string header;
  append_u32(header, zip::kLocalSignature);
  append_u16(header, big ? 45 : 20);  // Version needed.
  append_u16(header, zip::kUtf8Flag);
  append_u16(header, 0);  // Stored.
  append_u32(header, zip::kFixedDate);
  append_u32(header, crc);
  const uint32_t size32 = big ? zip::kSaturated32 : static_cast<uint32_t>(data.size());
  append_u32(header, size32);
  append_u32(header, size32);
  append_u16(header, static_cast<uint16_t>(name.size()));
  append_u16(header, static_cast<uint16_t>(extra.size()));
  header += name;
  header += extra;
  state.entries.push_back({std::string(name), state.offset, data.size(), crc});
  state.write(header);
  state.write(data.data(), data.size());
}

void ZipWriter::add(std::string_view name, std::string_view text) {
  add(name, std::as_bytes(std::span(text)));
}

namespace {

void append_directory_entry(std::string& out, const Written& entry) {
  const bool big_size = entry.size >= zip::kSaturated32;
  const bool big_offset = entry.offset >= zip::kSaturated32;
  std::string extra;
  if (big_size || big_offset) {
    append_u16(extra, zip::kZip64Extra);
    append_u16(extra, static_cast<uint16_t>((big_size ? 16 : 0) + (big_offset ? 8 : 0)));
    if (big_size) append_u64(extra, entry.size);
    if (big_size) append_u64(extra, entry.size);
    if (big_offset) append_u64(extra, entry.offset);
  }
  append_u32(out, zip::kCentralSignature);
  append_u16(out, 45);  // Made by.
  append_u16(out, extra.empty() ? 20 : 45);
  append_u16(out, zip::kUtf8Flag);
  append_u16(out, 0);  // Stored.
  append_u32(out, zip::kFixedDate);
  append_u32(out, entry.crc);
  const uint32_t size32 = big_size ? zip::kSaturated32 : static_cast<uint32_t>(entry.size);
  append_u32(out, size32);
  append_u32(out, size32);
  append_u16(out, static_cast<uint16_t>(entry.name.size()));
  append_u16(out, static_cast<uint16_t>(extra.size()));
  append_u16(out, 0);  // Comment.
  append_u16(out, 0);  // Disk.
  append_u16(out, 0);  // Internal attributes.
  append_u32(out, 0);  // External attributes.
  append_u32(out, big_offset ? zip::kSaturated32 : static_cast<uint32_t>(entry.offset));
  out += entry.name;
  out += extra;
}

void append_zip64_end(std::string& out, uint64_t count, uint64_t size, uint64_t offset) {
  append_u32(out, zip::kZip64EndSignature);
  append_u64(out, 44);  // Bytes that follow this field.
  append_u16(out, 45);
  append_u16(out, 45);
  append_u32(out, 0);
  append_u32(out, 0);
  append_u64(out, count);
  append_u64(out, count);
  append_u64(out, size);
  append_u64(out, offset);
  append_u32(out, zip::kZip64LocatorSignature);
  append_u32(out, 0);
  append_u64(out, offset + size);
  append_u32(out, 1);
}

}  // namespace

void ZipWriter::finish() {
  State& state = *state_;
  check(!state.finished, "an archive is finished once");
  const uint64_t directory_offset = state.offset;
  std::string directory;
  for (const Written& entry : state.entries) append_directory_entry(directory, entry);
  const uint64_t size = directory.size();
  const uint64_t count = state.entries.size();
  const bool zip64 =
      count >= 0xffff || size >= zip::kSaturated32 || directory_offset >= zip::kSaturated32;
  if (zip64) append_zip64_end(directory, count, size, directory_offset);
  append_u32(directory, zip::kEndSignature);
  append_u32(directory, 0);  // Disk numbers.
  const auto count16 = static_cast<uint16_t>(std::min<uint64_t>(count, 0xffff));
  append_u16(directory, count16);
  append_u16(directory, count16);
  append_u32(directory, static_cast<uint32_t>(std::min<uint64_t>(size, zip::kSaturated32)));
  append_u32(directory,
             static_cast<uint32_t>(std::min<uint64_t>(directory_offset, zip::kSaturated32)));
  append_u16(directory, 0);  // Comment.
  state.write(directory);
  state.finished = true;
  if (state.file == nullptr) return;

  const bool closed = std::fclose(std::exchange(state.file, nullptr)) == 0;
  if (!closed || std::rename(state.temporary_path.c_str(), state.path.c_str()) != 0) {
    const int error = errno;
    ::unlink(state.temporary_path.c_str());
    fail(ErrorCode::io, "archive must be writable:", state.path + ":",
         std::generic_category().message(error));
  }
}

std::vector<std::byte> ZipWriter::take_bytes() {
  check(state_->finished && state_->path.empty(), "only a finished archive in memory has bytes");
  return std::move(state_->memory);
}

}  // namespace litz
