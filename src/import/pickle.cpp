// Values of the restricted pickle format, and checks of whole documents.

#include "import/pickle.h"

#include <set>
#include <utility>

#include "import/pickle_machine.h"
#include "support/check.h"

namespace litz::import_ {

std::string_view name(PickleKind kind) {
  switch (kind) {
    case PickleKind::none:
      return "none";
    case PickleKind::boolean:
      return "bool";
    case PickleKind::integer:
      return "int";
    case PickleKind::real:
      return "float";
    case PickleKind::complex:
      return "complex";
    case PickleKind::string:
      return "string";
    case PickleKind::bytes:
      return "bytes";
    case PickleKind::list:
      return "list";
    case PickleKind::tuple:
      return "tuple";
    case PickleKind::dict:
      return "dict";
    case PickleKind::set:
      return "set";
    case PickleKind::global:
      return "global";
    case PickleKind::storage:
      return "storage";
    case PickleKind::tensor:
      return "tensor";
    case PickleKind::opaque:
      return "opaque object";
  }
  return "?";
}

Tensor PickleTensor::tensor() const {
  if (storage == nullptr) return {};
  return {dtype, sizes, strides, offset, storage};
}

namespace {

bool is_container(PickleKind kind) {
  return kind == PickleKind::list || kind == PickleKind::tuple || kind == PickleKind::dict ||
         kind == PickleKind::set;
}

// Walks the tree, since a container that contains itself, or nesting beyond the limit, would send
// every reader into endless recursion. Shared containers are walked once per depth.
void check_shape(const PickleObject& object, uint32_t depth, const PickleOptions& options,
                 std::set<const PickleObject*>& open,
                 std::set<std::pair<const PickleObject*, uint32_t>>& done) {
  if (!is_container(object.kind)) return;
  require(depth < options.max_nesting, ErrorCode::limit_exceeded,
          "pickle P13: containers may nest at most so deep:", options.max_nesting, options.origin);
  require(open.insert(&object).second, ErrorCode::corrupt,
          "pickle P10: a container must not contain itself:", options.origin);
  if (done.insert({&object, depth}).second) {
    for (const PickleObject* item : object.items()) {
      check_shape(*item, depth + 1, options, open, done);
    }
  }
  open.erase(&object);
}

}  // namespace

PickleDocument PickleDocument::parse(std::span<const std::byte> bytes,
                                     const PickleOptions& options) {
  PickleDocument document;
  PickleMachine machine(bytes, options, document);
  machine.run();
  std::set<const PickleObject*> open;
  std::set<std::pair<const PickleObject*, uint32_t>> done;
  check_shape(document.root(), 0, options, open, done);
  return document;
}

}  // namespace litz::import_
