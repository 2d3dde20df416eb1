// NVIDIA's run-time compiler, opened when it is first needed: CUDA text to a module for one
// architecture ("cubin"), without a compiler on the machine.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace litz::codegen {

/// Thread-safe.
class Nvrtc {
 public:
  /// The library of this process: the file that LITZ_NVRTC names, or libnvrtc.so of CUDA 13 or 12
  /// (support/shared_library.h). Throws Error{unsupported} if there is none.
  static const Nvrtc& instance();
  /// Empty if the library can be opened, else why not.
  static std::string reason_missing();

  /// "13.0"
  std::string version() const;

  const std::string& file() const { return file_; }

  /// Compiles for an architecture such as "sm_90". Contraction of products and sums is off. Throws
  /// InternalError with the compiler's messages if the text is not valid.
  std::vector<std::byte> compile(const std::string& text, std::string_view architecture) const;

  /// The same with the messages of the assembler, which tell registers, spills and shared memory.
  std::vector<std::byte> compile(const std::string& text, std::string_view architecture,
                                 std::string* messages) const;

 private:
  Nvrtc();

  /// The functions that are used, as the library declares them.
  struct Functions {
    int (*version)(int* major, int* minor) = nullptr;
    int (*create)(void** program, const char* text, const char* name, int headers,
                  const char* const* sources, const char* const* names) = nullptr;
    int (*compile)(void* program, int count, const char* const* options) = nullptr;
    int (*code_size)(void* program, size_t* size) = nullptr;
    int (*code)(void* program, char* bytes) = nullptr;
    int (*log_size)(void* program, size_t* size) = nullptr;
    int (*log)(void* program, char* text) = nullptr;
    int (*destroy)(void** program) = nullptr;
    const char* (*error_text)(int code) = nullptr;
  };

  void require_success(int code, const char* call) const;

  Functions functions_;
  std::string file_;
};

}  // namespace litz::codegen
