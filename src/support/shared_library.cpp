#include "support/shared_library.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

#include "support/check.h"

namespace litz {

SharedLibrary::SharedLibrary(std::span<const std::string> files) {
  for (const std::string& file : files) {
    handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      file_ = file;
      return;
    }
    const char* const why = ::dlerror();
    failures_ += (failures_.empty() ? "" : "\n") + std::string(why != nullptr ? why : file.c_str());
  }
}

void* SharedLibrary::find(const char* name) const {
  return handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
}

void* SharedLibrary::required(const char* name, const char* demand) const {
  void* const address = find(name);
  litz::require(address != nullptr, ErrorCode::unsupported, demand, file_, "lacks", name);
  return address;
}

std::vector<std::string> cuda_library_files(const char* variable,
                                            std::initializer_list<std::string_view> names) {
  if (const char* const own = std::getenv(variable)) return {own};
  const char* const listed = std::getenv("LITZ_CUDA_LIBRARIES");
  std::string folders = listed != nullptr ? std::string(listed) + ":" : "";
  folders += "/usr/local/cuda/lib64:/opt/cuda/lib64";
  std::vector<std::string> files;
  for (const std::string_view name : names) {
    files.emplace_back(name);
    for (size_t at = 0; at < folders.size();) {
      const size_t end = std::min(folders.find(':', at), folders.size());
      if (end > at) files.push_back(folders.substr(at, end - at) + "/" + std::string(name));
      at = end + 1;
    }
  }
  return files;
}

}  // namespace litz
