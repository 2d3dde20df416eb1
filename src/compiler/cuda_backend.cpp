#include "compiler/cuda_backend.h"

#include <charconv>
#include <utility>

#include "codegen/cuda/cuda_compiler.h"
#include "kernels/library.h"
#include "runtime/placement.h"
#include "schedule/access_price.h"
#include "schedule/blocks/attention_schedule.h"
#include "schedule/blocks/block_schedule.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

constexpr std::string_view kPrefix = "sm_";
/// The first architecture whose threads of a warp advance independently.
constexpr int kLeastArchitecture = 70;

/// The first one that multiplies matrices of bf16 and copies to the memory of a block meanwhile.
constexpr int kLeastForAttention = 80;

/// The host's functions compute on copies of their operands, which have no tiles to run on.
const machine::FunctionFacts* facts_of_card(std::string_view name) {
  using machine::OperandLayouts;
  static const machine::FunctionFacts kNone;
  static const machine::FunctionFacts kAttention{.layouts = OperandLayouts::rows};
  static const machine::FunctionFacts kConvolution{.layouts = OperandLayouts::images};
  if (name == "attention") return &kAttention;
  if (name == "convolution") return &kConvolution;
  const machine::FunctionFacts* const known = kernels::function_facts(name);
  return known != nullptr && known->takes_epilogue ? &kNone : known;
}

/// One H200, measured (bench/gpu/README.md); its relations hold for other large cards.
machine::Machine large_card(int architecture) {
  machine::Machine card;
  card.vector_bytes = 4 * schedule::kWarpThreads;
  card.line_bytes = 256;
  card.first_cache_bytes = 128 << 10;
  card.second_cache_bytes = 1 << 20;
  card.last_cache_bytes = int64_t{50} << 20;
  // Accesses of a warp are joined by lines of 128 bytes.
  card.access = {.same = 0.05, .contiguous = 1, .transposed = 2, .apart = 8};
  card.instructions_per_byte = 10;
  // 0.8 us of a node at 4.2 TB/s.
  card.launch_bytes = 3 << 20;
  // cuDNN reads and writes an image of planes twice to multiply its channels.
  card.layouts.converted = 2;
  card.product_row_bytes = 16;
  card.function = facts_of_card;
  card.has_attention = false;
  if (architecture >= kLeastForAttention) card.attends = schedule::can_attend;
  return card;
}

class CudaCompiler final : public Backend::Compiler {
 public:
  explicit CudaCompiler(std::string architecture) : architecture_(std::move(architecture)) {}

  artifact::KernelCode compile(const schedule::Schedule& schedule,
                               const std::string& prefix) override {
    return codegen::compile_for_cuda(schedule, prefix, architecture_);
  }

  std::string text(const schedule::Schedule& schedule, CodeText kind) override {
    require(kind == CodeText::generated, ErrorCode::unsupported,
            "kernels for NVIDIA devices are printed as CUDA text (--stage cuda), not as assembly");
    return codegen::cuda_text(schedule, schedule.kernel.name);
  }

 private:
  std::string architecture_;
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(std::string_view name, int architecture)
      : architecture_(name), machine_(large_card(architecture)) {}

  const machine::Machine& machine() const override { return machine_; }

  artifact::CodeTarget target() const override {
    return {architecture_, std::string(artifact::kCudaTriple), ""};
  }

  std::string processor() const override { return architecture_; }

  std::string features() const override { return "blocks of threads"; }

  bool runs_on_host() const override { return false; }

  std::optional<std::string> reason_not_compiled(const loops::Kernel& kernel) const override {
    return codegen::reason_not_compiled_for_cuda(kernel);
  }

  void add_to_key(Hasher& hasher) const override {
    hasher.add(codegen::kCudaGeneratorVersion);
    hasher.add(architecture_);
  }

  fusion::AccessPrice access_price() const override { return schedule::access_price; }

  schedule::Schedule schedule(loops::Kernel kernel) const override {
    return schedule::make_block_schedule(std::move(kernel));
  }

  std::unique_ptr<Compiler> make_compiler() const override {
    return std::make_unique<CudaCompiler>(architecture_);
  }

  std::shared_ptr<runtime::GraphDevice> make_device(std::optional<Device> where,
                                                    ThreadPool* pool) const override {
    return runtime::make_device_for(target(), where, pool);
  }

 private:
  std::string architecture_;
  machine::Machine machine_;
};

}  // namespace

bool is_cuda_target(std::string_view target) { return target.starts_with(kPrefix); }

std::shared_ptr<const Backend> make_cuda_backend(std::string_view target) {
  int number = 0;
  const std::string_view digits = target.substr(kPrefix.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  require(is_number && number >= kLeastArchitecture && number < 1000,
          "an architecture of NVIDIA's must be sm_70 or later, such as sm_90, not", target);
  return std::make_shared<CudaBackend>(target, number);
}

}  // namespace litz::compiler
