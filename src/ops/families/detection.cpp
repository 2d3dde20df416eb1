// Operators of object detectors between networks: suppression of overlapping boxes, and pooling
// over regions of images. Boxes on images are rows of (image, left, top, right, bottom).

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

TensorType nms_meta(const Call& call) {
  const TensorType& boxes = call.type("dets");
  const TensorType& scores = call.type("scores");
  require(boxes.rank() == 2 && !known_not_equal(boxes.sizes[1], Expr(4)) && scores.rank() == 1 &&
              !known_not_equal(boxes.sizes[0], scores.sizes[0]),
          "nms C1: boxes are rows of four, each with a score:", boxes, scores);
  require(boxes.dtype == scores.dtype && (boxes.dtype == DType::f32 || boxes.dtype == DType::f64),
          "nms C2: boxes and scores are both f32 or both f64:", boxes, scores);
  return contiguous_type(DType::i64, {call.data_dependent(0, {0, Interval::kMax})}, boxes.device);
}

void require_regions(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& boxes = call.type("rois");
  require(input.rank() == 4 && boxes.rank() == 2 && !known_not_equal(boxes.sizes[1], Expr(5)),
          "regions C1: pooling takes images and rows of (image, left, top, right, bottom):",
          call.op().name(), input, boxes);
  require(input.dtype == boxes.dtype && is_floating(input.dtype) && input.dtype != DType::bf16 &&
              item_size(input.dtype) > 1,
          "regions C2: images and boxes have one dtype, f16, f32 or f64:", call.op().name(), input,
          boxes);
}

TensorType region_type(const Call& call, Expr channels) {
  require_regions(call);
  const TensorType& input = call.type("input");
  const Expr rows = call.expr("pooled_height");
  const Expr columns = call.expr("pooled_width");
  call.require_sizes(logical_and(le(0, rows), le(0, columns)),
                     "regions C3: a box has no negative number of bins:", rows, columns);
  return contiguous_type(input.dtype, {call.type("rois").sizes[0], channels, rows, columns},
                         input.device);
}

TensorType roi_align_meta(const Call& call) {
  require_regions(call);
  return region_type(call, call.type("input").sizes[1]);
}

// The second result has an index or a channel for each element.
Types with_places(TensorType values) {
  TensorType places = values;
  places.dtype = DType::i32;
  return {values, places};
}

Types roi_pool_meta(const Call& call) { return with_places(roi_align_meta(call)); }

Types by_position_meta(const Call& call) {
  require_regions(call);
  const Expr channels = call.type("input").sizes[1];
  const Expr bins = call.expr("pooled_height") * call.expr("pooled_width");
  call.require_sizes(lt(0, bins), "regions C4: a box must have bins:", bins);
  call.require_sizes(eq(mod(channels, bins), 0),
                     "regions C4: every bin must have as many channels as every other:", channels,
                     bins);
  return with_places(region_type(call, floor_div(channels, bins)));
}

// The type of the images that were pooled.
TensorType backward_meta(const Call& call) {
  const TensorType& gradient = call.type("grad");
  const TensorType& boxes = call.type("rois");
  require(gradient.rank() == 4 && boxes.rank() == 2 && boxes.dtype == gradient.dtype &&
              !known_not_equal(boxes.sizes[0], gradient.sizes[0]),
          "regions C5: every gradient has a box, of its dtype:", call.op().name(), gradient, boxes);
  const Sizes sizes{call.expr("batch_size"), call.expr("channels"), call.expr("height"),
                    call.expr("width")};
  return contiguous_type(gradient.dtype, sizes, gradient.device);
}

constexpr std::array kNmsSample{"(f32[6, 4], f32[6], 0.3)"sv, "(f64[s0, 4], f64[s0], 0.5)"sv};
constexpr std::array kAlignSample{
    "(f32[2, 3, 6, 7], f32[4, 5] in [0, 2), 1.0, 2, 3, 2, False)"sv,
    "(f16[2, 3, 6, 7], f16[s0, 5] in [0, 2), 2.0, 2, 2, -1, False)"sv,
    "(f64[2, 3, s0, s1], f64[s0, 5] in [0, 2), 1.0, 2, 2, 3, True)"sv};
