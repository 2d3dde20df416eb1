// Gradients of collectives: the gradient of what was gathered is scattered, and the other way round.
// As in PyTorch, only the operators that are meant for it have them.

#include <array>
#include <string>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

Term awaited(std::string_view name, std::vector<ir::Argument> arguments) {
  const Term started = call_op("_c10d_functional." + std::string(name), std::move(arguments))[0];
  return call_op("_c10d_functional.wait_tensor", {started})[0];
}

void all_gather(GradientCall& call) {
  call.give("input",
            awaited("reduce_scatter_tensor", {call.grad(), std::string("sum"),
                                              call.pass("group_size"), call.pass("group_name")}));
}

void reduce_scatter(GradientCall& call) {
  Term grad = call.grad();
  if (call.str("reduce_op") == "avg") grad = grad / Term(call.expr("group_size"));
  call.give("input", awaited("all_gather_into_tensor",
                             {grad, call.pass("group_size"), call.pass("group_name")}));
}

void all_to_all(GradientCall& call) {
  call.give("input", awaited("all_to_all_single",
                             {call.grad(), call.pass("input_split_sizes"),
                              call.pass("output_split_sizes"), call.pass("group_name")}));
}

void wait(GradientCall& call) { call.give("tensor", call.grad()); }

constexpr std::array kGradients{
    Gradient{"_c10d_functional.wait_tensor", wait},
    Gradient{"_c10d_functional_autograd.all_gather_into_tensor", all_gather},
    Gradient{"_c10d_functional_autograd.all_to_all_single", all_to_all},
    Gradient{"_c10d_functional_autograd.reduce_scatter_tensor", reduce_scatter},
};

}  // namespace

std::span<const Gradient> collective_gradients() { return kGradients; }

}  // namespace litz::ops
