// aotinductor MODEL.pt2: calls of a package of AOTInductor, one line for each way to call.

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <vector>

#include "peer_calls.h"

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: aotinductor MODEL.pt2");
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  Buffers buffers;
  const std::vector<at::Tensor> inputs = {
      at::from_blob(buffers.input.data(), {kRows, kInputColumns}, at::kFloat)};
  at::Tensor output = at::from_blob(buffers.output.data(), {kRows, kOutputColumns}, at::kFloat);

  const auto read = [](const std::vector<at::Tensor>& results) {
    return results[0].const_data_ptr<float>();
  };
  torch::inductor::AOTIModelPackageLoader loader(argv[1]);
  measure(
      "run", buffers, [&] { return loader.run(inputs); }, read);
  measure_in_place("run, copied to the caller's memory", buffers,
                   [&] { output.copy_(loader.run(inputs)[0]); });
  torch::inductor::AOTIModelPackageLoader single(argv[1], "model", /*run_single_threaded=*/true);
  measure(
      "run, one caller at a time", buffers, [&] { return single.run(inputs); }, read);
}
