// Any bytes either are a compiled program's file or are refused with an Error; one that is read can
// be written again and says the same. What follows the checksum is also tried by itself, since few
// inputs get past it.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "artifact/program_file.h"
#include "support/check.h"

namespace {

using litz::artifact::ProgramFile;

void read_or_refuse(std::span<const std::byte> bytes) {
  try {
    const ProgramFile file = litz::artifact::read_program_file(bytes, nullptr);
    const std::vector<std::byte> again = litz::artifact::write_program_file(file);
    const ProgramFile read = litz::artifact::read_program_file(again, nullptr);
    if (read.graph != file.graph || read.tensors.size() != file.tensors.size() ||
        read.kernels.size() != file.kernels.size()) {
      std::abort();
    }
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  read_or_refuse(bytes);
  read_or_refuse(litz::artifact::frame_program(litz::artifact::FileKind::compiled, bytes));
  return 0;
}
