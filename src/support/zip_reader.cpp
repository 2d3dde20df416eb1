#include "support/zip_reader.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include <zlib.h>

#include "support/check.h"
#include "support/mapped_file.h"
#include "support/text.h"
#include "support/zip_directory.h"

namespace litz {
namespace {

// The bytes that an archive and its nested ones may still inflate. Shared, hence atomic.
class InflationBudget {
 public:
  explicit InflationBudget(uint64_t bytes) : left_(bytes) {}

  void take(uint64_t bytes, const std::string& origin) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    do {
      require(bytes <= left, ErrorCode::limit_exceeded,
              "zip C9: inflated data must not exceed the total limit in bytes:", origin, bytes,
              left);
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
  }

 private:
  std::atomic<uint64_t> left_;
};

// Raw deflate in one go. zlib counts in 32 bits, so both sides are fed in steps.
class Inflater {
 public:
  Inflater() { check(::inflateInit2(&stream_, -MAX_WBITS) == Z_OK, "zlib must start"); }

  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  ~Inflater() { ::inflateEnd(&stream_); }

  /// True if `from` inflates to exactly the bytes of `into`, with nothing left on either side.
  bool run(std::span<const std::byte> from, std::span<std::byte> into) {
    // zlib needs an output buffer even if no output is expected.
    Bytef spare = 0;
    while (true) {
      const size_t in = std::min(from.size(), kStep);
      const size_t out = std::min(into.size(), kStep);
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data()));
      stream_.avail_in = static_cast<uInt>(in);
      stream_.next_out = out > 0 ? reinterpret_cast<Bytef*>(into.data()) : &spare;
      stream_.avail_out = out > 0 ? static_cast<uInt>(out) : 1;
      const uInt room = stream_.avail_out;
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      const size_t consumed = in - stream_.avail_in;
      const size_t produced = room - stream_.avail_out;
      if (produced > out) return false;  // More data than the directory announced.
      from = from.subspan(consumed);
      into = into.subspan(produced);
      if (code == Z_STREAM_END) return from.empty() && into.empty();
      if (code != Z_OK || (consumed == 0 && produced == 0)) return false;
    }
  }

 private:
  static constexpr size_t kStep = size_t{1} << 30;
  z_stream stream_{};
};

}  // namespace

struct ZipReader::State {
  std::string origin;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  const MappedFile* file = nullptr;  ///< Kept by the owner.
  ZipOptions options;
  int depth = 0;
  std::shared_ptr<InflationBudget> budget;
  zip::Directory directory;
  std::vector<uint32_t> by_name;

  // Everything but `directory` and `by_name` is set; reads the directory.
  void load() {
    directory = zip::read_directory(bytes, origin, options);
    by_name.resize(directory.files.size());
    std::iota(by_name.begin(), by_name.end(), 0U);
    std::ranges::sort(by_name, {}, [this](uint32_t i) { return directory.files[i].name; });
  }

  std::span<const std::byte> raw(const ZipEntry& entry) const {
    return bytes.subspan(entry.data_offset, entry.compressed_size);
  }

  std::vector<std::byte> inflate(const ZipEntry& entry) const {
    const ZipLimits& limits = options.limits;
    require(entry.size <= limits.max_inflated_entry, ErrorCode::limit_exceeded,
            "zip C9: inflated entry must not exceed the limit in bytes:", origin, quote(entry.name),
            entry.size);
    require(entry.size / limits.max_ratio <= entry.compressed_size, ErrorCode::limit_exceeded,
            "zip C9: compression ratio must not exceed the limit:", origin, quote(entry.name),
            entry.compressed_size, entry.size);
    budget->take(entry.size, origin);
    std::vector<std::byte> data(entry.size);
    require(Inflater().run(raw(entry), data), ErrorCode::corrupt,
            "zip C9: compressed data must inflate to the stated size:", origin, quote(entry.name),
            entry.size);
    return data;
  }
};

ZipReader::ZipReader(std::unique_ptr<State> state) : state_(std::move(state)) {
  state_->load();
  if (state_->options.single_root) require_single_root();
}

ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader& ZipReader::operator=(ZipReader&&) noexcept = default;
ZipReader::~ZipReader() = default;

