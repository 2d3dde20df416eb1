#include "kernels/user_call.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "support/check.h"
#include "support/text.h"

namespace litz::kernels {
namespace {

// Both enumerations list the types in one order; this is checked at both ends.
static_assert(static_cast<int>(DType::bool_) == LITZ_BOOL);
static_assert(static_cast<int>(DType::c128) == LITZ_COMPLEX128);
static_assert(static_cast<int>(DType::f32) == LITZ_FLOAT32);

constexpr int32_t kMostDimensions = 64;
constexpr size_t kLongestMessage = 4096;

bool is_list(UserKind kind) {
  return kind == UserKind::tensors || kind == UserKind::scalars || kind == UserKind::integers ||
         kind == UserKind::reals || kind == UserKind::booleans || kind == UserKind::strings;
}

std::string spell(DType dtype, const std::vector<int64_t>& sizes) {
  std::string text(name(dtype));
  text += "[";
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d > 0) text += ", ";
    text += sizes[d] < 0 ? "?" : std::to_string(sizes[d]);
  }
  return text + "]";
}

/// The dtype of a number that an operator returns; nullopt for tensors.
std::optional<DType> number_dtype(UserKind kind) {
  if (kind == UserKind::integer) return DType::i64;
  if (kind == UserKind::real) return DType::f64;
  if (kind == UserKind::boolean) return DType::bool_;
  return std::nullopt;
}

size_t written_tensors(const UserFunction& function, const LibraryCall& call) {
  size_t count = 0;
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    if (!function.arguments[i].is_written) continue;
    if (const auto* list = std::get_if<std::vector<Tensor>>(&call.arguments[i])) {
      count += static_cast<size_t>(std::ranges::count_if(*list, &Tensor::defined));
    } else if (!call.is_none(i)) {
      ++count;
    }
  }
  return count;
}

}  // namespace

UserCall::UserCall(const UserFunction& function, LibraryCall& call)
    : function_(function), call_(call) {
  require(call.arguments.size() >= function.arguments.size(), ErrorCode::corrupt,
          "a call must give all arguments of the schema:", function.name, call.arguments.size());
  const size_t written = written_tensors(function, call);
  require(call.results.size() >= written, ErrorCode::corrupt,
          "a call must take what is written:", function.name);
  own_results_ = next_written_ = call.results.size() - written;
  stated_.resize(own_results_);
}

void UserCall::begin() {
  shown_.size = sizeof(litz_call);
  shown_.user_data = function_.table.user_data;
  shown_.set_result = set_result;
  shown_.fail = fail;
  shown_.host = this;
}

std::vector<StatedResult> UserCall::types() {
  begin();
  add_arguments();
  state_results();
  std::vector<StatedResult> results;
  for (const Stated& stated : stated_) results.push_back({stated.dtype, stated.sizes});
  return results;
}

std::vector<StatedResult> stated_results(const UserFunction& function,
                                         std::vector<LibraryArgument> arguments, size_t count) {
  // Without contents there is nothing to write, and no place for what is written.
  UserFunction reading = function;
  for (UserArgument& argument : reading.arguments) argument.is_written = false;
  std::vector<Tensor> none(count);
  LibraryCall call{reading.name, arguments, none};
  return UserCall(reading, call).types();
}

void UserCall::run() {
  begin();
  if (call_.arguments.size() > function_.arguments.size()) {
    shown_.seed = static_cast<uint64_t>(call_.integer(function_.arguments.size()));
  }
  add_arguments();
  state_results();
  add_results();
  invoke(function_.table.run, "run");
  take_results();
}

