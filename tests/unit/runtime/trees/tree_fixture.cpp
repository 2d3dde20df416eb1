#include "tree_fixture.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "runtime/cpu/host_device.h"
#include "runtime/placement.h"
#include "runtime/program/device_stream.h"
#include "runtime/sim/sim_device.h"
#include "support/check.h"
#include "support/random_keys.h"

namespace litz::runtime::trees {
namespace {

const float* floats(std::byte* bytes) { return reinterpret_cast<const float*>(bytes); }

float* writable(std::byte* bytes) { return reinterpret_cast<float*>(bytes); }

using Combine = float (*)(float, float);

Tensor combined(Work& work, const Tensor& x, const Tensor& y, Combine combine,
                const std::string& label) {
  Tensor result = work.empty(DType::f32, x.sizes());
  const int64_t count = x.numel();
  const int64_t step_x = x.rank() == 1 ? x.strides()[0] : 1;
  const int64_t step_y = y.rank() == 1 ? y.strides()[0] : 1;
  work.call(label, std::array{x, y}, std::array{result},
            [count, step_x, step_y, combine](std::span<std::byte* const> operands) {
              for (int64_t i = 0; i < count; ++i) {
                writable(operands[2])[i] =
                    combine(floats(operands[0])[i * step_x], floats(operands[1])[i * step_y]);
              }
            });
  return result;
}

Tensor combined(Work& work, const Tensor& x, float number, Combine combine,
                const std::string& label) {
  Tensor result = work.empty(DType::f32, x.sizes());
  const int64_t count = x.numel();
  const int64_t step = x.rank() == 1 ? x.strides()[0] : 1;
  work.call(label, std::array{x}, std::array{result},
            [count, step, number, combine](std::span<std::byte* const> operands) {
              for (int64_t i = 0; i < count; ++i) {
                writable(operands[1])[i] = combine(floats(operands[0])[i * step], number);
              }
            });
  return result;
}

float sum(float a, float b) { return a + b; }

float product(float a, float b) { return a * b; }

}  // namespace

std::vector<Setup> all_setups() {
  std::vector<Setup> setups{{"host", false, Tier::fixed},
                            {"sim", true, Tier::fixed},
                            {"host_patched", false, Tier::patched},
                            {"sim_patched", true, Tier::patched}};
  if (std::getenv("LITZ_CUDA_DRIVER") != nullptr) {
    setups.push_back({"card", false, Tier::fixed, true});
    setups.push_back({"card_patched", false, Tier::patched, true});
  }
  return setups;
}

std::string setup_name(const testing::TestParamInfo<Setup>& info) { return info.param.name; }

std::shared_ptr<GraphDevice> make_tested_device(bool is_simulated, int index) {
  std::shared_ptr<GraphDevice> device;
  if (is_simulated) {
    device = std::make_shared<SimDevice>(index);
  } else {
    device = std::make_shared<HostDevice>();
  }
  DeviceModes modes;
  modes.poison = true;
  modes.check_accesses = true;
  modes.order_seed = 1;
  device->set_modes(modes);
  return device;
}

std::shared_ptr<GraphDevice> make_tested_device(const Setup& setup) {
  if (!setup.is_card) return make_tested_device(setup.is_simulated);
  std::shared_ptr<GraphDevice> card = make_device(Device{DeviceKind::cuda, 0}, nullptr);
  DeviceModes modes;
  modes.poison = true;
  card->set_modes(modes);
  return card;
}

Tensor add(Work& work, const Tensor& x, float number) {
  return combined(work, x, number, sum, "add");
}

Tensor mul(Work& work, const Tensor& x, float number) {
  return combined(work, x, number, product, "mul");
}

Tensor add(Work& work, const Tensor& x, const Tensor& y) {
  return combined(work, x, y, sum, "add");
}

Tensor mul(Work& work, const Tensor& x, const Tensor& y) {
  return combined(work, x, y, product, "mul");
}

void add_to(Work& work, const Tensor& x, float number) {
  const int64_t count = x.numel();
  work.call("add_", {}, std::array{x}, [count, number](std::span<std::byte* const> operands) {
    for (int64_t i = 0; i < count; ++i) writable(operands[0])[i] += number;
  });
}

void add_to(Work& work, const Tensor& x, const Tensor& y) {
  const int64_t count = x.numel();
  work.call("add_", std::array{y}, std::array{x}, [count](std::span<std::byte* const> operands) {
    for (int64_t i = 0; i < count; ++i) writable(operands[1])[i] += floats(operands[0])[i];
  });
}

Tensor cat(Work& work, const Tensor& x, const Tensor& y) {
  Tensor result = work.empty(DType::f32, {x.numel() + y.numel()});
  if (x.numel() != 0) work.copy(result.view({x.numel()}, {1}, 0), x);
  if (y.numel() != 0) work.copy(result.view({y.numel()}, {1}, x.numel()), y);
  return result;
}

Tensor random(Work& work, size_t generator, int64_t count) {
  const Tensor state = work.draw(generator, count);
  Tensor result = work.empty(DType::f32, {count});
  work.call("random", std::array{state}, std::array{result},
            [count](std::span<std::byte* const> operands) {
              std::array<int64_t, 2> from{};
              std::memcpy(from.data(), operands[0], sizeof from);
              for (int64_t i = 0; i < count; ++i) {
                const auto key = static_cast<uint64_t>(key_of_call(
                    static_cast<uint64_t>(from[0]), static_cast<uint64_t>(from[1] + i)));
                writable(operands[1])[i] = static_cast<float>(key >> 40);
              }
            });
  return result;
}

Tensor first_half(const Tensor& x) { return x.view({x.sizes()[0] / 2}, x.strides(), x.offset()); }

void TreeTest::TearDown() {
  if (context_ == nullptr) return;
  context_->shut_down();
  EXPECT_EQ(context_->live_storages(), 0) << "the test must drop its tensors before it ends";
}

void TreeTest::start(ContextOptions options) {
  context_.reset();
  device_ = make_tested_device(GetParam());
  messages_.clear();
  options.on_message = [this](const std::string& text) { messages_.push_back(text); };
  options.segment_bytes = size_t{1} << 20;
  context_ = std::make_unique<Context>(device_, std::move(options));
}

Tensor TreeTest::tensor(const std::vector<float>& values) {
  const auto count = static_cast<int64_t>(values.size());
  const Tensor host = Tensor::of<float>(DType::f32, {count}, values);
  return copied(host, {}, {*device_, {}});
}

std::vector<float> TreeTest::values(const Tensor& tensor) {
  const Tensor host = on_host(tensor, {*device_, {}}).contiguous();
  const auto* const data = reinterpret_cast<const float*>(host.data());
  return {data, data + host.numel()};
}

FunctionId TreeTest::add_function(Function function) {
  function.tier = GetParam().tier;
  return context_->add(std::move(function));
}

FunctionId TreeTest::function(std::string name, OneBody body, Function more) {
  more.name = std::move(name);
  more.body = [body = std::move(body)](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    return {body(work, x)};
  };
  return add_function(std::move(more));
}

std::vector<Tensor> TreeTest::call_all(FunctionId function, std::vector<Argument> inputs) {
  std::vector<Tensor> tensors;
  for (const Value& value : context_->call(function, std::move(inputs))) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    tensors.push_back(tensor != nullptr ? *tensor : Tensor());
  }
  return tensors;
}

Tensor TreeTest::call(FunctionId function, Tensor x) {
  std::vector<Argument> inputs;
  inputs.emplace_back(std::move(x));
  return call_all(function, std::move(inputs)).at(0);
}

int64_t TreeTest::messages(const std::string& text) const {
  return std::ranges::count_if(messages_, [&](const std::string& message) {
    return message.find(text) != std::string::npos;
  });
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace litz::runtime::trees
