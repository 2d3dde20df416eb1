// Libraries that are opened while the program runs, so that it also runs without them.

#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace litz {

class SharedLibrary {
 public:
  /// The first of the files that opens; a name without a slash is searched as the system does. If
  /// none opens, is_open() is false and failures() says why.
  explicit SharedLibrary(std::span<const std::string> files);

  bool is_open() const { return handle_ != nullptr; }

  /// The path or name that was opened.
  const std::string& file() const { return file_; }

  /// One line per file that did not open.
  const std::string& failures() const { return failures_; }

  /// The address of a function; null if the library has none of that name.
  void* find(const char* name) const;

  /// Sets a pointer to a function. Throws Error{unsupported}, which begins with `demand`, if the
  /// library has none of that name.
  template <typename F>
  void bind(F*& function, const char* name, const char* demand) const {
    function = reinterpret_cast<F*>(required(name, demand));
  }

 private:
  void* required(const char* name, const char* demand) const;

  void* handle_ = nullptr;  ///< Never closed: its code may be in use until the process ends.
  std::string file_;
  std::string failures_;
};

/// The places of a library of NVIDIA's: the file that `variable` of the environment names, alone;
/// else each of `names` where the system finds it, in the folders of LITZ_CUDA_LIBRARIES (separated
/// by colons), and in those of the toolkit.
std::vector<std::string> cuda_library_files(const char* variable,
                                            std::initializer_list<std::string_view> names);

}  // namespace litz