litz_tensor UserCall::shown(const Tensor& tensor) {
  litz_tensor out = {};
  if (!tensor.defined()) {
    out.dtype = LITZ_NO_TENSOR;
    return out;
  }
  const Tensor& kept = kept_.emplace_back(tensor);
  out.sizes = kept.sizes().data();
  out.strides = kept.strides().data();
  out.rank = static_cast<int32_t>(kept.rank());
  out.dtype = static_cast<int32_t>(kept.dtype());
  // Functions write only what the schema says; the ABI has a single kind of tensor.
  out.data = const_cast<std::byte*>(kept.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return out;
}

/// The tensor passed for an argument; for a written one, its new contents.
Tensor UserCall::operand(const UserArgument& declared, const Tensor& given) {
  if (!given.defined()) return given;
  if (!declared.is_written) return takes_only_row_major() ? given.contiguous() : given;
  Tensor target = call_.results[next_written_++];
  check(target.defined() && target.sizes() == given.sizes() && target.dtype() == given.dtype(),
        "what is written must have a place of its type:", function_.name, declared.name);
  target.copy_from(given);
  Tensor own = needs_own(target) ? target.contiguous() : target;
  written_.emplace_back(own, target);
  return own;
}

void UserCall::add_arguments() {
  for (size_t i = 0; i < function_.arguments.size(); ++i) {
    add_argument(function_.arguments[i], call_.arguments[i]);
  }
  shown_.arguments = arguments_.data();
  shown_.argument_count = static_cast<int32_t>(arguments_.size());
}

void UserCall::add_argument(const UserArgument& declared, const LibraryArgument& value) {
  litz_argument& out = arguments_.emplace_back();
  if (std::holds_alternative<std::monostate>(value)) return;
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    if (!tensor->defined()) return;
    out.kind = LITZ_KIND_TENSOR;
    out.value.tensor = shown(operand(declared, *tensor));
    return;
  }
  require(declared.kind != UserKind::tensor, ErrorCode::unsupported,
          "an operator of a user must be given tensors for tensors, not numbers:", function_.name,
          declared.name);
  if (is_list(declared.kind)) {
    add_list(declared, value, out);
  } else {
    add_number(declared, value, out);
  }
}

void UserCall::add_number(const UserArgument& declared, const LibraryArgument& value,
                          litz_argument& out) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    out.kind = LITZ_KIND_STRING;
    out.count = static_cast<int64_t>(text->size());
    out.value.string = text->c_str();
  } else if (const auto* dtype = std::get_if<DType>(&value)) {
    out.kind = LITZ_KIND_DTYPE;
    out.value.dtype = static_cast<int32_t>(*dtype);
  } else if (const auto* complex = std::get_if<std::complex<double>>(&value)) {
    out.kind = LITZ_KIND_COMPLEX;
    out.value.complex_number[0] = complex->real();
    out.value.complex_number[1] = complex->imag();
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    out.kind = LITZ_KIND_BOOL;
    out.value.boolean = *flag ? 1 : 0;
  } else if (const auto* real = std::get_if<double>(&value)) {
    out.kind = LITZ_KIND_FLOAT;
    out.value.real = *real;
  } else {
    const auto* integer = std::get_if<int64_t>(&value);
    require(integer != nullptr, ErrorCode::corrupt,
            "an argument must be of the kind that the schema says:", function_.name, declared.name);
    const bool is_real = declared.kind == UserKind::real;
    out.kind = is_real ? LITZ_KIND_FLOAT : LITZ_KIND_INT;
    if (is_real) {
      out.value.real = static_cast<double>(*integer);
    } else {
      out.value.integer = *integer;
    }
  }
}

void UserCall::add_list(const UserArgument& declared, const LibraryArgument& value,
                        litz_argument& out) {
  const auto begin = [&](litz_kind kind, size_t count) {
    out.kind = kind;
    out.count = static_cast<int64_t>(count);
  };
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    begin(LITZ_KIND_TENSORS, tensors->size());
    std::vector<litz_tensor>& list = tensor_lists_.emplace_back();
    for (const Tensor& tensor : *tensors) list.push_back(shown(operand(declared, tensor)));
    out.value.tensors = list.data();
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    begin(LITZ_KIND_STRINGS, texts->size());
    std::vector<const char*>& list = texts_.emplace_back();
    for (const std::string& text : *texts) list.push_back(text.c_str());
    out.value.strings = list.data();
  } else if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    begin(LITZ_KIND_FLOATS, reals->size());
    out.value.reals = reals->data();
  } else {
    const auto* integers = std::get_if<std::vector<int64_t>>(&value);
    require(integers != nullptr, ErrorCode::corrupt,
            "an argument must be of the kind that the schema says:", function_.name, declared.name);
    if (declared.kind == UserKind::booleans) {
      begin(LITZ_KIND_BOOLS, integers->size());
      std::vector<uint8_t>& list = flags_.emplace_back();
      for (const int64_t flag : *integers) list.push_back(flag != 0 ? 1 : 0);
      out.value.booleans = list.data();
    } else if (declared.kind == UserKind::reals) {
      begin(LITZ_KIND_FLOATS, 0);  // Lists of real numbers come as such unless they are empty.
    } else if (declared.kind == UserKind::strings) {
      begin(LITZ_KIND_STRINGS, 0);
    } else {
      begin(LITZ_KIND_INTS, integers->size());
      out.value.integers = integers->data();
    }
  }
}

