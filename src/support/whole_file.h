// Files that are written whole or not at all.

#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace litz {

/// Writes a new file, or another content for a regular one. The bytes go to a private file in the same
/// folder, which takes the name once it is whole: readers see the old content or the new one, and of
/// several writers the last wins. Throws Error{io} where that fails, and where the name is that of a
/// link, a device or a pipe. Nothing is left behind then.
void write_whole_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace litz