constexpr std::array kPoolSample{"(f32[2, 4, 6, 7], f32[4, 5] in [0, 2), 2.0, 2, 2)"sv,
                                 "(f16[2, 4, s0, 7], f16[s0, 5] in [0, 2), 1.0, 2, 2)"sv};
constexpr std::array kAlignByPositionSample{
    "(f32[2, 8, 6, 7], f32[4, 5] in [0, 2), 2.0, 2, 2, 2)"sv,
    "(f64[2, 4, s0, 7], f64[s0, 5] in [0, 2), 1.0, 2, 2, 3)"sv};

constexpr std::array kAlignBackwardSample{
    "(f32[4, 3, 2, 2], f32[4, 5] in [0, 2), 3.0, 2, 2, 2, 3, 6, 7, 2, False)"sv,
    "(f16[s0, 3, 2, 2], f16[s0, 5] in [0, 2), 3.0, 2, 2, 2, 3, 6, 7, -1, False)"sv};
constexpr std::array kPoolBackwardSample{
    "(f32[4, 3, 2, 2], f32[4, 5] in [0, 2), i32[4, 3, 2, 2] in [-1, 42), 3.0, 2, 2, 2, 3, 6, 7)"sv};
constexpr std::array kAlignByPositionBackwardSample{
    "(f32[2, 1, 1, 1], f32[2, 5] in [0, 2), i32[2, 1, 1, 1] in [0, 1), 3.0, 1, 1, 2, 2, 1, 6, 7)"sv};
constexpr std::array kPoolByPositionBackwardSample{
    "(f32[2, 1, 1, 1], f32[2, 5] in [0, 2), i32[2, 1, 1, 1] in [0, 1), 3.0, 1, 1, 2, 1, 6, 7)"sv};

constexpr OpDef regions(ir::SchemaText schema, std::string_view doc, Meta meta,
                        std::string_view function, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Library{function},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    regions("torchvision._ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, "
            "float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, "
            "SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor",
            "Derivative of ps_roi_align by the images.", backward_meta, "ps_roi_align_backward",
            kAlignByPositionBackwardSample),
    regions("torchvision._ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, "
            "float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, "
            "SymInt channels, SymInt height, SymInt width) -> Tensor",
            "Derivative of ps_roi_pool by the images.", backward_meta, "ps_roi_pool_backward",
            kPoolByPositionBackwardSample),
    regions("torchvision._roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, "
            "SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, "
            "SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor",
            "Derivative of roi_align by the images.", backward_meta, "roi_align_backward",
            kAlignBackwardSample),
    regions("torchvision._roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float "
            "spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt "
            "channels, SymInt height, SymInt width) -> Tensor",
            "Derivative of roi_pool by the images.", backward_meta, "roi_pool_backward",
            kPoolBackwardSample),
    OpDef{.schema = "torchvision.nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
          .doc = "Positions of the boxes that no box of a better score overlaps by more than the "
                 "threshold, the best score first.\n"
                 "C1: boxes are rows of four, each with a score. C2: f32 or f64.",
          .meta = nms_meta,
          .impl = Library{"nms"},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kNmsSample}},
    regions("torchvision.ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt "
            "pooled_height, SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)",
            "The mean of bilinear samples of each bin, each bin from channels of its own, and "
            "those channels.",
            by_position_meta, "ps_roi_align", kAlignByPositionSample),
    regions("torchvision.ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt "
            "pooled_height, SymInt pooled_width) -> (Tensor, Tensor)",
            "The mean of the pixels of each bin, each bin from channels of its own, and those "
            "channels.",
            by_position_meta, "ps_roi_pool", kPoolSample),
    regions("torchvision.roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt "
            "pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
            "The mean of bilinear samples of each bin of each box.", roi_align_meta, "roi_align",
            kAlignSample),
    regions("torchvision.roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt "
            "pooled_height, SymInt pooled_width) -> (Tensor, Tensor)",
            "The largest pixel of each bin of each box, and where it is; -1 in empty bins.",
            roi_pool_meta, "roi_pool", kPoolSample),
};

}  // namespace

std::span<const OpDef> detection_ops() { return kOps; }

}  // namespace litz::ops
