// The numbers of the zip format, shared by the reader, the writer and their tests.

#pragma once

#include <cstdint>
#include <string>

namespace litz::zip {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kZip64EndSignature = 0x06064b50;
constexpr uint32_t kZip64LocatorSignature = 0x07064b50;

constexpr uint64_t kLocalHeader = 30;
constexpr uint64_t kCentralHeader = 46;
constexpr uint64_t kEndRecord = 22;
constexpr uint64_t kZip64EndRecord = 56;
constexpr uint64_t kZip64Locator = 20;
constexpr uint64_t kMaxComment = 65535;

/// A 32-bit field of this value means that the zip64 record has the real one.
constexpr uint32_t kSaturated32 = 0xffffffff;
constexpr uint16_t kSaturated16 = 0xffff;

constexpr uint16_t kZip64Extra = 0x0001;
constexpr uint16_t kPaddingExtra = 0x4246;  // "FB", the padding field of PyTorch's writer.

constexpr uint16_t kEncryptedFlag = 1U << 0;
constexpr uint16_t kPatchFlag = 1U << 5;
constexpr uint16_t kStrongEncryptionFlag = 1U << 6;
constexpr uint16_t kUtf8Flag = 1U << 11;
constexpr uint16_t kMaskedHeaderFlag = 1U << 13;

/// Time 0 and date 1980-01-01, so archives do not depend on the time of writing.
constexpr uint32_t kFixedDate = 0x00210000;

inline void append_u16(std::string& out, uint16_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>(value >> 8);
}

inline void append_u32(std::string& out, uint32_t value) {
  append_u16(out, static_cast<uint16_t>(value & 0xffff));
  append_u16(out, static_cast<uint16_t>(value >> 16));
}

inline void append_u64(std::string& out, uint64_t value) {
  append_u32(out, static_cast<uint32_t>(value & 0xffffffff));
  append_u32(out, static_cast<uint32_t>(value >> 32));
}

}  // namespace litz::zip
