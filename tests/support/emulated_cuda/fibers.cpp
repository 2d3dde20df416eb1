#include "fibers.h"

#include <algorithm>
#include <string>
#include <sys/mman.h>
#include <vector>

#include "machine.h"

#if !defined(__x86_64__)
#error "The emulation switches fibers in code for x86-64."
#endif

// Saves the registers that a call keeps, stores the stack in *from and continues on the stack `to`.
extern "C" void emulated_switch(void** from, void* to);
asm(R"(
.text
.globl emulated_switch
.hidden emulated_switch
.type emulated_switch, @function
emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulated_switch, .-emulated_switch
)");

namespace emulated {
namespace {

constexpr size_t kStack = size_t{256} << 10;
constexpr size_t kPage = 4096;
constexpr unsigned kLanes = 32;

struct Fiber {
  unsigned index = 0;
  void* stack_pointer = nullptr;
  char* stack = nullptr;
};

/// Threads of a warp that exchange values under one mask.
struct Group {
  unsigned mask = 0;
  unsigned arrived = 0;
  unsigned turn = 0;
  std::vector<Fiber*> waiting;
  unsigned long long values[2][kLanes] = {};
  unsigned participants[2] = {};
};

struct Warp {
  unsigned ended = 0;  ///< Lanes that have ended or do not exist.
  std::vector<Group> groups;
};

struct Block {
  void (*kernel)(void**) = nullptr;
  void** arguments = nullptr;
  std::vector<Fiber> fibers;
  std::vector<Fiber*> ready;
  std::vector<Warp> warps;
  std::vector<Fiber*> at_barrier;
  unsigned arrived = 0;
  unsigned ended = 0;
  unsigned turn = 0;
  int counts[2] = {};
  Fiber* current = nullptr;
  void* scheduler = nullptr;
  uint64_t random = 1;
};

Block block;
std::vector<char*> free_stacks;

unsigned some_below(size_t count) {
  block.random ^= block.random << 13;
  block.random ^= block.random >> 7;
  block.random ^= block.random << 17;
  return static_cast<unsigned>(block.random % count);
}

char* take_stack() {
  if (!free_stacks.empty()) {
    char* const stack = free_stacks.back();
    free_stacks.pop_back();
    return stack;
  }
  void* const mapping = ::mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) misuse("no memory for the stacks of a block");
  ::mprotect(mapping, kPage, PROT_NONE);  // A stack that is too small faults.
  return static_cast<char*>(mapping);
}

void leave() { emulated_switch(&block.current->stack_pointer, block.scheduler); }

void wake(std::vector<Fiber*>& waiting) {
  block.ready.insert(block.ready.end(), waiting.begin(), waiting.end());
  waiting.clear();
}

// --- Barriers

/// Lets the threads at the block's barrier go on if all have arrived.
bool pass_barrier() {
  if (block.arrived == 0 || block.arrived + block.ended < block.fibers.size()) return false;
  block.arrived = 0;
  block.turn ^= 1;
  block.counts[block.turn] = 0;
  wake(block.at_barrier);
  return true;
}

int sync_block(int predicate) {
  const unsigned turn = block.turn;
  ++block.arrived;
  block.counts[turn] += predicate != 0 ? 1 : 0;
  if (!pass_barrier()) {
    block.at_barrier.push_back(block.current);
    leave();
  }
  return block.counts[turn];
}

bool pass_group(Group& group, const Warp& warp) {
  if (group.arrived == 0 || ((group.arrived | warp.ended) & group.mask) != group.mask) return false;
  group.participants[group.turn] = group.arrived;
  group.arrived = 0;
  group.turn ^= 1;
  wake(group.waiting);
  return true;
}

const unsigned long long* exchange(unsigned mask, unsigned long long value,
                                   unsigned* participants) {
  Fiber* const own = block.current;
  const unsigned lane = own->index % kLanes;
  Warp& warp = block.warps[own->index / kLanes];
  if ((mask >> lane & 1) == 0) misuse("a lane calls a function of a warp whose mask lacks it");
  auto found = std::find_if(warp.groups.begin(), warp.groups.end(),
                            [&](const Group& group) { return group.mask == mask; });
  if (found == warp.groups.end()) {
    warp.groups.emplace_back().mask = mask;
    found = warp.groups.end() - 1;
  }
  const auto index = found - warp.groups.begin();  // Others may add groups meanwhile.
  const unsigned turn = found->turn;
  found->values[turn][lane] = value;
  found->arrived |= 1U << lane;
  if (!pass_group(*found, warp)) {
    found->waiting.push_back(own);
    leave();
  }
  Group& group = warp.groups[static_cast<size_t>(index)];
  *participants = group.participants[turn];
  // Copied: the group may move before the lane reads.
  thread_local unsigned long long values[1024][kLanes];
  std::copy_n(group.values[turn], kLanes, values[own->index]);
  return values[own->index];
}

// --- Threads

void end_thread() {
  Fiber* const own = block.current;
  Warp& warp = block.warps[own->index / kLanes];
  warp.ended |= 1U << own->index % kLanes;
  ++block.ended;
  for (Group& group : warp.groups) pass_group(group, warp);
  pass_barrier();
}

// The entry of every fiber, which never returns.
void run_thread() {
  block.kernel(block.arguments);
  end_thread();
  free_stacks.push_back(block.current->stack);
  leave();
  misuse("a thread goes on after its end");
}

/// Prepares a stack that begins in run_thread.
void start(Fiber& fiber) {
  fiber.stack = take_stack();
  auto** top = reinterpret_cast<void**>(fiber.stack + kStack);
  *--top = nullptr;  // Aligns the stack as a call would, and ends it for debuggers.
  *--top = reinterpret_cast<void*>(run_thread);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  fiber.stack_pointer = top;
}

void resume(Fiber& fiber) {
  block.current = &fiber;
  hooks.thread = {fiber.index, 0, 0};
  emulated_switch(&block.scheduler, fiber.stack_pointer);
}

[[noreturn]] void report_deadlock() {
  size_t in_warps = 0;
  for (const Warp& warp : block.warps) {
    for (const Group& group : warp.groups) in_warps += group.waiting.size();
  }
  misuse("threads wait for ever: " + std::to_string(block.at_barrier.size()) +
         " at the barrier of the block, " + std::to_string(in_warps) + " in warps, " +
         std::to_string(block.ended) + " have ended");
}

}  // namespace

