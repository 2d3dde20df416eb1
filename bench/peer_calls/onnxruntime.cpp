// onnxruntime MODEL.onnx: calls of ONNX Runtime, one line for each way to call.

#include <memory>
#include <onnxruntime_c_api.h>

#include "peer_calls.h"

namespace {

const OrtApi* const api = OrtGetApiBase()->GetApi(ORT_API_VERSION);

void check(OrtStatus* status) {
  if (status != nullptr) fail(api->GetErrorMessage(status));
}

template <size_t kElements>
OrtValue* tensor_over(std::array<float, kElements>& elements, int64_t columns) {
  OrtMemoryInfo* memory = nullptr;
  check(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  const std::array<int64_t, 2> sizes = {kRows, columns};
  OrtValue* value = nullptr;
  check(api->CreateTensorWithDataAsOrtValue(memory, elements.data(), sizeof(elements), sizes.data(),
                                            sizes.size(), ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                            &value));
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: onnxruntime MODEL.onnx");
  if (api == nullptr) fail("this library does not serve the headers' version of the API");
  Buffers buffers;
  OrtEnv* environment = nullptr;
  check(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "peer_calls", &environment));
  OrtSessionOptions* options = nullptr;
  check(api->CreateSessionOptions(&options));
  check(api->SetIntraOpNumThreads(options, 1));
  check(api->SetInterOpNumThreads(options, 1));
  OrtSession* session = nullptr;
  check(api->CreateSession(environment, argv[1], options, &session));

  const OrtValue* const input = tensor_over(buffers.input, kInputColumns);
  OrtValue* output = tensor_over(buffers.output, kOutputColumns);
  const char* const input_name = "x";
  const char* const output_name = "y";
  measure_in_place("Run, in place", buffers, [&] {
    check(api->Run(session, nullptr, &input_name, &input, 1, &output_name, 1, &output));
  });

  OrtIoBinding* binding = nullptr;
  check(api->CreateIoBinding(session, &binding));
  check(api->BindInput(binding, input_name, input));
  check(api->BindOutput(binding, output_name, output));
  measure_in_place("RunWithBinding, in place, bound once", buffers,
                   [&] { check(api->RunWithBinding(session, nullptr, binding)); });

  const auto release = [](OrtValue* value) { api->ReleaseValue(value); };
  measure(
      "Run", buffers,
      [&] {
        OrtValue* result = nullptr;
        check(api->Run(session, nullptr, &input_name, &input, 1, &output_name, 1, &result));
        return std::unique_ptr<OrtValue, decltype(release)>(result, release);
      },
      [](const auto& result) {
        void* values = nullptr;
        check(api->GetTensorMutableData(result.get(), &values));
        return static_cast<const float*>(values);
      });
}
