// Continues several conversations with one decoder, each with a cache of its own:
//   decode MODEL.pt2 STEPS TOKEN ...
//
// The model takes a token (i64[1, 1]) and its position (i64[1]), keeps its keys and values in buffers,
// and returns logits, as exports of decoders with a static cache do.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <litz/litz.h>
#include <string>
#include <vector>

namespace {

/// One conversation. It costs the memory of its cache; weights and code are the program's.
struct Conversation {
  litz::Session session;
  std::vector<int64_t> tokens;
};

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 1; }

int64_t largest(std::span<const float> logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

/// Appends the most probable token.
litz::Result<void> step(Conversation& conversation, litz::Tensor& logits) {
  const int64_t token = conversation.tokens.back();
  const auto position = static_cast<int64_t>(conversation.tokens.size()) - 1;
  const std::vector<litz::Value> inputs{litz::Tensor::from<int64_t>({1, 1}, std::span(&token, 1)),
                                        litz::Tensor::from<int64_t>({1}, std::span(&position, 1))};
  const litz::Result<void> ran = conversation.session.run_into(inputs, {&logits, 1});
  if (ran) conversation.tokens.push_back(largest(logits.as<float>()));
  return ran;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return fail("usage: decode MODEL.pt2 STEPS TOKEN ...");
  litz::Result<litz::Executable> program = litz::load(argv[1]);
  if (!program) return fail(program.error().message);
  const litz::SignatureEntry output = program->outputs().at(0);
  std::vector<int64_t> sizes;
  for (const litz::SizeInfo& size : output.sizes) sizes.push_back(size.least);
  litz::Tensor logits = litz::Tensor::uninitialized(output.dtype, sizes);
  std::vector<Conversation> conversations;
  for (int i = 3; i < argc; ++i) {
    litz::Result<litz::Session> session = program->session();
    if (!session) return fail(session.error().message);
    conversations.push_back({std::move(*session), {std::atoll(argv[i])}});
  }
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    for (Conversation& conversation : conversations) {
      const litz::Result<void> ran = step(conversation, logits);
      if (!ran) return fail(ran.error().message);
    }
  }
  for (const Conversation& conversation : conversations) {
    for (const int64_t token : conversation.tokens) {
      std::printf("%lld ", static_cast<long long>(token));
    }
    std::printf("\n");
  }
}
