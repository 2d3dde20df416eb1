// litz MODEL.pt2: calls of Litz, one line for each way to call.

#include "litz/litz.h"

#include <utility>
#include <variant>
#include <vector>

#include "peer_calls.h"

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: litz MODEL.pt2");
  Buffers buffers;
  const auto over = [](auto& elements, int64_t columns) {
    return litz::Tensor::over(litz::DType::float32, {kRows, columns}, elements.data());
  };
  litz::Options options;
  options.threads = 1;
  litz::Executable program = litz::load(argv[1], options).value();
  std::vector<litz::Value> inputs;
  inputs.emplace_back(over(buffers.input, kInputColumns));
  std::vector<litz::Tensor> outputs;
  outputs.push_back(over(buffers.output, kOutputColumns));

  measure_in_place("run_into, in place", buffers,
                   [&] { program.run_into(inputs, outputs).value(); });
  litz::Session session = program.session().value();
  measure_in_place("Session::run_into, in place", buffers,
                   [&] { session.run_into(inputs, outputs).value(); });
  measure(
      "run", buffers, [&] { return program.run(inputs).value(); },
      [](const auto& results) {
        return std::get<litz::Tensor>(results[0]).template as<float>().data();
      });
}
