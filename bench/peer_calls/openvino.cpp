// openvino MODEL.xml: calls of OpenVINO, one line for each way to call.

#include <openvino/openvino.hpp>

#include "peer_calls.h"

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: openvino MODEL.xml");
  Buffers buffers;
  ov::Core core;
  ov::CompiledModel model = core.compile_model(
      argv[1], "CPU", ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY),
      ov::inference_num_threads(1), ov::hint::inference_precision(ov::element::f32));
  ov::InferRequest request = model.create_infer_request();
  const ov::Tensor input(ov::element::f32, {kRows, kInputColumns}, buffers.input.data());
  const ov::Tensor output(ov::element::f32, {kRows, kOutputColumns}, buffers.output.data());

  const auto read = [&](int) { return request.get_output_tensor().data<const float>(); };
  request.set_input_tensor(input);
  measure(
      "infer, input set once", buffers,
      [&] {
        request.infer();
        return 0;
      },
      read);
  request.set_output_tensor(output);
  measure_in_place("infer, in place, set once", buffers, [&] { request.infer(); });
  measure_in_place("infer, in place, set each time", buffers, [&] {
    request.set_input_tensor(input);
    request.set_output_tensor(output);
    request.infer();
  });
}
