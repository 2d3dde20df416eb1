#include "support/shared_library.h"

#include <cstdlib>
#include <dlfcn.h>

#include "support/text.h"

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

std::vector<std::string> cuda_library_files(const char* variable, std::string_view name) {
  if (const char* const own = std::getenv(variable)) return {own};
  std::vector<std::string> files{std::string(name)};
  const char* const listed = std::getenv("LITZ_CUDA_LIBRARIES");
  std::string folders = listed != nullptr ? std::string(listed) + ":" : "";
  folders += "/usr/local/cuda/lib64:/opt/cuda/lib64";
  for (size_t at = 0; at < folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    if (end > at) files.push_back(folders.substr(at, end - at) + "/" + std::string(name));
    at = end + 1;
  }
  return files;
}

}  // namespace litz
