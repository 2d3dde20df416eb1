// What the public API tells of a program's values, and the state that its calls share.

#include "runtime/program/interface.h"

// After the library's own names.
#include <memory>
#include <stdexcept>
#include <utility>

#include "compiler/api/public_support.h"

namespace litz {
inline namespace v1 {
namespace {

using runtime::ProgramCalls;

static_assert(static_cast<int>(ValueKind::text) == static_cast<int>(runtime::EntryKind::text),
              "both enumerations list the kinds in one order");

std::vector<SignatureEntry> shown(std::vector<runtime::Entry> entries) {
  std::vector<SignatureEntry> result;
  result.reserve(entries.size());
  for (runtime::Entry& entry : entries) {
    SignatureEntry& to = result.emplace_back();
    to.name = std::move(entry.name);
    to.kind = static_cast<ValueKind>(entry.kind);
    to.dtype = shown(entry.dtype);
    to.constant = std::move(entry.constant);
    for (runtime::EntrySize& size : entry.sizes) {
      to.sizes.push_back({size.least, size.most, std::move(size.text)});
    }
  }
  return result;
}

}  // namespace

void Executable::Impl::run_into(ProgramCalls& calls, std::span<const Value> inputs,
                                std::span<Tensor> outputs, const CallLimit* limit) const {
  const Limited limited(limit);
  CallList<compiler::Leaf> given(inputs.size());
  for (const Value& input : inputs) given.add(own(input));
  CallList<compiler::Leaf> into(outputs.size());
  for (const Tensor& output : outputs) into.add(own(output));
  executable->run_into(calls, given.get(), into.get());
}

void Executable::Impl::run_into(ProgramCalls& calls, std::span<const Value> inputs,
                                std::vector<Value>& outputs, const CallLimit* limit) const {
  const Limited limited(limit);
  CallList<compiler::Leaf> given(inputs.size());
  for (const Value& input : inputs) given.add(own(input));
  CallList<compiler::Leaf> into(outputs.size());
  for (const Value& output : outputs) {
    into.add(std::holds_alternative<Tensor>(output) ? own(output) : compiler::Leaf());
  }
  executable->run_into(calls, given.get(), into.get());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!std::holds_alternative<Tensor>(outputs[i])) outputs[i] = shown_value(into.get()[i]);
  }
}

Result<void> Executable::run_into(std::span<const Value> inputs, std::span<Tensor> outputs) {
  return guarded_void([&] { impl().run_into(impl().executable->calls(), inputs, outputs); });
}

Result<void> Executable::run_into(std::span<const Value> inputs, std::vector<Value>& outputs) {
  return guarded_void([&] { impl().run_into(impl().executable->calls(), inputs, outputs); });
}

Result<void> Executable::run_into(std::span<const Value> inputs, std::span<Tensor> outputs,
                                  const CallLimit& limit) {
  return guarded_void(
      [&] { impl().run_into(impl().executable->calls(), inputs, outputs, &limit); });
}

Result<void> Executable::run_into(std::span<const Value> inputs, std::vector<Value>& outputs,
                                  const CallLimit& limit) {
  return guarded_void(
      [&] { impl().run_into(impl().executable->calls(), inputs, outputs, &limit); });
}

Tensor Executable::Impl::read_buffer(ProgramCalls& calls, const std::string& name) const {
  const size_t input = runtime::buffer_named(executable->signature(), calls, name);
  return shown(calls.read_weight(input).contiguous());
}

void Executable::Impl::write_buffer(ProgramCalls& calls, const std::string& name,
                                    const Tensor& value) const {
  const size_t input = runtime::buffer_named(executable->signature(), calls, name);
  calls.write_weight(input, own(value));
}

std::vector<SignatureEntry> Executable::inputs() const {
  return shown(runtime::input_entries(impl().executable->signature()));
}

std::vector<SignatureEntry> Executable::outputs() const {
  return shown(runtime::output_entries(impl().executable->signature()));
}

std::vector<SignatureEntry> Executable::buffers() const {
  const compiler::Executable& executable = *impl().executable;
  return shown(runtime::buffer_entries(executable.signature(), executable.calls()));
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

struct LITZ_HIDDEN Session::Impl {
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
  return guarded<std::vector<Value>>([&] { return impl().program.run(*impl().calls, inputs); });
}

Result<void> Session::run_into(std::span<const Value> inputs, std::span<Tensor> outputs) {
  return guarded_void([&] { impl().program.run_into(*impl().calls, inputs, outputs); });
}

Result<void> Session::run_into(std::span<const Value> inputs, std::vector<Value>& outputs) {
  return guarded_void([&] { impl().program.run_into(*impl().calls, inputs, outputs); });
}

Result<std::vector<Value>> Session::run(std::span<const Value> inputs, const CallLimit& limit) {
  return guarded<std::vector<Value>>(
      [&] { return impl().program.run(*impl().calls, inputs, &limit); });
}

Result<void> Session::run_into(std::span<const Value> inputs, std::span<Tensor> outputs,
                               const CallLimit& limit) {
  return guarded_void([&] { impl().program.run_into(*impl().calls, inputs, outputs, &limit); });
}

Result<void> Session::run_into(std::span<const Value> inputs, std::vector<Value>& outputs,
                               const CallLimit& limit) {
  return guarded_void([&] { impl().program.run_into(*impl().calls, inputs, outputs, &limit); });
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
