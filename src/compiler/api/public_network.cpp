// Exported programs as functions (litz/network.h).

#include <map>
#include <mutex>

#include "compiler/api/operator_calls.h"
#include "compiler/empty_sizes.h"
#include "compiler/gradients.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/compile.h"
#include "litz/network.h"

namespace litz {
inline namespace v1 {
namespace {

using compiler::SizesByName;

/// The tensors of weights in memory of their own; weights that are one in the file are one here.
class OwnWeights {
 public:
  Tensor of(const OwnTensor& weight) {
    OwnTensor& storage = storages_[weight.storage().get()];
    if (!storage.defined()) {
      const auto bytes = static_cast<int64_t>(weight.storage()->size());
      storage = OwnTensor::empty(OwnDType::u8, {bytes});
      std::memcpy(storage.mutable_data(), weight.storage()->data(), weight.storage()->size());
    }
    return TensorAccess::shown(
        {weight.dtype(), weight.sizes(), weight.strides(), weight.offset(), storage.storage()});
  }

 private:
  std::map<const Storage*, OwnTensor> storages_;
};

/// What an input of the program is.
struct NetworkInput {
  enum class Kind : uint8_t { parameter, weight, given, constant } kind = Kind::constant;
  size_t index = 0;  ///< Among the parameters, buffers or tensors that a call gives.
};

}  // namespace

struct LITZ_HIDDEN Network::Impl {
  compiler::OpenedFile opened;
  std::vector<NetworkInput> inputs;
  std::vector<Tensor> parameters;
  std::vector<std::string> parameter_names;
  NamedTensors buffers;
  size_t given_count = 0;
  std::mutex mutex;
  std::map<SizesByName, std::shared_ptr<const ir::Program>> instances;
  /// The program that was exported has its sizes from the call.
  detail::FunctionPrograms programs{CompileOptions{.dynamic = DynamicSizes::never}};

  void read_inputs();
  void check_given(std::span<const Tensor> given_parameters, std::span<const Tensor> given) const;
  SizesByName sizes_of(std::span<const Tensor> given) const;
  std::shared_ptr<const ir::Program> instance(const SizesByName& sizes);
  std::vector<Tensor> trace(std::span<const Tensor> given_parameters,
                            std::span<const Tensor> given);
};

void Network::Impl::read_inputs() {
  OwnWeights weights;
  const ir::Program& program = opened.program;
  for (const ir::InputSpec& input : program.inputs) {
    if (input.kind == InputKind::user) {
      inputs.push_back({NetworkInput::Kind::given, given_count++});
    } else if (!is_weight(input.kind)) {
      inputs.push_back({});
    } else {
      require(input.data.defined(), OwnErrorCode::invalid_argument,
              "a network must have its weights:", input.target);
      const Tensor own = weights.of(input.data);
      if (input.kind != InputKind::parameter) {
        inputs.push_back({NetworkInput::Kind::weight, buffers.size()});
        buffers.emplace_back(input.target, own);
        continue;
      }
      const auto known = std::ranges::find_if(parameters, [&](const Tensor& other) {
        return compiler::is_same(TensorAccess::own(other), TensorAccess::own(own));
      });
      inputs.push_back(
          {NetworkInput::Kind::parameter, static_cast<size_t>(known - parameters.begin())});
      if (known != parameters.end()) continue;
      parameters.push_back(own);
      parameter_names.push_back(input.target);
    }
  }
}

void Network::Impl::check_given(std::span<const Tensor> given_parameters,
                                std::span<const Tensor> given) const {
  require(given_parameters.size() == parameters.size(), OwnErrorCode::invalid_argument,
          "a network takes as many parameters as it has:", given_parameters.size(), "instead of",
          parameters.size());
  require(given.size() == given_count, OwnErrorCode::invalid_argument,
          "a network takes as many tensors as its program has inputs:", given.size(), "instead of",
          given_count);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].kind != NetworkInput::Kind::given) continue;
    const ir::Value value = opened.program.graph().input(i);
    const std::string& label = opened.program.inputs[i].label;
    require(value.is_tensor(), OwnErrorCode::unsupported,
            "the inputs of a network must be tensors:", label);
    const Tensor& tensor = given[inputs[i].index];
    require(own(tensor.dtype()) == value.tensor().dtype &&
                tensor.sizes().size() == value.tensor().rank(),
            OwnErrorCode::invalid_argument, "input", label, "must be like", value.tensor());
  }
}

