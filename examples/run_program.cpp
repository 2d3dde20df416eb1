// Runs an exported program on inputs of zeros and prints the sizes of its outputs.
//
//   run_program model.pt2 2x8

#include <cstdio>
#include <cstdlib>
#include <litz/litz.h>
#include <string>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run_program MODEL.pt2 [SIZES ...], for example 2x8\n");
    return 2;
  }
  litz::Result<litz::Executable> program = litz::load(argv[1]);
  if (!program) {
    std::fprintf(stderr, "%s\n", program.error().message.c_str());
    return 1;
  }
  std::vector<litz::Value> inputs;
  for (int i = 2; i < argc; ++i) {
    std::vector<int64_t> sizes;
    for (const char* next = argv[i]; *next != '\0'; next += *next == 'x' ? 1 : 0) {
      char* end = nullptr;
      sizes.push_back(std::strtol(next, &end, 10));
      if (end == next || (*end != '\0' && *end != 'x')) {
        std::fprintf(stderr, "sizes must be like 2x8, not %s\n", argv[i]);
        return 2;
      }
      next = end;
    }
    inputs.emplace_back(litz::Tensor(litz::DType::float32, sizes));
  }
  litz::Result<std::vector<litz::Value>> outputs = program->run(inputs);
  if (!outputs) {
    std::fprintf(stderr, "%s\n", outputs.error().message.c_str());
    return 1;
  }
  for (const litz::Value& output : *outputs) {
    const auto* tensor = std::get_if<litz::Tensor>(&output);
    if (tensor == nullptr) continue;
    std::string text;
    for (const int64_t size : tensor->sizes())
      text += (text.empty() ? "" : "x") + std::to_string(size);
    std::printf("%s\n", text.c_str());
  }
  return 0;
}
