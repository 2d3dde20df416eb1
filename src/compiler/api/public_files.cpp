// Files of tensors (litz/files.h).

#include <map>

#include "support/check.h"
#include "support/text.h"
#include "types/npy.h"
#include "types/npz.h"
#include "types/safetensors.h"

// After the library's own names.
#include "compiler/api/public_support.h"
#include "litz/state.h"

namespace litz {
inline namespace v1 {
namespace {

enum class Format : uint8_t { npy, npz, safetensors };

Format format_of(const std::string& path) {
  if (path.ends_with(".npy")) return Format::npy;
  if (path.ends_with(".npz")) return Format::npz;
  if (path.ends_with(".safetensors")) return Format::safetensors;
  fail(OwnErrorCode::invalid_argument,
       "a file of tensors must end in .npy, .npz or .safetensors:", path);
}

std::vector<NamedTensor> read(const std::string& path) {
  switch (format_of(path)) {
    case Format::npy:
      return {{"", read_npy(path)}};
    case Format::npz:
      return read_npz(path);
    case Format::safetensors:
      return read_safetensors(path).tensors;
  }
  return {};
}

}  // namespace

NamedTensors load_tensors(const std::string& path) {
  return raising([&] {
    NamedTensors tensors;
    for (auto& [name, tensor] : read(path)) {
      // A mapping is read-only and changes with its file.
      tensors.emplace_back(name, TensorAccess::shown(tensor.clone(tensor.strides())));
    }
    return tensors;
  });
}

void save_tensors(const std::string& path, const NamedTensors& tensors) {
  raising([&] {
    std::vector<NamedTensor> own;
    for (const auto& [name, tensor] : tensors) {
      own.emplace_back(name, TensorAccess::own(tensor).contiguous());
    }
    switch (format_of(path)) {
      case Format::npy:
        require(own.size() == 1, OwnErrorCode::invalid_argument,
                "an .npy file has one tensor:", path, own.size());
        return write_npy(path, own[0].second);
      case Format::npz:
        return write_npz(path, own);
      case Format::safetensors:
        return write_safetensors(path, own);
    }
  });
}

std::vector<std::string> detail::copy_by_name(const NamedTensors& from, const NamedTensors& to,
                                              bool all) {
  return raising([&] {
    std::map<std::string, const Tensor*> unused;
    for (const auto& [name, tensor] : from) unused[name] = &tensor;
    std::vector<std::pair<const Tensor*, const Tensor*>> copies;
    for (const auto& [name, tensor] : to) {
      const auto found = unused.find(name);
      require(found != unused.end(), OwnErrorCode::not_found,
              "a model's tensor is not in the file:", quote(name));
      require(
          found->second->sizes() == tensor.sizes(), OwnErrorCode::invalid_argument,
          "a model's tensor must have the sizes of the file's:", quote(name),
          "[" + join(tensor.sizes(), ", ") + "] and [" + join(found->second->sizes(), ", ") + "]");
      copies.emplace_back(&tensor, found->second);
      unused.erase(found);
    }
    std::vector<std::string> names;
    for (const auto& [name, tensor] : unused) {
      if (!name.ends_with("num_batches_tracked")) names.push_back(name);
    }
    require(!all || names.empty(), OwnErrorCode::not_found,
            "a file's tensor must be in the model (or load it with strict = false):",
            names.empty() ? "" : quote(names.front()));
    for (const auto& [tensor, content] : copies) call("aten.copy_", {*tensor, *content});
    return names;
  });
}

}  // namespace v1
}  // namespace litz
