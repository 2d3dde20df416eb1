#include "runtime/c/handles.h"

namespace litz::runtime::c {
namespace {

constexpr int32_t kKinds[] = {LITZ_KIND_NONE,  LITZ_KIND_TENSOR, LITZ_KIND_INT,
                              LITZ_KIND_FLOAT, LITZ_KIND_BOOL,   LITZ_KIND_STRING};
static_assert(static_cast<size_t>(EntryKind::text) + 1 == std::size(kKinds),
              "one for each kind of entries, in their order");

}  // namespace

Entries::Entries(std::vector<Entry> entries) : entries_(std::move(entries)) {
  for (const Entry& entry : entries_) {
    std::vector<litz_size>& sizes = sizes_.emplace_back();
    for (const EntrySize& size : entry.sizes) {
      sizes.push_back({size.least, size.most, size.text.c_str()});
    }
  }
}

void Entries::get(size_t index, litz_entry* entry) const {
  require_given(entry, "a pointer to an entry");
  require(entry->size >= sizeof(litz_entry),
          "the size of an entry must be set to sizeof(litz_entry):", entry->size);
  require(index < size(), ErrorCode::out_of_range, "an entry must be one of the program's:", index,
          "of", size());
  const Entry& from = entries_[index];
  entry->kind = kKinds[static_cast<size_t>(from.kind)];
  entry->name = from.name.c_str();
  entry->dtype = static_cast<int32_t>(from.dtype);
  entry->rank = static_cast<int32_t>(from.sizes.size());
  entry->sizes = sizes_[index].data();
  entry->constant = from.constant.c_str();
}

litz_status refuse(litz_error** error, litz_status status, const char* message) noexcept {
  if (error == nullptr) return status;
  *error = new (std::nothrow) litz_error;
  if (*error == nullptr) return LITZ_OUT_OF_MEMORY;
  (*error)->status = status;
  try {
    (*error)->message = message;
  } catch (const std::bad_alloc&) {  // The status says enough.
  }
  return status;
}

}  // namespace litz::runtime::c

litz_program::litz_program(litz::artifact::Program program,
                           const litz::runtime::ModelOptions& options)
    : model(std::move(program), options),
      inputs(litz::runtime::input_entries(model.signature())),
      outputs(litz::runtime::output_entries(model.signature())),
      buffers(model.calls().buffers()) {
  for (const litz::artifact::ProgramInput& input : model.signature().inputs) {
    if (litz::is_weight(input.kind)) weights.push_back(input.label);
  }
}