/// Runs before the call, so that an error in types cannot cause a write outside of a result.
void UserCall::state_results() {
  if (function_.like >= 0) {
    const litz_argument& like = arguments_[static_cast<size_t>(function_.like)];
    if (like.kind != LITZ_KIND_TENSOR) return;
    const litz_tensor& tensor = like.value.tensor;
    for (int32_t i = 0; i < static_cast<int32_t>(own_results_); ++i) {
      set(i, tensor.dtype, tensor.rank, tensor.sizes);
    }
  } else if (function_.table.result_types != nullptr) {
    const std::vector<litz_argument> with_data = arguments_;
    for (litz_argument& argument : arguments_) {
      if (argument.kind == LITZ_KIND_TENSOR) argument.value.tensor.data = nullptr;
    }
    std::vector<std::vector<litz_tensor>> lists(tensor_lists_.begin(), tensor_lists_.end());
    size_t next = 0;
    for (litz_argument& argument : arguments_) {
      if (argument.kind != LITZ_KIND_TENSORS) continue;
      for (litz_tensor& tensor : lists[next]) tensor.data = nullptr;
      argument.value.tensors = lists[next++].data();
    }
    asks_for_types_ = true;
    shown_.result_count = static_cast<int32_t>(own_results_);
    invoke(function_.table.result_types, "result_types");
    asks_for_types_ = false;
    std::ranges::copy(with_data, arguments_.begin());
    for (size_t i = 0; i < own_results_; ++i) {
      require(stated_[i].is_stated,
              "an operator must state the type of every result:", function_.name, i);
    }
  }
  for (size_t i = 0; i < own_results_; ++i) {
    if (call_.results[i].defined()) check_stated(i, call_.results[i]);
  }
}

void UserCall::check_stated(size_t result, const Tensor& tensor) const {
  const Stated& stated = stated_[result];
  if (!stated.is_stated) return;
  bool fits = stated.dtype == tensor.dtype() && stated.sizes.size() == tensor.rank();
  for (size_t d = 0; fits && d < stated.sizes.size(); ++d) {
    fits = stated.sizes[d] < 0 || stated.sizes[d] == tensor.sizes()[d];
  }
  require(fits, "an operator must state the types of results that the program was exported with:",
          function_.name, "result", result, "is", spell(tensor.dtype(), tensor.sizes()),
          "but was stated as", spell(stated.dtype, stated.sizes));
}

bool UserCall::takes_only_row_major() const {
  return (function_.table.flags & LITZ_OPERATOR_CONTIGUOUS) != 0;
}

/// True if the function must write to a temporary tensor because the target has gaps or another
/// order: the function accepts only row-major tensors, or its booleans may not be 0 and 1.
bool UserCall::needs_own(const Tensor& target) const {
  return !target.is_contiguous() && (takes_only_row_major() || target.dtype() == DType::bool_);
}

void UserCall::normalize(Tensor& written) {
  if (written.dtype() != DType::bool_) return;
  normalize_booleans(written.mutable_data(), static_cast<size_t>(written.numel()));
}

/// The kind of every result; at most one list takes the remaining results.
std::vector<UserKind> UserCall::result_kinds() const {
  const std::vector<UserKind>& declared = function_.results;
  const bool has_list = std::ranges::find(declared, UserKind::tensors) != declared.end();
  const size_t others = declared.size() - (has_list ? 1 : 0);
  require(has_list ? own_results_ >= others : own_results_ == others,
          "a call must have the results of its operator:", function_.name, "gives", others,
          has_list ? "and a list but the program takes" : "but the program takes", own_results_);
  std::vector<UserKind> kinds;
  for (const UserKind kind : declared) {
    kinds.insert(kinds.end(), kind == UserKind::tensors ? own_results_ - others : 1, kind);
  }
  return kinds;
}

