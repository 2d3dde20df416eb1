// Any bytes either are a compiled program's file, or a graph's, or are refused with an Error; one that is
// read can be written again and says the same. What follows the checksum is also tried by itself, since
// few inputs get past it.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "artifact/graph_file.h"
#include "artifact/program_file.h"
#include "support/check.h"

namespace {

using namespace litz::artifact;

constexpr const char* kBuild = "fuzz";

void read_program(std::span<const std::byte> bytes) {
  const Program program = read_program_file(bytes, nullptr, kBuild);
  const std::vector<std::byte> again = write_program_file(program, *program.symbols, kBuild);
  const Program read = read_program_file(again, nullptr, kBuild);
  if (to_string(read) != to_string(program)) std::abort();
}

void read_graph(std::span<const std::byte> bytes) {
  const GraphFile file = read_graph_file(bytes, nullptr);
  const GraphFile read = read_graph_file(write_graph_file(file), nullptr);
  if (read.graph != file.graph || read.tensors.size() != file.tensors.size()) std::abort();
}

void read_or_refuse(void (*read)(std::span<const std::byte>), std::span<const std::byte> bytes) {
  try {
    read(bytes);
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
}

/// The content of a program's file by the build that reads it.
std::vector<std::byte> of_this_build(std::span<const std::byte> bytes) {
  ByteWriter body;
  body.text(kBuild);
  body.bytes(bytes);
  ByteWriter content;
  content.block(body.take());
  return frame_content(kProgramFile, content.take());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  read_or_refuse(read_program, bytes);
  read_or_refuse(read_program, of_this_build(bytes));
  read_or_refuse(read_graph, bytes);
  read_or_refuse(read_graph, frame_content(kGraphFile, bytes));
  return 0;
}
