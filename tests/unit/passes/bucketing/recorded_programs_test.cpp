// Exported programs beside what PyTorch's own passes leave of their collectives
// (tests/data/fsdp/export.py).

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "import/import.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "passes/bucketing/bucketing.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "support/json.h"
#include "support/text.h"

namespace litz::passes {
namespace {

std::map<std::string, int64_t> collectives(const ir::Graph& graph) {
  std::map<std::string, int64_t> counts;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!has(node->op().traits, ir::Trait::collective_start)) continue;
    const std::string_view name = node->op().name();
    ++counts[std::string(name.substr(name.find('.') + 1))];
  }
  return counts;
}

std::map<std::string, int64_t> recorded(const JsonValue& counts) {
  std::map<std::string, int64_t> result;
  for (const JsonMember& each : counts.as_object()) {
    result.emplace(std::string(each.key), each.value.as_int());
  }
  return result;
}

ir::Program imported(const std::string& name) {
  ir::Program program =
      import_::import_program("tests/data/fsdp/" + name + ".pt2", ops::standard_ops());
  PassContext context{.program = &program};
  run_pipeline(import_pipeline(), *program.module, context, {.verify_each = true});
  return program;
}

TEST(RecordedPrograms, HaveAsManyCollectivesAsPyTorchLeaves) {
  std::ifstream manifest("tests/data/fsdp/manifest.jsonl");
  int programs = 0;
  for (std::string line; std::getline(manifest, line); ++programs) {
    const JsonDocument document = JsonDocument::parse(line);
    const std::string name(document.root().at("name").as_string());
    EXPECT_EQ(collectives(imported(name).graph()), recorded(document.root().at("before")));
    for (const JsonMember& after : document.root().at("after").as_object()) {
      SCOPED_TRACE(name + " with " + std::string(after.key) + " MB");
      const ir::Program program = imported(name);
      BucketOptions options;
      options.cap_mb = [cap = std::stod(std::string(after.key))](size_t /*index*/) { return cap; };
      const BucketReport report = bucket_collectives(program.graph(), options);
      ir::verify(*program.module, {.infer_types = false});
      const auto counts = collectives(program.graph());
      const auto theirs = recorded(after.value);
      // PyTorch never joins what depends on a bucket.
      const bool has_more_rounds = std::ranges::any_of(
          report.buckets, [](const Bucket& bucket) { return bucket.round > 0; });
      if (!has_more_rounds) {
        EXPECT_EQ(counts, theirs);
        continue;
      }
      for (const auto& [kind, count] : counts) EXPECT_LE(count, theirs.at(kind));
    }
  }
  EXPECT_EQ(programs, 5);
}

}  // namespace
}  // namespace litz::passes
