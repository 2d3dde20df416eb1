// Runs an exported program on inputs of zeros and prints the sizes of its outputs:
//   run_program model.pt2 2x8
#include <cstdio>
#include <cstdlib>
#include <litz/litz.h>
#include <sstream>

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 1; }

int main(int argc, char** argv) {
  if (argc < 2) return fail("usage: run_program MODEL.pt2 [SIZES ...], for example 2x8");
  litz::Result<litz::Executable> program = litz::load(argv[1]);
  if (!program) return fail(program.error().message);
  std::vector<litz::Value> inputs;
  for (int i = 2; i < argc; ++i) {
    std::vector<int64_t> sizes;
    std::istringstream text(argv[i]);
    for (std::string size; std::getline(text, size, 'x');)
      sizes.push_back(std::atoll(size.c_str()));
    inputs.emplace_back(litz::Tensor(litz::DType::float32, sizes));
  }
  litz::Result<std::vector<litz::Value>> outputs = program->run(inputs);
  if (!outputs) return fail(outputs.error().message);
  for (const litz::Value& output : *outputs) {
    const auto* tensor = std::get_if<litz::Tensor>(&output);
    if (tensor == nullptr) continue;  // A number.
    for (const int64_t size : tensor->sizes()) std::printf("%lld ", static_cast<long long>(size));
    std::printf("\n");
  }
}
