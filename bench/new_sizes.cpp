// The cost of sizes that a compiled program has not seen before, beyond that of a call: a copy of
// the program is bound to them, and memory of temporaries is planned if their bucket is also new.
//
// Usage: bench_new_sizes PROGRAM.pt2 SYMBOL FIRST LAST
//
// Sizes of SYMBOL run from FIRST to LAST, like a decoder's; other symbols have the values of the
// export. Prints the median of each kind, in processor time.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "import/import.h"
#include "ops/op_table.h"
#include "runtime/program/size_buckets.h"
#include "support/check.h"

namespace {

using namespace litz;

// Inputs of these sizes; their contents do not matter, since nothing runs.
std::vector<compiler::Leaf> inputs_at(const ir::Program& program, const Bindings& sizes) {
  std::vector<compiler::Leaf> leaves;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.inputs[i].kind != ir::InputKind::user) continue;
    const ir::ValueType& type = program.graph().input(i).type();
    if (const auto* tensor = std::get_if<TensorType>(&type)) {
      leaves.emplace_back(Tensor::zeros(tensor->dtype, evaluate(tensor->sizes, sizes)));
    } else {
      leaves.emplace_back(std::monostate());
    }
  }
  return leaves;
}

// Processor time, so that other work on the machine does not count.
double thread_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double microseconds(compiler::Executable& executable, const std::vector<compiler::Leaf>& inputs) {
  const double begin = thread_microseconds();
  executable.prepare(inputs);
  return thread_microseconds() - begin;
}

void print(const char* what, std::vector<double> times) {
  if (times.empty()) return;
  std::ranges::sort(times);
  std::printf("%-24s %5zu sizes, median %8.1f us, fastest %8.1f us, slowest %8.1f us\n", what,
              times.size(), times[times.size() / 2], times.front(), times.back());
}

void measure(const std::string& path, const std::string& name, int64_t first, int64_t last) {
  ir::Program program = import_::import_program(path, ops::standard_ops());
  const ExprPool& pool = program.module->exprs();
  const auto symbol = pool.find_symbol(name);
  require(symbol.has_value(), "the program must have the symbol", name);
  Bindings sizes;
  for (SymbolId id = 0; id < pool.symbol_count(); ++id) {
    const SymbolInfo& info = pool.symbol(id);
    sizes.set(id, info.hint.value_or(std::max<int64_t>(info.range.lo, 1)));
  }
  compiler::Executable executable(std::move(program), {.threads = 1});
  std::vector<double> loaded;
  std::vector<double> planned;
  std::vector<double> bound;
  std::vector<double> warm;
  for (int64_t size = first; size <= last; ++size) {
    sizes.set(symbol->symbol(), size);
    const std::vector<compiler::Leaf> inputs = inputs_at(*executable.program(), sizes);
    const double time = microseconds(executable, inputs);
    const bool is_plan = runtime::size_bucket(size).lo == size;
    (size == first ? loaded : is_plan ? planned : bound).push_back(time);
    warm.push_back(microseconds(executable, inputs));
  }
  print("the first size", loaded);
  print("a new bucket", planned);
  print("a new size of a bucket", bound);
  print("known sizes", warm);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_new_sizes PROGRAM.pt2 SYMBOL FIRST LAST\n");
    return 2;
  }
  try {
    measure(argv[1], argv[2], std::atoll(argv[3]), std::atoll(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
