#include "runtime/cpu/object_code.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/mman.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

constexpr Machine kThisMachine =
#if defined(__aarch64__)
    Machine::aarch64;
#else
    Machine::x86_64;
#endif

std::string_view name(Machine machine) {
  return machine == Machine::aarch64 ? "an ARM processor" : "an x86 processor";
}

void protect(std::byte* begin, size_t bytes, int protection) {
  if (bytes == 0) return;
  require(::mprotect(begin, bytes, protection) == 0, ErrorCode::io,
          "the system must allow loaded code:", std::strerror(errno));
}

}  // namespace

LoadedCode LoadedCode::load(std::span<const std::span<const std::byte>> objects,
                            ImportResolver resolve) {
  const ObjectLinker linker(objects, resolve);
  LoadedCode code;
  if (objects.empty()) return code;
  require(linker.machine() == kThisMachine, ErrorCode::unsupported,
          "compiled code must be for this machine: it is for", name(linker.machine()),
          "and this is", name(kThisMachine), "- choose the target host, or only print the code");
  if (linker.bytes() == 0) return code;
  void* const mapping =
      ::mmap(nullptr, linker.bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(mapping != MAP_FAILED, ErrorCode::out_of_memory,
          "memory for compiled code must be available:", linker.bytes(), std::strerror(errno));
  code.mapping_ = mapping;
  code.bytes_ = linker.bytes();
  auto* const image = static_cast<std::byte*>(mapping);
  linker.write({image, code.bytes_}, reinterpret_cast<uint64_t>(mapping));
  protect(image, linker.code_bytes(), PROT_READ | PROT_EXEC);
  protect(image + linker.code_bytes(), code.bytes_ - linker.code_bytes(), PROT_READ);
  __builtin___clear_cache(reinterpret_cast<char*>(image),
                          reinterpret_cast<char*>(image + linker.code_bytes()));
  code.functions_.assign(linker.functions().begin(), linker.functions().end());
  return code;
}

LoadedCode::LoadedCode(LoadedCode&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      functions_(std::move(other.functions_)) {
  other.functions_.clear();
}

LoadedCode& LoadedCode::operator=(LoadedCode&& other) noexcept {
  if (this != &other) {
    unmap();
    mapping_ = std::exchange(other.mapping_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    functions_ = std::move(other.functions_);
    other.functions_.clear();
  }
  return *this;
}

LoadedCode::~LoadedCode() { unmap(); }

void LoadedCode::unmap() noexcept {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_);
}

artifact::KernelFunction LoadedCode::find(std::string_view symbol) const {
  const auto found =
      std::ranges::lower_bound(functions_, symbol, {}, &decltype(functions_)::value_type::first);
  if (found == functions_.end() || found->first != symbol) return nullptr;
  return reinterpret_cast<artifact::KernelFunction>(static_cast<std::byte*>(mapping_) +
                                                    found->second);
}

}  // namespace litz::runtime
