// Regions of litz/region.h.

#include "ir/annotations.h"
#include "passes/region_options.h"
#include "support/check.h"
#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/region.h"

namespace litz {
inline namespace v1 {
namespace {

/// The regions that this thread's calls belong to, the innermost last.
std::vector<ir::Annotations>& open_regions() {
  thread_local std::vector<ir::Annotations> regions;
  return regions;
}

}  // namespace

const ir::Annotations& current_annotations() {
  static const ir::Annotations none;
  return open_regions().empty() ? none : open_regions().back();
}

namespace detail {

RegionScope::RegionScope(const RegionOptions& options) {
  raising([&] {
    passes::RegionKey key{.id = options.id};
    for (const auto& [name, value] : options.options) key.config[name] = value;
    // Reads it again, which checks names and types.
    std::string mark =
        passes::annotation_value(passes::parse_region_key(passes::annotation_value(key)));
    ir::Annotations annotations = current_annotations();
    std::string& region = annotations[std::string(passes::kRegionAnnotation)];
    region = region.empty() ? std::move(mark) : passes::nested_region(region, mark);
    open_regions().push_back(std::move(annotations));
  });
}

RegionScope::~RegionScope() { open_regions().pop_back(); }

}  // namespace detail
}  // namespace v1
}  // namespace litz
