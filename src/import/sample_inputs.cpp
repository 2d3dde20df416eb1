#include "import/sample_inputs.h"

#include "import/torch_save.h"
#include "support/check.h"

namespace litz::import_ {
namespace {

void flatten(const PickleObject& object, std::vector<SampleInput>& leaves) {
  switch (object.kind) {
    case PickleKind::list:
    case PickleKind::tuple:
      for (const PickleObject* item : object.items()) flatten(*item, leaves);
      return;
    case PickleKind::dict:
      for (size_t i = 1; i < object.items().size(); i += 2) flatten(*object.items()[i], leaves);
      return;
    case PickleKind::tensor:
      leaves.push_back({object.tensor().tensor(), {}});
      require(leaves.back().tensor.defined(), ErrorCode::unsupported,
              "an example input has no data");
      return;
    case PickleKind::none:
      leaves.push_back({});
      return;
    case PickleKind::boolean:
      leaves.push_back({{}, Expr::boolean(object.boolean())});
      return;
    case PickleKind::integer:
      leaves.push_back({{}, Expr(object.integer())});
      return;
    case PickleKind::real:
      leaves.push_back({{}, Expr::real(object.real())});
      return;
    case PickleKind::string:
      leaves.push_back({{}, object.text()});
      return;
    case PickleKind::complex:
      leaves.push_back({{}, std::get<std::complex<double>>(object.payload)});
      return;
    case PickleKind::bytes:
    case PickleKind::set:
    case PickleKind::global:
    case PickleKind::storage:
    case PickleKind::opaque:
      break;
  }
  fail(ErrorCode::unsupported, "example inputs must be tensors, numbers and plain containers, not",
       name(object.kind));
}

}  // namespace

std::optional<std::vector<SampleInput>> read_sample_inputs(const Archive& archive,
                                                           std::string* why) {
  const ZipEntry* entry = archive.sample_inputs();
  if (entry == nullptr || entry->size == 0) return std::nullopt;
  try {
    const PickleDocument document =
        read_torch_save(archive.zip(), *entry, {.opaque_objects = true});
    std::vector<SampleInput> leaves;
    flatten(document.root(), leaves);
    return leaves;
  } catch (const Error& error) {
    if (why != nullptr) *why = error.what();
    return std::nullopt;
  }
}

}  // namespace litz::import_
