#include "loops/interpreter.h"

#include "loops/execution.h"
#include "loops/program.h"

namespace litz::loops {

PreparedKernel::PreparedKernel(const Kernel& kernel)
    : program_(std::make_unique<const Program>(compile_program(kernel))) {}

PreparedKernel::~PreparedKernel() = default;
PreparedKernel::PreparedKernel(PreparedKernel&&) noexcept = default;
PreparedKernel& PreparedKernel::operator=(PreparedKernel&&) noexcept = default;

void PreparedKernel::run(std::span<const Tensor> buffers, const Bindings& bindings) const {
  Execution(*program_, buffers, bindings).run();
}

void interpret(const Kernel& kernel, std::span<const Tensor> buffers, const Bindings& bindings) {
  PreparedKernel(kernel).run(buffers, bindings);
}

}  // namespace litz::loops
