// Any bytes either open as an archive or are refused with an Error; every entry of what opens can
// be read or is refused, and lies inside the input.

#include <cstdint>
#include <cstdlib>
#include <span>

#include "support/archive_markers.h"
#include "support/check.h"
#include "support/zip_reader.h"

namespace {

// Runs `action`; an Error is a legal answer, a broken invariant is a find.
template <typename Action>
void refuse_or(const Action& action) {
  try {
    action();
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
}

void read_all(const litz::ZipReader& reader) {
  for (const litz::ZipEntry& entry : reader.entries()) {
    if (reader.find(entry.name) != &entry) std::abort();
    refuse_or([&] {
      const litz::ZipContent content = reader.read_verified(entry);
      unsigned sum = 0;
      for (const std::byte b : content.bytes()) sum += static_cast<unsigned>(b);
      volatile unsigned sink = sum;  // Keeps the loop that touches every byte.
      static_cast<void>(sink);
    });
    refuse_or([&] { read_all(reader.nested(entry)); });
  }
  refuse_or([&] { litz::read_archive_markers(reader); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  litz::ZipOptions options;
  options.single_root = size % 2 == 0;
  options.limits.max_inflated_entry = 1 << 20;
  options.limits.max_inflated_total = 4 << 20;
  refuse_or([&] {
    read_all(litz::ZipReader::open(std::as_bytes(std::span(data, size)), "fuzz", options));
  });
  return 0;
}
