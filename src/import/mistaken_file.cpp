#include "import/mistaken_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "support/check.h"

namespace litz::import_ {
namespace {

constexpr const char* kHowToExport =
    "export the model with torch.export.export(model, args) and write it with "
    "torch.export.save(program, \"model.pt2\")";

std::string_view head_of(std::span<const std::byte> bytes, size_t count) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), count)};
}

// The first bytes of a pickle written by torch.save before it used zip archives.
constexpr std::array<uint8_t, 14> kLegacySave = {0x80, 0x02, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C,
                                                 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19};

bool is_legacy_save(std::string_view head) {
  return head.size() >= kLegacySave.size() &&
         std::memcmp(head.data(), kLegacySave.data(), kLegacySave.size()) == 0;
}

// safetensors: an 8-byte little-endian length, then a JSON object of that length.
bool is_safetensors(std::span<const std::byte> bytes) {
  if (bytes.size() < 10) return false;
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | std::to_integer<uint64_t>(bytes[i]);
  return length >= 2 && length <= bytes.size() - 8 && std::to_integer<char>(bytes[8]) == '{';
}

constexpr const char* kHowToUnpack = "unpack it and give the .pt2 file that it holds";

// What some bytes at an offset say about a file.
struct Magic {
  size_t offset;
  std::string_view bytes;
  const char* what;
  const char* advice = kHowToExport;
};

constexpr Magic kMagics[] = {
    {0, "\x93NUMPY", "is a NumPy array: it can be an input, not a program"},
    {0, "\177ELF", "is a compiled library or program"},
    {0, "GGUF", "is a GGUF file: it holds weights but no program"},
    {0, "\x89HDF\r\n\x1A\n", "is an HDF5 file, as Keras writes models and weights"},
    {0, "\x1F\x8B", "is compressed with gzip", kHowToUnpack},
    {0, "litzprog", "is a compiled program, which holds machine code and no graph",
     "litz run, bench, info and print take it, and litz::load_compiled; elsewhere give the .pt2 "
     "file "
     "that it was made from"},
    {0, "litzgrph", "is a graph that litz partition wrote",
     "litz run, bench, info, print, partition, explain and compile take it"},
    {257, "ustar", "is a tar archive", kHowToUnpack},
};

bool matches(std::string_view head, const Magic& magic) {
  return head.size() > magic.offset && head.substr(magic.offset).starts_with(magic.bytes);
}

// ONNX: a protobuf whose first field is ir_version (a small varint), followed by strings or
// messages of other fields of the model.
bool is_onnx(std::string_view head) {
  return head.size() >= 4 && head[0] == 0x08 && head[1] >= 1 && head[1] <= 30 &&
         (head[2] == 0x12 || head[2] == 0x1A || head[2] == 0x3A || head[2] == 0x42);
}

bool is_text(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t';
  });
}

bool ends_with_any(const ZipReader& zip, std::string_view suffix) {
  return std::ranges::any_of(zip.entries(),
                             [&](const ZipEntry& entry) { return entry.name.ends_with(suffix); });
}

bool any_in_folder(const ZipReader& zip, std::string_view folder) {
  return std::ranges::any_of(zip.entries(), [&](const ZipEntry& entry) {
    const std::string inner = "/" + std::string(folder);
    return entry.name.starts_with(folder) || entry.name.find(inner) != std::string_view::npos;
  });
}

[[noreturn]] void refuse(ErrorCode code, const std::string& origin, std::string_view what,
                         std::string_view advice) {
  throw Error(code, "a .pt2 archive is expected: " + origin + " " + std::string(what) + "; " +
                        std::string(advice));
}

}  // namespace

void refuse_other_formats(std::span<const std::byte> bytes, const std::string& origin) {
  const std::string_view head = head_of(bytes, 512);
  if (bytes.empty()) {
    refuse(ErrorCode::corrupt, origin, "is empty", "the download or the save may have failed");
  }
  if (head.starts_with(std::string_view("PK\3\4", 4)) ||
      head.starts_with(std::string_view("PK\5\6", 4))) {
    return;
  }
  if (is_legacy_save(head)) {
    refuse(ErrorCode::unsupported, origin,
           "is in the legacy torch.save format (a pickled module or state dict)", kHowToExport);
  }
  if (head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) {
    refuse(ErrorCode::unsupported, origin, "is a Python pickle, which is never executed",
           kHowToExport);
  }
  if (is_safetensors(bytes)) {
    refuse(ErrorCode::unsupported, origin, "is a safetensors file: it holds weights but no program",
           kHowToExport);
  }
  for (const Magic& magic : kMagics) {
    if (!matches(head, magic)) continue;
    refuse(ErrorCode::unsupported, origin, magic.what, magic.advice);
  }
  if (is_onnx(head)) {
    refuse(ErrorCode::unsupported, origin, "looks like an ONNX model", kHowToExport);
  }
  if (is_text(head)) {
    refuse(ErrorCode::unsupported, origin, "is a text file", kHowToExport);
  }
  refuse(ErrorCode::corrupt, origin, "is not a zip archive", kHowToExport);
}

void refuse_other_archive(const ZipReader& zip) {
  const std::string& origin = zip.origin();
  if (ends_with_any(zip, "constants.pkl") || any_in_folder(zip, "code/")) {
    refuse(ErrorCode::unsupported, origin, "is a TorchScript archive", kHowToExport);
  }
  if (any_in_folder(zip, "data/aotinductor/")) {
    refuse(ErrorCode::unsupported, origin, "is a compiled package (AOTInductor) without a graph",
           kHowToExport);
  }
  if (ends_with_any(zip, "data.pkl")) {
    refuse(ErrorCode::unsupported, origin,
           "was written by torch.save: it holds a state dict or a pickled module, not a program",
           kHowToExport);
  }
  if (ends_with_any(zip, ".npy")) {
    refuse(ErrorCode::unsupported, origin, "is an .npz file: it can hold inputs, not a program",
           kHowToExport);
  }
  if (zip.find_path("archive_format") != nullptr) {
    refuse(ErrorCode::corrupt, origin,
           "has no program (models/*.json is missing): the export that wrote it failed",
           "export again and look for an error of torch.export.save");
  }
  refuse(ErrorCode::unsupported, origin, "is a zip archive of something else", kHowToExport);
}

}  // namespace litz::import_
