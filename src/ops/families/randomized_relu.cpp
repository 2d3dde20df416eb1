// Leaky relu whose slope is drawn for every negative element in training, and otherwise is the
// middle of the range.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

struct Slopes {
  ir::Value result;
  ir::Value noise;
};

Slopes apply(DecomposeCall& call, ir::Value noise) {
  const ir::Value self = call["self"];
  const double lower = call.real("lower");
  const double upper = call.real("upper");
  if (!call.flag("training")) {
    const Expr middle = Expr::real((lower + upper) / 2);
    return {call.aten("leaky_relu", {self, middle}), noise};
  }
  const ir::Value drawn = call.aten("uniform", {self, Expr::real(lower), Expr::real(upper)});
  const ir::Value negative = call.aten("le.Scalar", {self, Expr(0)});
  const ir::Value slopes = call.aten("where.ScalarOther", {negative, drawn, Expr::real(1)});
  return {call.aten("mul.Tensor", {self, slopes}), slopes};
}

void require_bounds(const Call& call) {
  require(call.real("lower") <= call.real("upper"),
          "the slopes of rrelu need lower <= upper:", call.real("lower"), call.real("upper"));
}

TensorType rrelu_meta(const Call& call) {
  require_bounds(call);
  return meta::floating_only(call);
}

std::vector<ir::Value> rrelu_nodes(DecomposeCall& call) { return {apply(call, {}).result}; }

TensorType noisy_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& noise = call.type("noise");
  const char* const shape = "rrelu_with_noise C1: the noise has the shape of self:";
  require(noise.rank() == self.rank(), shape, noise, self);
  for (size_t d = 0; d < self.rank(); ++d) {
    call.require_sizes(eq(noise.sizes[d], self.sizes[d]), shape, noise, self);
  }
  require(!call.flag("training") || noise.dtype == self.dtype,
          "rrelu_with_noise C2: the noise that is drawn has the dtype of self:", noise, self);
  // Bounds only apply to draws.
  return call.flag("training") ? rrelu_meta(call) : meta::floating_only(call);
}

Types with_noise_meta(const Call& call) { return {noisy_meta(call), call.type("noise")}; }

TensorType in_place_meta(const Call& call) {
  noisy_meta(call);
  return call.type("self");
}

std::vector<ir::Value> with_noise_nodes(DecomposeCall& call) {
  const Slopes slopes = apply(call, call["noise"]);
  return {slopes.result, call.to(slopes.noise, call.result(1).dtype)};
}

constexpr std::string_view kCalls[] = {"(f32[2, 3])", "(f32[2, 3], 0.1, 0.3, True)"};
constexpr std::string_view kNoiseCalls[] = {"(f32[2, 3], f32[2, 3])",
                                            "(f32[2, 3], f32[2, 3], 0.1, 0.3, True)"};

constexpr std::array kOps{
    OpDef{.schema = "aten.rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, "
                    "bool training=False, Generator? generator=None) -> Tensor",
          .doc = "leaky_relu with slopes drawn from [lower, upper) while training.",
          .meta = rrelu_meta,
          .impl = Decompose{rrelu_nodes},
          .traits = ir::Trait::random,
          .inplace = true,
          .samples = {.calls = kCalls}},
    OpDef{.schema = "aten.rrelu_with_noise(Tensor self, Tensor(b!) noise, Scalar lower=0.125, "
                    "Scalar upper=0.3333333333333333, bool training=False, Generator? "
                    "generator=None) -> Tensor",
          .doc = "rrelu; the slopes that are drawn replace the noise.\n"
                 "C1: the noise has the shape of self, C2: and while training its dtype.",
          .meta = noisy_meta,
          .impl = Structural{},
          .traits = ir::Trait::random},
    OpDef{.schema = "aten.rrelu_with_noise_(Tensor(a!) self, Tensor(b!) noise, Scalar lower=0.125, "
                    "Scalar upper=0.3333333333333333, bool training=False, Generator? "
                    "generator=None) -> Tensor(a!)",
          .doc = "rrelu in place; the slopes that are drawn replace the noise.\n"
                 "C1: the noise has the shape of self, C2: and while training its dtype.",
          .meta = in_place_meta,
          .impl = Structural{},
          .traits = ir::Trait::random,
          .stands_for = "aten.rrelu_with_noise_functional"},
    OpDef{.schema = "aten.rrelu_with_noise_functional(Tensor self, Tensor noise, "
                    "Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, "
                    "Generator? generator=None) -> (Tensor, Tensor noise_out)",
          .doc = "rrelu, and the slopes it used.\n"
                 "C1: the noise has the shape of self, C2: and while training its dtype.",
          .meta = with_noise_meta,
          .impl = Decompose{with_noise_nodes},
          .traits = ir::Trait::random,
          .samples = {.calls = kNoiseCalls}},
};

}  // namespace

std::span<const OpDef> randomized_relu_ops() { return kOps; }

}  // namespace litz::ops
