// What fusion has to know of the layers around it.

#pragma once

#include "fusion/fusion.h"
#include "kernels/library.h"
#include "schedule/access_price.h"

namespace litz::compiler {

inline fusion::FusionOptions fusion_options(bool verify = false) {
  return {.takes_epilogue = kernels::takes_epilogue,
          .access_price = schedule::access_price,
          .use_scratch = true,
          .verify = verify};
}

}  // namespace litz::compiler
