// Launches a library call's epilogue on tiles, once symbols have values.

#pragma once

#include "artifact/launch_list.h"
#include "fusion/tile_kernel.h"
#include "lowering/plan.h"

namespace litz::compiler {

/// The launch of a compiled epilogue, whose buffers have types but no addresses yet. `code` is that
/// of its tile kernel.
artifact::EpilogueLaunch epilogue_launch(const lowering::KernelStep& epilogue,
                                         const fusion::TileSymbols& symbols,
                                         const artifact::KernelCode& code);

}  // namespace litz::compiler
