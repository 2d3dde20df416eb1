// What PyTorch gave on three processes (tests/data/collectives.jsonl, tools/record_collectives.py).

#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "distributed/collective.h"
#include "support/check.h"
#include "support/json.h"

namespace litz::distributed {
namespace {

std::vector<int64_t> integers(const JsonValue& list) {
  std::vector<int64_t> values;
  for (const JsonValue& each : list.as_array()) values.push_back(each.as_int());
  return values;
}

Tensor read_tensor(const JsonValue& value, DType dtype) {
  std::vector<double> elements;
  for (const JsonValue& each : value.at("elements").as_array()) {
    elements.push_back(each.as_double());
  }
  return Tensor::of(dtype, integers(value.at("sizes")), std::span<const double>(elements));
}

Collective read_collective(const JsonValue& call, size_t rank) {
  const std::string name(call.at("operator").as_string());
  const JsonValue& arguments = call.at("arguments").at(rank);
  Collective collective;
  if (name == "all_reduce" || name == "reduce_scatter_tensor") {
    collective.kind =
        name == "all_reduce" ? CollectiveKind::all_reduce : CollectiveKind::reduce_scatter;
    collective.reduction = parse_reduction(arguments.at(size_t{0}).as_string());
  } else if (name == "all_gather_into_tensor") {
    collective.kind = CollectiveKind::all_gather;
  } else if (name == "broadcast") {
    collective.kind = CollectiveKind::broadcast;
    collective.peer = arguments.at(size_t{0}).as_int();
  } else {
    check(name == "all_to_all_single", "a recorded collective must be known:", name);
    collective.kind = CollectiveKind::all_to_all;
    collective.received = integers(arguments.at(size_t{0}));
    collective.sent = integers(arguments.at(size_t{1}));
  }
  return collective;
}

void expect_recorded(const JsonValue& call) {
  const DType dtype = *parse_dtype(call.at("dtype").as_string());
  const std::span<const JsonValue> operands = call.at("operands").as_array();
  std::vector<Collective> ranks;
  std::vector<Tensor> expected;
  for (size_t rank = 0; rank < operands.size(); ++rank) {
    ranks.push_back(read_collective(call, rank));
    ranks.back().operands = {read_tensor(operands[rank], dtype)};
    expected.push_back(read_tensor(call.at("results").at(rank), dtype));
    ranks.back().results = {Tensor::zeros(dtype, expected.back().sizes())};
  }
  std::vector<const Collective*> pointers;
  for (const Collective& each : ranks) pointers.push_back(&each);
  combine(pointers);
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(to_string(ranks[rank].results[0]), to_string(expected[rank])) << "rank " << rank;
  }
}

TEST(RecordedCollectives, GiveWhatPyTorchGives) {
  std::ifstream file("tests/data/collectives.jsonl");
  size_t calls = 0;
  for (std::string line; std::getline(file, line); ++calls) {
    SCOPED_TRACE(line.substr(0, 200));
    const JsonDocument document = JsonDocument::parse(line);
    expect_recorded(document.root());
  }
  EXPECT_GT(calls, 150u);
}

}  // namespace
}  // namespace litz::distributed
