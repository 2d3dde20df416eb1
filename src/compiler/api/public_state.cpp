// What the public API tells of a program's values, and the state that its calls share.

#include "artifact/signature.h"
#include "expr/expr.h"
#include "runtime/program/program_calls.h"
#include "support/text.h"

// After the library's own names.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "compiler/api/public_support.h"

namespace litz {
inline namespace v1 {
namespace {

using artifact::HostScalar;
using artifact::ProgramInput;
using runtime::ProgramCalls;

SizeInfo size_info(Expr size) {
  const Interval range = bounds(size);
  return {std::max<int64_t>(range.lo, 0), range.hi, to_string(size)};
}

ValueKind kind_of(ExprDomain domain) {
  switch (domain) {
    case ExprDomain::integer:
      return ValueKind::integer;
    case ExprDomain::real:
      return ValueKind::real;
    case ExprDomain::boolean:
      return ValueKind::boolean;
  }
  return ValueKind::none;
}

SignatureEntry info_of(std::string name, const artifact::ValueType& type) {
  SignatureEntry info;
  info.name = std::move(name);
  if (const auto* const tensor = std::get_if<TensorType>(&type)) {
    info.kind = ValueKind::tensor;
    info.dtype = shown(tensor->dtype);
    for (const Expr size : tensor->sizes) info.sizes.push_back(size_info(size));
  } else if (const auto* const scalar = std::get_if<HostScalar>(&type)) {
    info.kind = kind_of(scalar->domain);
  }
  return info;
}

SignatureEntry input_info(const ProgramInput& input) {
  SignatureEntry info = info_of(input.label, input.type);
  if (input.kind != InputKind::constant_value) return info;
  if (const auto* const text = std::get_if<std::string>(&input.literal)) {
    info.kind = ValueKind::text;
    info.constant = quote(*text);
  } else if (const auto* const number = std::get_if<Expr>(&input.literal)) {
    info.kind = kind_of(number->domain());
    info.constant = to_string(*number);
  } else {
    info.kind = ValueKind::none;
    info.constant = "None";
  }
  return info;
}

/// The input that holds the buffer. Throws Error for names of others.
size_t buffer_named(const artifact::Signature& signature, const ProgramCalls& calls,
                    const std::string& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    if (!calls.changes()[i]) continue;
    if (signature.inputs[i].label == name) return i;
    names.push_back(signature.inputs[i].label);
  }
  fail(OwnErrorCode::not_found, "a buffer must be one that calls change:", quote(name),
       names.empty() ? "- the program changes none" : "- they are " + join(names, ", "));
}

}  // namespace

void Executable::Impl::run_into(ProgramCalls& calls, std::span<const Value> inputs,
                                std::span<Tensor> outputs) const {
  std::vector<OwnTensor> into;
  into.reserve(outputs.size());
  for (const Tensor& output : outputs) into.push_back(own(output));
  executable->run_into(calls, own(inputs), into);
}

Result<void> Executable::run_into(std::span<const Value> inputs, std::span<Tensor> outputs) {
  return guarded_void([&] { impl().run_into(impl().executable->calls(), inputs, outputs); });
}

Tensor Executable::Impl::read_buffer(ProgramCalls& calls, const std::string& name) const {
  const size_t input = buffer_named(executable->signature(), calls, name);
  return shown(calls.read_weight(input).contiguous());
}

void Executable::Impl::write_buffer(ProgramCalls& calls, const std::string& name,
                                    const Tensor& value) const {
  calls.write_weight(buffer_named(executable->signature(), calls, name), own(value));
}

std::vector<SignatureEntry> Executable::inputs() const {
  std::vector<SignatureEntry> infos;
  for (const ProgramInput& input : impl().executable->signature().inputs) {
    if (is_given_by_caller(input.kind)) infos.push_back(input_info(input));
  }
  return infos;
}

std::vector<SignatureEntry> Executable::outputs() const {
  std::vector<SignatureEntry> infos;
  for (const artifact::ProgramOutput& output : impl().executable->signature().outputs) {
    if (!is_user_output(output.kind)) continue;
    const std::string number = "out" + std::to_string(infos.size());
    infos.push_back(info_of(output.label.empty() ? number : output.label, output.type));
  }
  return infos;
}

std::vector<SignatureEntry> Executable::buffers() const {
  const artifact::Signature& signature = impl().executable->signature();
  std::vector<SignatureEntry> infos;
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const ProgramInput& input = signature.inputs[i];
    if (impl().executable->calls().changes()[i]) infos.push_back(info_of(input.label, input.type));
  }
  return infos;
}

Result<Tensor> Executable::read_buffer(const std::string& name) const {
  return guarded<Tensor>([&] { return impl().read_buffer(impl().executable->calls(), name); });
}

Result<void> Executable::write_buffer(const std::string& name, const Tensor& value) {
  return guarded_void([&] { impl().write_buffer(impl().executable->calls(), name, value); });
}

Result<void> Executable::reset_buffers() {
  return guarded_void([&] { impl().executable->calls().reset_weights(); });
}

struct Session::Impl {
  Executable::Impl program;
  std::unique_ptr<ProgramCalls> calls;
};

Result<Session> Executable::session() const {
  return guarded<Session>([&] {
    return Session(
        std::make_unique<Session::Impl>(Session::Impl{impl(), impl().executable->new_calls()}));
  });
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Session::~Session() = default;

Session::Impl& Session::impl() const {
  if (impl_ == nullptr) throw std::logic_error("a session that was moved from cannot be used");
  return *impl_;
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Result<std::vector<Value>> Session::run(std::span<const Value> inputs) {
  return guarded<std::vector<Value>>([&] {
    return Executable::Impl::shown(
        impl().program.executable->run(*impl().calls, Executable::Impl::own(inputs)));
  });
}

Result<void> Session::run_into(std::span<const Value> inputs, std::span<Tensor> outputs) {
  return guarded_void([&] { impl().program.run_into(*impl().calls, inputs, outputs); });
}

Result<Tensor> Session::read_buffer(const std::string& name) const {
  return guarded<Tensor>([&] { return impl().program.read_buffer(*impl().calls, name); });
}

Result<void> Session::write_buffer(const std::string& name, const Tensor& value) {
  return guarded_void([&] { impl().program.write_buffer(*impl().calls, name, value); });
}

Result<void> Session::reset_buffers() {
  return guarded_void([&] { impl().calls->reset_weights(); });
}

}  // namespace v1
}  // namespace litz
