// The parts of a training program that its steps belong to.
//
// The stage is a mark in the label, so that it stays with a step that is copied, spliced or joined to
// others, and people see it: "%31 = aten.gelu, again + %40 = aten.mul.Tensor, backward".

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace litz::lowering {

enum class Stage : uint8_t {
  forward,     ///< Or a program without gradients.
  recomputed,  ///< Repeats steps of the forward part for the gradients. It must not move there.
  gradient,    ///< Depends on cotangents.
};

/// From the node's annotation `backward` (ir/annotations.cpp).
Stage stage_of(const ir::Node& node);

/// ", again", ", backward" or nothing.
std::string_view mark_of(Stage stage);

/// The stages of the steps that one was joined from.
struct Stages {
  bool forward = false;
  bool recomputed = false;
  bool gradient = false;
};

Stages stages_of(std::string_view label);
Stages stages_of(std::span<const std::string> labels);

}  // namespace litz::lowering
