#include "runtime/cuda/card_call.h"

#include <numeric>

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "kernels/library.h"
#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::LibraryLaunch;
using artifact::TensorSlot;

Tensor counted(DType dtype, std::vector<int64_t> sizes) {
  Tensor tensor = Tensor::empty(DType::f32, std::move(sizes));
  auto* const values = reinterpret_cast<float*>(tensor.mutable_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) values[i] = static_cast<float>(i % 7) - 3;
  return tensor.to(dtype);
}

TensorType type_of(const Tensor& tensor) {
  TensorType type = contiguous_type(tensor.dtype(), {});
  type.sizes.clear();
  type.strides.clear();
  for (const int64_t size : tensor.sizes()) type.sizes.emplace_back(size);
  for (const int64_t stride : tensor.strides()) type.strides.emplace_back(stride);
  return type;
}

class CardCallTest : public CudaTest {
 protected:
  /// Runs a function as a node of a graph, twice at other addresses, and compares it with the
  /// host's. Arguments that are tensors become buffers.
  void compare(const char* function, const std::vector<kernels::LibraryArgument>& arguments,
               const Tensor& result) {
    LibraryLaunch launch{.function = function};
    std::vector<Tensor> tensors;
    const auto slot_of = [&](const Tensor& tensor) {
      tensors.push_back(tensor);
      return TensorSlot{{static_cast<int32_t>(tensors.size()) - 1, 0}, type_of(tensor)};
    };
    for (const kernels::LibraryArgument& argument : arguments) {
      if (const auto* const tensor = std::get_if<Tensor>(&argument)) {
        launch.arguments.emplace_back(slot_of(*tensor));
      } else if (const auto* const flag = std::get_if<bool>(&argument)) {
        launch.arguments.emplace_back(Expr::boolean(*flag));
      } else if (const auto* const number = std::get_if<int64_t>(&argument)) {
        launch.arguments.emplace_back(Expr(*number));
      } else if (const auto* const numbers = std::get_if<std::vector<int64_t>>(&argument)) {
        launch.arguments.emplace_back(std::vector<Expr>(numbers->begin(), numbers->end()));
      } else {
        launch.arguments.emplace_back();
      }
    }
    launch.results.push_back(slot_of(result));
    SizeTable sizes{Bindings()};
    const std::unique_ptr<CardCall> call = CardCall::make(*device_, launch, sizes);
    ASSERT_NE(call, nullptr) << function;

    Tensor expected = result.clone(result.strides());
    kernels::LibraryCall host{function, arguments, std::span(&expected, 1)};
    kernels::find_library_function(function)(host);

    const DeviceStream where{*device_, {}};
    const auto builder = device_->begin();
    std::vector<Ref> pointers;
    for (const artifact::Slot& slot : call->operands()) {
      const bool is_absent = slot.storage == artifact::kNoStorage;
      pointers.push_back(is_absent ? Ref::fixed(nullptr) : Ref{slot.storage, 0});
    }
    builder->call({}, {call.get(), pointers, {}, {}});
    const std::vector<Binding> nowhere(tensors.size(), Binding{nullptr, 0});
    const auto exec = device_->instantiate(*builder, nowhere);
    for (int time = 0; time < 2; ++time) {
      std::vector<Tensor> there;
      std::vector<Patch> patches;
      for (size_t i = 0; i < tensors.size(); ++i) {
        there.push_back(copied(tensors[i], tensors[i].strides(), where));
        patches.emplace_back(BindBuffer{static_cast<BufferId>(i), binding(there.back().storage())});
      }
      exec->patch(patches);
      exec->launch({});
      const Tensor made = on_host(there.back(), where).to(DType::f32);
      const Tensor wanted = expected.to(DType::f32);
      for (int64_t i = 0; i < made.numel(); ++i) {
        ASSERT_EQ(reinterpret_cast<const float*>(made.data())[i],
                  reinterpret_cast<const float*>(wanted.data())[i])
            << function << " at " << i;
      }
      launched_.insert(launched_.end(), there.begin(), there.end());  // Other addresses next time.
    }
  }

