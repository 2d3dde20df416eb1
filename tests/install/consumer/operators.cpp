// Registers operators of a shared object and of its own, and runs a program that calls the former:
//   operators my_operators.so clipped.pt2
#include <cstdio>
#include <litz/litz.h>
#include <litz/operators.h>

namespace {

int32_t do_nothing(const litz_call*) { return 0; }

const litz_operator own[] = {{.schema = "own::nothing(Tensor x) -> Tensor", .run = do_nothing}};

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 1; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("usage: operators OPERATORS.so MODEL.pt2");
  if (litz::load(argv[2])) return fail("a program must not load before its operators are known");
  litz::Result<size_t> registered = litz::register_operators(argv[1]);
  if (!registered) return fail(registered.error().message);
  litz::Result<size_t> more =
      litz::register_operators({LITZ_OPERATORS_ABI, sizeof(litz_operator), 1, own});
  if (!more) return fail(more.error().message);
  if (litz::register_operators({LITZ_OPERATORS_ABI + 1, sizeof(litz_operator), 1, own})) {
    return fail("an object of another ABI must be refused");
  }
  litz::Result<litz::Executable> program = litz::load(argv[2]);
  if (!program) return fail(program.error().message);
  const auto outputs = program->run({litz::Tensor(litz::DType::float32, {4, 6})});
  std::printf("%zu operators, %s\n", *registered + *more, outputs ? "ran" : "failed");
  return outputs ? 0 : 1;
}
