#include "artifact/file_frame.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"
#include "support/hash.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";
constexpr size_t kHeaderBytes = 8 + 3 * sizeof(uint64_t);

uint64_t checksum(const FileKind& kind, std::span<const std::byte> content) {
  return hash_bytes(content, kind.format);
}

}  // namespace

bool is_file_of(std::span<const std::byte> bytes, const FileKind& kind) {
  return bytes.size() >= kind.magic.size() &&
         std::memcmp(bytes.data(), kind.magic.data(), kind.magic.size()) == 0;
}

uint64_t stated_size(const FileKind& kind, std::span<const std::byte> bytes) {
  if (!is_file_of(bytes, kind) || bytes.size() < kHeaderBytes) return 0;
  ByteReader header(bytes.subspan(kind.magic.size() + sizeof kind.format), kWhat);
  return header.number<uint64_t>();
}

std::vector<std::byte> frame_content(const FileKind& kind, std::span<const std::byte> content) {
  ByteWriter out;
  out.bytes(std::as_bytes(std::span(kind.magic)));
  out.number(kind.format);
  out.number<uint64_t>(kHeaderBytes + content.size());
  out.number(checksum(kind, content));
  out.bytes(content);
  return out.take();
}

std::vector<std::byte> framed(const FileKind& kind, std::span<const std::byte> body,
                              const TensorTableWriter& data) {
  ByteWriter content;
  content.block(body);
  const size_t end = kHeaderBytes + content.size();
  content.zeros(aligned_to_storage(end) - end);
  data.write_storages(content);
  return frame_content(kind, content.take());
}

FileParts unframed(const FileKind& kind, std::span<const std::byte> bytes) {
  require(is_file_of(bytes, kind), ErrorCode::corrupt,
          "Invalid header: a stored program must begin with", kind.magic);
  ByteReader header(bytes.subspan(kind.magic.size()), kWhat);
  const auto format = header.number<uint64_t>();
  require(format == kind.format, ErrorCode::unsupported,
          "a stored program must have a format that this version reads:", format, "instead of",
          kind.format);
  const auto size = header.number<uint64_t>();
  const auto sum = header.number<uint64_t>();
  require(size <= bytes.size(), ErrorCode::corrupt, kWhat, "must not be truncated:", size,
          "bytes written,", bytes.size(), "left");
  require(size == bytes.size(), ErrorCode::corrupt, kWhat,
          "must end where it says:", bytes.size() - size, "bytes too many");
  const std::span<const std::byte> content = bytes.subspan(kHeaderBytes);
  require(checksum(kind, content) == sum, ErrorCode::corrupt, kWhat, "must be undamaged");
  ByteReader in(content, kWhat);
  FileParts parts;
  parts.body = in.block();
  const size_t begin = aligned_to_storage(kHeaderBytes + sizeof(uint64_t) + parts.body.size());
  parts.data = bytes.subspan(std::min(bytes.size(), begin));
  return parts;
}

}  // namespace litz::artifact
