#include "runtime/program/interface.h"

#include <algorithm>
#include <utility>

#include "support/check.h"
#include "support/text.h"

namespace litz::runtime {
namespace {

using artifact::HostScalar;
using artifact::ProgramInput;

EntrySize entry_size(Expr size) {
  const Interval range = bounds(size);
  return {std::max<int64_t>(range.lo, 0), range.hi, to_string(size)};
}

EntryKind kind_of(ExprDomain domain) {
  switch (domain) {
    case ExprDomain::integer:
      return EntryKind::integer;
    case ExprDomain::real:
      return EntryKind::real;
    case ExprDomain::boolean:
      return EntryKind::boolean;
  }
  return EntryKind::none;
}

Entry entry_of(std::string name, const artifact::ValueType& type) {
  Entry entry;
  entry.name = std::move(name);
  if (const auto* const tensor = std::get_if<TensorType>(&type)) {
    entry.kind = EntryKind::tensor;
    entry.dtype = tensor->dtype;
    for (const Expr size : tensor->sizes) entry.sizes.push_back(entry_size(size));
  } else if (const auto* const scalar = std::get_if<HostScalar>(&type)) {
    entry.kind = kind_of(scalar->domain);
  }
  return entry;
}

Entry input_entry(const ProgramInput& input) {
  Entry entry = entry_of(input.label, input.type);
  if (input.kind != InputKind::constant_value) return entry;
  if (const auto* const text = std::get_if<std::string>(&input.literal)) {
    entry.kind = EntryKind::text;
    entry.constant = quote(*text);
  } else if (const auto* const number = std::get_if<Expr>(&input.literal)) {
    entry.kind = kind_of(number->domain());
    entry.constant = to_string(*number);
  } else {
    entry.kind = EntryKind::none;
    entry.constant = "None";
  }
  return entry;
}

}  // namespace

std::vector<Entry> input_entries(const artifact::Signature& signature) {
  std::vector<Entry> entries;
  for (const ProgramInput& input : signature.inputs) {
    if (is_given_by_caller(input.kind)) entries.push_back(input_entry(input));
  }
  return entries;
}

std::vector<Entry> output_entries(const artifact::Signature& signature) {
  std::vector<Entry> entries;
  for (const artifact::ProgramOutput& output : signature.outputs) {
    if (!is_user_output(output.kind)) continue;
    const std::string number = "out" + std::to_string(entries.size());
    entries.push_back(entry_of(output.label.empty() ? number : output.label, output.type));
  }
  return entries;
}

std::vector<Entry> buffer_entries(const artifact::Signature& signature, const ProgramCalls& calls) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const ProgramInput& input = signature.inputs[i];
    if (calls.changes()[i]) entries.push_back(entry_of(input.label, input.type));
  }
  return entries;
}

size_t buffer_named(const artifact::Signature& signature, const ProgramCalls& calls,
                    const std::string& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    if (!calls.changes()[i]) continue;
    if (signature.inputs[i].label == name) return i;
    names.push_back(signature.inputs[i].label);
  }
  fail(ErrorCode::not_found, "a buffer must be one that calls change:", quote(name),
       names.empty() ? "- the program changes none" : "- they are " + join(names, ", "));
}

}  // namespace litz::runtime
