// Random functions with views, writes and breaks: compiled, they do what they do at once.

#include <litz/compile.h>
#include <litz/index.h>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace litz {
namespace {

enum class Step : uint8_t {
  add,
  multiply,
  negate,
  sum_rows,
  turn,
  part,
  every_other,
  row,
  flatten_all,
  write_add,
  write_copy,
  write_part,
  break_here,
  read,
  choose,
  last = choose
};

struct Instruction {
  Step step;
  size_t a;
  size_t b;
};

/// What a function does to the tensors that it has so far: two arguments, two captured ones, and results.
using Instructions = std::vector<Instruction>;

Instructions random_instructions(uint32_t seed, bool with_breaks) {
  std::mt19937 random(seed);
  Instructions list;
  const int count = 4 + static_cast<int>(random() % 9);
  for (int i = 0; i < count; ++i) {
    auto step = static_cast<Step>(random() % (static_cast<size_t>(Step::last) + 1));
    if (!with_breaks && (step == Step::break_here || step == Step::read || step == Step::choose)) {
      step = Step::add;
    }
    list.push_back({step, random(), random()});
  }
  return list;
}

/// Both as one shape [rows, columns], whatever they are.
std::pair<Tensor, Tensor> alike(const Tensor& a, const Tensor& b) {
  const Size count = a.size(0) < b.size(0) ? a.size(0) : b.size(0);
  if (a.dim() != b.dim()) return {flatten(a), sum(b)};
  Tensor x = narrow(a, 0, 0, count);
  Tensor y = narrow(b, 0, 0, count);
  if (a.dim() == 2) {
    const Size columns = a.size(1) < b.size(1) ? a.size(1) : b.size(1);
    x = narrow(x, 1, 0, columns);
    y = narrow(y, 1, 0, columns);
  }
  return {x, y};
}

std::vector<Tensor> run(const Instructions& list, std::vector<Tensor> tensors) {
  const size_t given = tensors.size();
  for (const Instruction& instruction : list) {
    const Tensor a = tensors[instruction.a % tensors.size()];
    const Tensor b = tensors[instruction.b % tensors.size()];
    switch (instruction.step) {
      case Step::add: {
        const auto [x, y] = alike(a, b);
        tensors.push_back(x + y);
        break;
      }
      case Step::multiply: {
        const auto [x, y] = alike(a, b);
        tensors.push_back(x * (y * 0.5));
        break;
      }
      case Step::negate:
        tensors.push_back(neg(a));
        break;
      case Step::sum_rows:
        tensors.push_back(sum(a, 0, true));
        break;
      case Step::turn:
        tensors.push_back(a.dim() == 2 ? transpose(a, 0, 1) : a);
        break;
      case Step::part:
        tensors.push_back(a[{slice(0, (a.size(0) + 1) / 2)}]);
        break;
      case Step::every_other:
        tensors.push_back(a[{slice({}, {}, 2)}]);
        break;
      case Step::row:
        tensors.push_back(a.dim() == 2 ? select(a, 0, -1) : a);
        break;
      case Step::flatten_all:
        tensors.push_back(reshape(a, {-1}));
        break;
      case Step::write_add: {
        Tensor written = a;
        add_(written, 1);
        break;
      }
      case Step::write_copy: {
        const auto [x, y] = alike(a, b);
        copy_(x, y * 2);
        break;
      }
      case Step::write_part: {
        Tensor part = a[{slice(0, 1)}];
        mul_(part, -1);
        tensors.push_back(part);
        break;
      }
      case Step::break_here:
        graph_break();
        break;
      case Step::read:
        tensors.push_back(a * (sum(b).item<float>() > 0 ? 2 : 3));
        break;
      case Step::choose:
        tensors.push_back(reshape(a, {-1})[{reshape(a, {-1}) > 0}]);
        if (tensors.back().sizes()[0] == 0) tensors.pop_back();
        break;
    }
  }
  return {tensors.begin() + static_cast<std::ptrdiff_t>(given), tensors.end()};
}

Tensor counted(int64_t rows, int64_t columns, int begin) {
  Tensor tensor(DType::float32, {rows, columns});
  int next = begin;
  for (float& element : tensor.as<float>()) element = static_cast<float>(next++ % 7 - 3);
  return tensor;
}

struct World {
  Tensor x;
  Tensor y;
  Tensor kept;
  Tensor weight;

  World(int64_t rows, int64_t columns)
      : x(counted(rows, columns, 0)),
        y(counted(rows, columns, 3)),
        kept(counted(3, 4, 1)),
        weight(counted(2, 5, 5)) {}
};

std::string difference(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  if (actual.size() != expected.size()) return "another number of results";
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i].sizes() != expected[i].sizes()) return "sizes of " + std::to_string(i);
    const std::vector<float> a = actual[i].to_vector<float>();
    const std::vector<float> b = expected[i].to_vector<float>();
    for (size_t k = 0; k < a.size(); ++k) {
      if (std::abs(a[k] - b[k]) > 1e-3F + 1e-4F * std::abs(b[k])) {
        return "element " + std::to_string(k) + " of " + std::to_string(i) + ": " +
               std::to_string(a[k]) + ", not " + std::to_string(b[k]);
      }
    }
  }
  return "";
}

/// Calls with several sizes; writes to results show whether they share memory as they should.
std::string differs(uint32_t seed, const CompileOptions& options) {
  const Instructions list = random_instructions(seed, !options.full_graph);
  World actual(4, 5);
  World expected(4, 5);
  const auto function = compile(
      [&](const Tensor& x, const Tensor& y) {
        return run(list, {x, y, actual.kept, actual.weight});
      },
      options);
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{4, 5}, {4, 5}, {6, 3}, {7, 7}}) {
    const World fresh(rows, columns);
    const World same(rows, columns);
    std::vector<Tensor> results = function(fresh.x, fresh.y);
    std::vector<Tensor> wanted = run(list, {same.x, same.y, expected.kept, expected.weight});
    for (size_t i = 0; i < std::min(results.size(), wanted.size()); ++i) {
      add_(results[i], static_cast<int64_t>(i + 1));
      add_(wanted[i], static_cast<int64_t>(i + 1));
    }
    for (const auto& [own, other] : {std::pair(fresh.x, same.x),
                                     {fresh.y, same.y},
                                     {actual.kept, expected.kept},
                                     {actual.weight, expected.weight}}) {
      results.push_back(own);
      wanted.push_back(other);
    }
    if (std::string text = difference(results, wanted); !text.empty()) {
      return "seed " + std::to_string(seed) + ", [" + std::to_string(rows) + ", " +
             std::to_string(columns) + "]: " + text;
    }
  }
  return "";
}

TEST(RandomFunctions, WithBreaks) {
  for (uint32_t seed = 0; seed < 40; ++seed) EXPECT_EQ(differs(seed, {}), "");
}

TEST(RandomFunctions, AsAWhole) {
  for (uint32_t seed = 1000; seed < 1040; ++seed) {
    EXPECT_EQ(differs(seed, {.full_graph = true}), "");
  }
}

}  // namespace
}  // namespace litz
