#include "codegen/cuda/nvrtc.h"

#include <memory>

#include "support/check.h"
#include "support/shared_library.h"

namespace litz::codegen {
namespace {

const SharedLibrary& library() {
  static const SharedLibrary kLibrary(
      cuda_library_files("LITZ_NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12"}));
  return kLibrary;
}

}  // namespace

std::string Nvrtc::reason_missing() { return library().is_open() ? "" : library().failures(); }

const Nvrtc& Nvrtc::instance() {
  static const Nvrtc kInstance;
  return kInstance;
}

Nvrtc::Nvrtc() {
  require(library().is_open(), ErrorCode::unsupported,
          "code for NVIDIA devices needs NVIDIA's run-time compiler, libnvrtc.so of CUDA 12 or 13, "
          "which could not be opened. Install it (the package nvidia-cuda-nvrtc of pip holds it), "
          "and name its folder in LITZ_CUDA_LIBRARIES:",
          library().failures());
  file_ = library().file();
  const auto find = [](auto& function, const char* name) {
    library().bind(function, name, "NVIDIA's run-time compiler must be of CUDA 12 or later:");
  };
  find(functions_.version, "nvrtcVersion");
  find(functions_.create, "nvrtcCreateProgram");
  find(functions_.compile, "nvrtcCompileProgram");
  find(functions_.code_size, "nvrtcGetCUBINSize");
  find(functions_.code, "nvrtcGetCUBIN");
  find(functions_.log_size, "nvrtcGetProgramLogSize");
  find(functions_.log, "nvrtcGetProgramLog");
  find(functions_.destroy, "nvrtcDestroyProgram");
  find(functions_.error_text, "nvrtcGetErrorString");
}

void Nvrtc::require_success(int code, const char* call) const {
  require(code == 0, ErrorCode::io, call, "failed:", functions_.error_text(code));
}

std::string Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  require_success(functions_.version(&major, &minor), "nvrtcVersion");
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<std::byte> Nvrtc::compile(const std::string& text,
                                      std::string_view architecture) const {
  return compile(text, architecture, nullptr);
}

std::vector<std::byte> Nvrtc::compile(const std::string& text, std::string_view architecture,
                                      std::string* messages) const {
  void* program = nullptr;
  require_success(functions_.create(&program, text.c_str(), "litz.cu", 0, nullptr, nullptr),
                  "nvrtcCreateProgram");
  const auto destroy = [this](void* made) { functions_.destroy(&made); };
  const std::unique_ptr<void, decltype(destroy)> owner(program, destroy);
  const std::string target = "--gpu-architecture=" + std::string(architecture);
  std::vector<const char*> options{target.c_str(), "--std=c++17", "--fmad=false"};
  if (messages != nullptr) options.push_back("--ptxas-options=-v");
  const int result = functions_.compile(program, static_cast<int>(options.size()), options.data());
  size_t log_bytes = 0;
  require_success(functions_.log_size(program, &log_bytes), "nvrtcGetProgramLogSize");
  std::string log(log_bytes, '\0');
  require_success(functions_.log(program, log.data()), "nvrtcGetProgramLog");
  while (!log.empty() && log.back() == '\0') log.pop_back();
  if (messages != nullptr) *messages = log;
  if (result != 0) {
    throw InternalError("generated CUDA text must compile: " +
                        std::string(functions_.error_text(result)) + "\n" + log + "\n" + text);
  }
  size_t bytes = 0;
  require_success(functions_.code_size(program, &bytes), "nvrtcGetCUBINSize");
  std::vector<std::byte> code(bytes);
  require_success(functions_.code(program, reinterpret_cast<char*>(code.data())), "nvrtcGetCUBIN");
  return code;
}

}  // namespace litz::codegen