SizesByName Network::Impl::sizes_of(std::span<const Tensor> given) const {
  SizesByName sizes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].kind != NetworkInput::Kind::given) continue;
    const Sizes& expected = opened.program.graph().input(i).tensor().sizes;
    const std::vector<int64_t>& actual = given[inputs[i].index].sizes();
    for (size_t d = 0; d < expected.size(); ++d) {
      if (expected[d].is_constant()) {
        require(expected[d].is(actual[d]), OwnErrorCode::invalid_argument, "input",
                opened.program.inputs[i].label, "must have size", expected[d], "in dimension", d,
                "instead of", actual[d]);
      } else if (expected[d].is_symbol()) {
        const std::string& name = opened.program.module->exprs().symbol(expected[d].symbol()).name;
        const auto [known, is_new] = sizes.try_emplace(name, actual[d]);
        require(is_new || known->second == actual[d], OwnErrorCode::invalid_argument, "sizes named",
                name, "must be equal:", known->second, actual[d]);
      }
    }
  }
  return sizes;
}

std::shared_ptr<const ir::Program> Network::Impl::instance(const SizesByName& sizes) {
  const std::lock_guard lock(mutex);
  std::shared_ptr<const ir::Program>& known = instances[sizes];
  if (known == nullptr) {
    require(sizes.empty() || opened.read_again != nullptr, OwnErrorCode::unsupported,
            "a network with dynamic sizes must come from an exported program");
    ir::Program program =
        sizes.empty() ? compiler::copy_program(opened.program) : opened.read_again(sizes);
    compiler::make_differentiable(program);
    known = std::make_shared<const ir::Program>(std::move(program));
  }
  return known;
}

std::vector<Tensor> Network::Impl::trace(std::span<const Tensor> given_parameters,
                                         std::span<const Tensor> given) {
  check_given(given_parameters, given);
  const std::shared_ptr<const ir::Program> program = instance(sizes_of(given));
  const std::shared_ptr<FunctionTracer>& tracer = current_tracer();
  const auto value_of = [&](const NetworkInput& input) {
    switch (input.kind) {
      case NetworkInput::Kind::parameter:
        return value_in(tracer, given_parameters[input.index]);
      case NetworkInput::Kind::weight:
        return value_in(tracer, buffers[input.index].second);
      case NetworkInput::Kind::given:
        return value_in(tracer, given[input.index]);
      case NetworkInput::Kind::constant:
        return ir::Value();
    }
    return ir::Value();
  };
  std::vector<ir::Value> values;
  for (const NetworkInput& input : inputs) values.push_back(value_of(input));
  return add_program(tracer, *program, values);
}

Network::Network(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

const std::vector<Tensor>& Network::parameters() const { return impl_->parameters; }

const std::vector<std::string>& Network::parameter_names() const { return impl_->parameter_names; }

const NamedTensors& Network::buffers() const { return impl_->buffers; }

std::vector<Tensor> Network::operator()(const TensorList& inputs) const {
  return call(impl_->parameters, inputs);
}

std::vector<Tensor> Network::call(const TensorList& parameters, const TensorList& inputs) const {
  return raising([&] {
    if (detail::is_tracing()) return impl_->trace(parameters.get(), inputs.get());
    impl_->check_given(parameters.get(), inputs.get());
    std::vector<Tensor> leaves(parameters.get().begin(), parameters.get().end());
    leaves.insert(leaves.end(), inputs.get().begin(), inputs.get().end());
    const size_t count = parameters.get().size();
    return impl_->programs
        .call(leaves, {},
              [&](std::span<const Tensor> arguments) {
                return detail::TracedResult{
                    impl_->trace(arguments.first(count), arguments.subspan(count))};
              })
        .tensors;
  });
}

Network load_network(const std::string& path) {
  return raising([&] {
    auto impl = std::make_shared<Network::Impl>();
    impl->opened = compiler::open_file(path, {});
    impl->read_inputs();
    return Network(std::move(impl));
  });
}

}  // namespace v1
}  // namespace litz
