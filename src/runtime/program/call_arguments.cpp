#include "runtime/program/call_arguments.h"

#include <algorithm>
#include <complex>
#include <string>
#include <variant>

#include "runtime/program/library_arguments.h"

namespace litz::runtime {
namespace {

using artifact::TensorSlot;

bool is_symbolic(const artifact::LibraryArgument& argument) {
  const auto varies = [](const Expr& value) { return !value.is_constant(); };
  if (const auto* const value = std::get_if<Expr>(&argument)) return varies(*value);
  const auto* const values = std::get_if<std::vector<Expr>>(&argument);
  return values != nullptr && std::ranges::any_of(*values, varies);
}

}  // namespace

CallArguments::CallArguments(const artifact::LibraryLaunch& launch, SizeTable& sizes, size_t more)
    : launch_(launch),
      arguments_(launch.arguments.size()),
      results_(launch.results.size()),
      tensors_(launch.arguments.size() + launch.results.size() + more) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    set_argument(i, launch.arguments[i], sizes);
    if (is_symbolic(launch.arguments[i])) symbolic_.push_back(i);
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    tensors_.add(results_[i], launch.results[i], sizes, arguments_.size() + i);
  }
}

void CallArguments::set_argument(size_t index, const artifact::LibraryArgument& from,
                                 SizeTable& sizes) {
  kernels::LibraryArgument& to = arguments_[index];
  if (const auto* const tensor = std::get_if<TensorSlot>(&from)) {
    tensors_.add(to.emplace<Tensor>(), *tensor, sizes, index);
  } else if (const auto* const list = std::get_if<std::vector<TensorSlot>>(&from)) {
    auto& tensors = to.emplace<std::vector<Tensor>>(list->size());
    has_lists_ = true;
    for (size_t i = 0; i < tensors.size(); ++i) tensors_.append(tensors[i], (*list)[i], sizes);
  } else if (const auto* const value = std::get_if<Expr>(&from)) {
    to = number(*value, sizes.symbols());
  } else if (const auto* const values = std::get_if<std::vector<Expr>>(&from)) {
    to = numbers(*values, sizes.symbols());
  } else if (const auto* const complex = std::get_if<std::complex<double>>(&from)) {
    to = *complex;
  } else if (const auto* const text = std::get_if<std::string>(&from)) {
    to = *text;
  } else if (const auto* const dtype = std::get_if<DType>(&from)) {
    to = *dtype;
  } else if (const auto* const texts = std::get_if<std::vector<std::string>>(&from)) {
    to = *texts;
  }
}

void CallArguments::set_sizes(const SizeTable& sizes) {
  for (const size_t i : symbolic_) {
    const artifact::LibraryArgument& from = launch_.arguments[i];
    if (const auto* const value = std::get_if<Expr>(&from)) {
      arguments_[i] = number(*value, sizes.symbols());
    } else {
      arguments_[i] = numbers(std::get<std::vector<Expr>>(from), sizes.symbols());
    }
  }
  tensors_.set_sizes(sizes);
}

}  // namespace litz::runtime
