// One call of a user's function: converts values of Litz to the structs of litz/operators.h and
// back.

#pragma once

#include <deque>
#include <exception>
#include <string>
#include <vector>

#include "kernels/user_functions.h"

namespace litz::kernels {

class UserCall {
 public:
  UserCall(const UserFunction& function, LibraryCall& call);

  /// Throws Error for a function that fails, throws, or returns other results than stated.
  void run();
  /// Only what the function states about its own results.
  std::vector<StatedResult> types();

 private:
  /// Dtype and sizes of a result; -1 for a size that depends on data.
  struct Stated {
    bool is_stated = false;
    DType dtype = DType::f32;
    std::vector<int64_t> sizes;
  };

  void begin();
  void add_arguments();
  void add_argument(const UserArgument& declared, const LibraryArgument& value);
  void add_number(const UserArgument& declared, const LibraryArgument& value, litz_argument& out);
  void add_list(const UserArgument& declared, const LibraryArgument& value, litz_argument& out);
  Tensor operand(const UserArgument& declared, const Tensor& given);
  bool takes_only_row_major() const;
  bool needs_own(const Tensor& target) const;
  static void normalize(Tensor& written);
  litz_tensor shown(const Tensor& tensor);
  std::vector<UserKind> result_kinds() const;
  void add_results();
  void state_results();
  void check_stated(size_t result, const Tensor& tensor) const;
  void invoke(litz_function function, const char* what);
  void take_results();

  static int32_t set_result(const litz_call* call, int32_t index, int32_t dtype, int32_t rank,
                            const int64_t* sizes);
  static int32_t fail(const litz_call* call, const char* format, ...)
      __attribute__((format(printf, 2, 3)));
  void set(int32_t index, int32_t dtype, int32_t rank, const int64_t* sizes);

  const UserFunction& function_;
  LibraryCall& call_;
  size_t own_results_;
  size_t next_written_;          ///< The result for the next written tensor.
  bool asks_for_types_ = false;  ///< Calls result_types, before the call itself.
  std::vector<Stated> stated_;   ///< By own result.
  std::vector<Tensor> own_;      ///< Tensors that the function writes, by own result.
  std::vector<std::pair<Tensor, Tensor>> written_;  ///< (written tensor, destination)

  litz_call shown_ = {};
  std::vector<litz_argument> arguments_;
  std::vector<litz_tensor> results_;
  std::deque<std::vector<litz_tensor>> tensor_lists_;
  std::deque<std::vector<uint8_t>> flags_;
  std::deque<std::vector<const char*>> texts_;
  std::deque<Tensor> kept_;  ///< Tensors whose sizes and strides the function reads.
  bool has_failed_ = false;
  std::string message_;
  std::exception_ptr error_;  ///< From a callback, which must not throw through C.
};

}  // namespace litz::kernels