Hooks hooks{.sync_block = sync_block, .exchange = exchange};

void run_block(void (*kernel)(void** arguments), void** arguments, unsigned threads,
               uint64_t seed) {
  block.kernel = kernel;
  block.arguments = arguments;
  block.fibers.assign(threads, {});
  block.ready.clear();
  block.warps.assign((threads + kLanes - 1) / kLanes, {});
  if (threads % kLanes != 0) block.warps.back().ended = ~0U << threads % kLanes;
  block.arrived = block.ended = block.turn = 0;
  block.counts[0] = block.counts[1] = 0;
  block.random = seed | 1;
  for (unsigned i = 0; i < threads; ++i) block.fibers[i].index = i;
  std::vector<unsigned> order(threads);
  for (unsigned i = 0; i < threads; ++i) order[i] = i;
  for (unsigned i = threads; i > 1; --i) std::swap(order[i - 1], order[some_below(i)]);
  size_t started = 0;
  while (block.ended < threads) {
    // Some threads run far ahead of others that have not begun.
    const bool starts = started < threads && (block.ready.empty() || some_below(4) != 0);
    if (starts) {
      Fiber& fiber = block.fibers[order[started++]];
      start(fiber);
      resume(fiber);
      continue;
    }
    if (block.ready.empty()) report_deadlock();
    std::swap(block.ready[some_below(block.ready.size())], block.ready.back());
    Fiber* const next = block.ready.back();
    block.ready.pop_back();
    resume(*next);
  }
}

}  // namespace emulated