  void TearDown() override {
    launched_.clear();
    CudaTest::TearDown();
  }

  std::vector<Tensor> launched_;
};

TEST_F(CardCallTest, Products) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    compare("matmul", {counted(dtype, {3, 5}), counted(dtype, {5, 4})},
            Tensor::zeros(dtype, {3, 4}));
  }
  const Tensor turned = counted(DType::f32, {4, 5}).view({5, 4}, {1, 5}, 0);
  compare("matmul", {counted(DType::f32, {3, 5}), turned}, Tensor::zeros(DType::f32, {3, 4}));
  compare("matmul", {counted(DType::f32, {2, 3, 5}), counted(DType::f32, {2, 5, 4})},
          Tensor::zeros(DType::f32, {2, 3, 4}));
  compare("matmul", {counted(DType::f32, {2, 3, 5}), counted(DType::f32, {5, 4})},
          Tensor::zeros(DType::f32, {2, 3, 4}));
}

TEST_F(CardCallTest, LinearLayers) {
  compare("linear", {counted(DType::f32, {2, 3, 5}), counted(DType::f32, {4, 5}), {}},
          Tensor::zeros(DType::f32, {2, 3, 4}));
  for (const DType dtype : {DType::f32, DType::bf16}) {
    compare("linear", {counted(dtype, {3, 5}), counted(dtype, {4, 5}), counted(dtype, {4})},
            Tensor::zeros(dtype, {3, 4}));
  }
}

TEST_F(CardCallTest, Convolutions) {
  using Ints = std::vector<int64_t>;
  const auto convolve = [&](const Tensor& input, const Tensor& weight, const Tensor& bias,
                            const Ints& stride, const Ints& padding, bool is_transposed,
                            int64_t groups, Ints result) {
    const Ints ones(stride.size(), 1);
    const Ints zeros(stride.size(), 0);
    const kernels::LibraryArgument added =
        bias.defined() ? kernels::LibraryArgument(bias) : kernels::LibraryArgument();
    compare("convolution",
            {input, weight, added, stride, padding, ones, is_transposed, zeros, groups},
            Tensor::zeros(input.dtype(), std::move(result)));
  };
  const Tensor image = counted(DType::f32, {2, 4, 6, 5});
  convolve(image, counted(DType::f32, {3, 4, 3, 3}), {}, {1, 1}, {1, 1}, false, 1, {2, 3, 6, 5});
  convolve(image, counted(DType::f32, {6, 2, 3, 2}), counted(DType::f32, {6}), {2, 1}, {0, 1},
           false, 2, {2, 6, 2, 6});
  convolve(image, counted(DType::f32, {4, 3, 3, 3}), counted(DType::f32, {3}), {2, 2}, {1, 1}, true,
           1, {2, 3, 11, 9});
  convolve(counted(DType::f32, {2, 4, 9}), counted(DType::f32, {3, 4, 3}), {}, {2}, {0}, false, 1,
           {2, 3, 4});
}

// The host makes calls that the card's libraries do not take.
TEST_F(CardCallTest, OtherCallsAreTheHosts) {
  SizeTable sizes{Bindings()};
  const TensorType whole = contiguous_type(DType::i64, {2, 2});
  const LibraryLaunch integers{.function = "matmul",
                               .arguments = {TensorSlot{{0, 0}, whole}, TensorSlot{{1, 0}, whole}},
                               .results = {{{2, 0}, whole}}};
  EXPECT_EQ(CardCall::make(*device_, integers, sizes), nullptr);
  LibraryLaunch other = integers;
  other.function = "linalg_qr";
  EXPECT_EQ(CardCall::make(*device_, other, sizes), nullptr);
}

}  // namespace
}  // namespace litz::runtime