ZipReader ZipReader::open_file(const std::string& path, const ZipOptions& options) {
  return open(std::make_shared<const MappedFile>(MappedFile::open(path)), options);
}

ZipReader ZipReader::open(std::shared_ptr<const MappedFile> file, const ZipOptions& options) {
  auto state = std::make_unique<State>();
  state->origin = file->path();
  state->bytes = file->bytes();
  state->file = file.get();
  state->owner = std::move(file);
  state->options = options;
  state->budget = std::make_shared<InflationBudget>(options.limits.max_inflated_total);
  return ZipReader(std::move(state));
}

ZipReader ZipReader::open(std::span<const std::byte> bytes, std::string origin,
                          const ZipOptions& options, std::shared_ptr<const void> owner) {
  auto state = std::make_unique<State>();
  state->origin = std::move(origin);
  state->bytes = bytes;
  state->owner = std::move(owner);
  state->options = options;
  state->budget = std::make_shared<InflationBudget>(options.limits.max_inflated_total);
  return ZipReader(std::move(state));
}

ZipReader ZipReader::nested(const ZipEntry& entry) const {
  require(state_->depth < state_->options.limits.max_nesting, ErrorCode::limit_exceeded,
          "zip C12: archives must not nest deeper than the limit:", state_->origin,
          quote(entry.name), state_->options.limits.max_nesting);
  auto state = std::make_unique<State>();
  state->origin = state_->origin + "!" + std::string(entry.name);
  state->options = state_->options;
  state->depth = state_->depth + 1;
  state->budget = state_->budget;
  const ZipContent content = read(entry);
  state->bytes = content.bytes();
  state->owner = content.owner() ? content.owner() : state_->owner;
  state->file = content.owner() ? nullptr : state_->file;
  return ZipReader(std::move(state));
}

std::span<const ZipEntry> ZipReader::entries() const { return state_->directory.files; }

std::string_view ZipReader::root() const { return state_->directory.root; }

void ZipReader::require_single_root() const {
  require(!root().empty(), ErrorCode::corrupt,
          "zip C8: all entries must lie under one top folder:", state_->origin);
}

std::string_view ZipReader::path_of(const ZipEntry& entry) const {
  return root().empty() ? entry.name : entry.name.substr(root().size() + 1);
}

const ZipEntry* ZipReader::find(std::string_view full_name) const {
  const std::vector<ZipEntry>& files = state_->directory.files;
  const auto name_of = [&files](uint32_t i) { return files[i].name; };
  const auto found = std::ranges::lower_bound(state_->by_name, full_name, {}, name_of);
  if (found == state_->by_name.end() || name_of(*found) != full_name) return nullptr;
  return &files[*found];
}

const ZipEntry* ZipReader::find_path(std::string_view path) const {
  if (root().empty()) return find(path);
  return find(std::string(root()) + "/" + std::string(path));
}

std::span<const std::byte> ZipReader::stored_bytes(const ZipEntry& entry) const {
  require(entry.method == ZipMethod::stored, ErrorCode::unsupported,
          "zip C9: entry must not be compressed here (save the program again):", state_->origin,
          quote(entry.name));
  return state_->raw(entry);
}

ZipContent ZipReader::read(const ZipEntry& entry) const {
  if (entry.method == ZipMethod::stored) return ZipContent(state_->raw(entry));
  return ZipContent(state_->inflate(entry));
}

ZipContent ZipReader::read_verified(const ZipEntry& entry) const {
  ZipContent content = read(entry);
  require(checksum_matches(entry, content.bytes()), ErrorCode::corrupt,
          "zip C11: content must match its checksum:", state_->origin, quote(entry.name));
  return content;
}

bool ZipReader::checksum_matches(const ZipEntry& entry, std::span<const std::byte> bytes) {
  uLong crc = 0;
  while (!bytes.empty()) {
    const size_t step = std::min<size_t>(bytes.size(), size_t{1} << 30);
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(step));
    bytes = bytes.subspan(step);
  }
  return static_cast<uint32_t>(crc) == entry.crc;
}

std::shared_ptr<const void> ZipReader::owner() const { return state_->owner; }

const MappedFile* ZipReader::file() const { return state_->file; }

const std::string& ZipReader::origin() const { return state_->origin; }

}  // namespace litz
