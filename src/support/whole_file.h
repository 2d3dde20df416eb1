// Writes files completely or not at all.

#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace litz {

/// Writes a new file, or new contents of a regular one. The bytes go to a private file in the same
/// folder, which is renamed once it is complete: readers see the old contents or the new ones, and
/// the last of several writers wins. Throws Error{io} on failure, and if the name is that of a
/// link, a device or a pipe. No file is left behind then.
void write_whole_file(const std::string& path, std::span<const std::byte> bytes);
/// The same for bytes in several parts.
void write_whole_parts(const std::string& path, std::span<const std::span<const std::byte>> parts);

/// Writes all bytes to an open file; false if the system refuses, with the reason in errno.
bool write_all(int descriptor, std::span<const std::byte> bytes);

}  // namespace litz
