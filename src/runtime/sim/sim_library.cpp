#include "runtime/sim/sim_library.h"

#include <vector>

#include "runtime/program/device_stream.h"

namespace litz::runtime {
namespace {

kernels::LibraryArgument seen(const SimDevice& device, kernels::LibraryArgument argument) {
  if (auto* const tensor = std::get_if<Tensor>(&argument)) {
    *tensor = device.seen(*tensor);
  } else if (auto* const tensors = std::get_if<std::vector<Tensor>>(&argument)) {
    for (Tensor& each : *tensors) each = device.seen(each);
  }
  return argument;
}

}  // namespace

void SimLibrary::run(std::string_view function, std::span<const kernels::LibraryArgument> arguments,
                     std::span<Tensor> results, StreamId stream) {
  device_.synchronize(stream);
  std::vector<Tensor> made(results.size());
  device_.run_alone([&] {
    std::vector<kernels::LibraryArgument> own;
    own.reserve(arguments.size());
    for (const kernels::LibraryArgument& argument : arguments)
      own.push_back(seen(device_, argument));
    std::vector<Tensor> filled;
    for (const Tensor& result : results) filled.push_back(device_.seen(result));
    const std::vector<Tensor> given = filled;
    functions_->run(function, own, filled, StreamId{});
    for (size_t i = 0; i < results.size(); ++i) {
      const bool is_given = given[i].defined() && filled[i].storage() == given[i].storage();
      if (!is_given && filled[i].defined()) made[i] = filled[i].clone(filled[i].strides());
    }
  });
  for (size_t i = 0; i < results.size(); ++i) {
    if (made[i].defined()) results[i] = copied(made[i], made[i].strides(), {device_, stream});
  }
}

}  // namespace litz::runtime
