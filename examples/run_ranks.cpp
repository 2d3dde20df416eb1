// Runs a program that was sharded over several ranks, on inputs of zeros, and prints each rank's first
// result:
//   run_ranks model.pt2 4 2x8              four ranks in this process
//   mpirun -n 4 run_ranks model.pt2 mpi 2x8
#include <cstdio>
#include <cstdlib>
#include <litz/litz.h>
#include <sstream>
#include <thread>

using Groups = std::vector<std::shared_ptr<litz::Group>>;

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 1; }

/// This process's ranks.
litz::Result<Groups> join(const std::string& ranks) {
  if (ranks != "mpi") return litz::Group::simulated(std::atoi(ranks.c_str()));
  litz::GroupOptions options;
  options.patience = std::chrono::minutes(1);
  const litz::Result<std::shared_ptr<litz::Group>> own = litz::Group::mpi(options);
  if (!own) return own.error();
  return Groups{*own};
}

int run(const std::string& model, const std::shared_ptr<litz::Group>& group,
        const std::vector<litz::Value>& inputs) {
  litz::Options options;
  options.group = group;
  litz::Result<litz::Executable> program = litz::load(model, options);
  if (!program) return group->leave(program.error().message), fail(program.error().message);
  const litz::Result<std::vector<litz::Value>> outputs = program->run(inputs);
  if (!outputs) return group->leave(outputs.error().message), fail(outputs.error().message);
  const auto* first = std::get_if<litz::Tensor>(&outputs->at(0));
  const bool is_float = first != nullptr && first->dtype() == litz::DType::float32;
  std::printf("rank %d of %d: %g\n", group->rank(), group->world(),
              is_float && first->numel() > 0 ? first->as<float>()[0] : 0.0F);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return fail("usage: run_ranks MODEL.pt2 RANKS|mpi [SIZES ...]");
  std::vector<litz::Value> inputs;
  for (int i = 3; i < argc; ++i) {
    std::vector<int64_t> sizes;
    std::istringstream text(argv[i]);
    for (std::string size; std::getline(text, size, 'x');)
      sizes.push_back(std::atoll(size.c_str()));
    inputs.emplace_back(litz::Tensor(litz::DType::float32, sizes));
  }
  litz::Result<Groups> groups = join(argv[2]);
  if (!groups) return fail(groups.error().message);
  std::vector<int> statuses(groups->size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < groups->size(); ++i) {
    // The thread is the rank's last owner, so that others hear when it ends.
    threads.emplace_back([&, i, group = std::move((*groups)[i])]() mutable {
      statuses[i] = run(argv[1], group, inputs);
      group.reset();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int status : statuses) {
    if (status != 0) return status;
  }
  return 0;
}