void UserCall::add_results() {
  const std::vector<UserKind> kinds = result_kinds();
  for (size_t i = 0; i < own_results_; ++i) {
    const Tensor& result = call_.results[i];
    const UserKind kind = kinds[i];
    if (!result.defined()) {
      const std::optional<DType> number = number_dtype(kind);
      own_.push_back(number ? Tensor::zeros(*number, {}) : Tensor());
    } else {
      own_.push_back(needs_own(result) ? Tensor::empty(result.dtype(), result.sizes()) : result);
    }
    results_.push_back(shown(own_.back()));
  }
  shown_.results = results_.data();
  shown_.result_count = static_cast<int32_t>(results_.size());
}

void UserCall::invoke(litz_function function, const char* what) {
  int32_t status = 0;
  std::string thrown;
  try {
    status = function(&shown_);
  } catch (const std::exception& error) {
    thrown = error.what();
    status = 1;
  } catch (...) {
    thrown = "something that is no std::exception";
    status = 1;
  }
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (status == 0 && !has_failed_) return;
  if (!thrown.empty()) message_ = "it threw " + thrown;
  if (message_.empty()) message_ = "it returned " + std::to_string(status) + " without a reason";
  litz::fail(ErrorCode::invalid_argument, "a user's function must succeed:", what, "of",
             function_.name + ":", message_);
}

void UserCall::take_results() {
  for (size_t i = 0; i < own_results_; ++i) {
    require(own_[i].defined(),
            "an operator must make every result whose sizes depend on data:", function_.name,
            "result", i);
    normalize(own_[i]);
    Tensor& result = call_.results[i];
    if (!result.defined()) {
      check_stated(i, own_[i]);
      result = own_[i];
    } else if (own_[i].data() != result.data()) {
      result.copy_from(own_[i]);
    }
  }
  for (auto& [own, target] : written_) {
    normalize(own);
    if (own.data() != target.data()) target.copy_from(own);
  }
}

void UserCall::set(int32_t index, int32_t dtype, int32_t rank, const int64_t* sizes) {
  require(index >= 0 && static_cast<size_t>(index) < own_results_,
          "a result must be one of the operator's:", function_.name, index, "of", own_results_);
  require(dtype >= 0 && dtype <= LITZ_COMPLEX128, "a result must have a dtype:", function_.name,
          "result", index, "has", dtype);
  require(rank >= 0 && rank <= kMostDimensions && (sizes != nullptr || rank == 0),
          "a result must have sizes, at most 64:", function_.name, "result", index, "has", rank);
  const auto i = static_cast<size_t>(index);
  const std::vector<int64_t> wanted(sizes, sizes + rank);
  if (asks_for_types_ || own_.empty()) {
    stated_[i] = {true, static_cast<DType>(dtype), wanted};
    return;
  }
  require(!call_.results[i].defined() && !own_[i].defined(),
          "an operator must make results whose sizes depend on data only, each once:",
          function_.name, "result", index);
  require(std::ranges::all_of(wanted, [](int64_t size) { return size >= 0; }),
          "a result must have sizes that are known when it is made:", function_.name, "result",
          index);
  own_[i] = Tensor::empty(static_cast<DType>(dtype), wanted);
  results_[i] = shown(own_[i]);
}

int32_t UserCall::set_result(const litz_call* call, int32_t index, int32_t dtype, int32_t rank,
                             const int64_t* sizes) {
  auto& self = *static_cast<UserCall*>(call->host);
  try {
    self.set(index, dtype, rank, sizes);
    return 0;
  } catch (...) {
    if (self.error_ == nullptr) self.error_ = std::current_exception();
    return 1;
  }
}

int32_t UserCall::fail(const litz_call* call, const char* format, ...) {
  auto& self = *static_cast<UserCall*>(call->host);
  self.has_failed_ = true;
  std::array<char, kLongestMessage> text = {};
  if (format != nullptr) {
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(text.data(), text.size(), format, values);
    va_end(values);
  }
  self.message_ = text.data();
  return 1;
}

}  // namespace litz::kernels
