#include "runtime/cuda/cuda_segment.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

unsigned blocks_of(int64_t iterations, int64_t grain, const CudaKernel& kernel) {
  const int64_t blocks = iterations / grain + (iterations % grain != 0 ? 1 : 0);
  require(blocks <= std::numeric_limits<int32_t>::max(), ErrorCode::limit_exceeded,
          "a kernel must have at most 2^31 - 1 blocks:", kernel.name, blocks);
  return static_cast<unsigned>(std::max<int64_t>(1, blocks));
}

struct CapturedGraph {
  CapturedGraph(const Driver& from, Graph made) : driver(from), graph(made) {}

  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  ~CapturedGraph() { driver.destroy_graph.result_of(graph); }

  const Driver& driver;
  Graph graph;
};

}  // namespace

CudaSegment::CudaSegment(const CudaDevice& device, LaunchState& state, size_t first, size_t count,
                         bool fills_released)
    : device_(device),
      driver_(device.streams()->context().driver()),
      state_(state),
      first_(first),
      count_(count),
      fills_released_(fills_released) {}

CudaSegment::~CudaSegment() {
  drop();
  if (recorder_ != nullptr) driver_.destroy_stream.result_of(recorder_);
}

// --- The nodes of the driver's graph

std::vector<CudaSegment::Piece> CudaSegment::pieces_of(size_t node) const {
  const PlainNode& source = (*state_.nodes)[node];
  size_t parts = 0;
  switch (source.kind) {
    case PlainNodeKind::kernel:
      parts = source.extents.size();
      break;
    case PlainNodeKind::copy:
      parts = source.bytes > 0 ? 1 : 0;
      break;
    case PlainNodeKind::release:
      if (!fills_released_) break;
      [[fallthrough]];
    case PlainNodeKind::fill:
      parts = fill_parts(node).size();
      break;
    case PlainNodeKind::call:
      parts = 1;
      break;
    case PlainNodeKind::if_else:
    case PlainNodeKind::while_loop:
      fail(ErrorCode::internal, "a segment has only nodes that the card runs");
  }
  std::vector<Piece> pieces;
  for (size_t i = 0; i < parts; ++i) pieces.push_back({node, i});
  return pieces;
}

bool CudaSegment::is_wanted(const Piece& piece) const {
  const LaunchState::Place& place = state_.places[piece.node];
  if (!place.is_enabled) return false;
  return node_of(piece).kind != PlainNodeKind::kernel ||
         state_.extents[place.extent + piece.part] > 0;
}

// The result is valid until the next call.
KernelNode CudaSegment::kernel_node(const Piece& piece) {
  const PlainNode& node = node_of(piece);
  LaunchState::Place& place = state_.places[piece.node];
  const CudaKernel& kernel = device_.kernel(node.kernel);
  const CudaPhase& phase = kernel.phases[piece.part];
  parameters_.clear();
  for (size_t i = 0; i < node.pointers.size(); ++i) {
    parameters_.push_back(&state_.pointers[place.pointer + i]);
  }
  for (size_t i = 0; i < node.scalars.size(); ++i) {
    parameters_.push_back(&state_.scalars[place.scalar + i]);
  }
  iterations_ = state_.extents[place.extent + piece.part];
  parameters_.push_back(&place.failure);
  parameters_.push_back(&iterations_);
  KernelNode result;
  result.function = phase.function;
  result.grid[0] = blocks_of(iterations_, phase.grain, kernel);
  result.block[0] = static_cast<unsigned>(phase.threads);
  result.parameters = parameters_.data();
  return result;
}

CopyNode CudaSegment::copy_node(const Piece& piece) const {
  const size_t pointer = state_.places[piece.node].pointer;
  CopyNode copy;
  copy.to.device = state_.pointers[pointer];
  copy.from.device = state_.pointers[pointer + 1];
  copy.width_bytes = copy.to.pitch = copy.from.pitch = node_of(piece).bytes;
  copy.to.height = copy.from.height = 1;
  return copy;
}

std::vector<FillPart> CudaSegment::fill_parts(size_t node) const {
  const PlainNode& source = (*state_.nodes)[node];
  const uint32_t word = source.kind == PlainNodeKind::release ? kPoisonWord : source.word;
  return parts_of_fill(state_.pointers[state_.places[node].pointer], word, source.bytes);
}

FillNode CudaSegment::fill_node(const Piece& piece) const {
  const FillPart part = fill_parts(piece.node)[piece.part];
  return {.to = state_.pointers[state_.places[piece.node].pointer] + part.offset,
          .value = part.value,
          .element_bytes = part.element_bytes,
          .width = part.elements};
}

void CudaSegment::enqueue_call(size_t node, Stream stream) {
  const PlainNode& source = (*state_.nodes)[node];
  const std::span<const Address> all = state_.pointers;
  auto& call = static_cast<CardCall&>(*source.call);
  call.enqueue(stream, all.subspan(state_.places[node].pointer, source.pointers.size()));
}

/// Records a call as a graph of its own.
Graph CudaSegment::captured(size_t node) {
  // Libraries load their code when they first need it, which stricter modes may forbid.
  constexpr int kRelaxed = 2;
  if (recorder_ == nullptr) driver_.create_stream(&recorder_, kStreamNonBlocking);
  driver_.begin_capture(recorder_, kRelaxed);
  Graph graph = nullptr;
  try {
    enqueue_call(node, recorder_);
  } catch (...) {
    driver_.end_capture.result_of(recorder_, &graph);
    if (graph != nullptr) driver_.destroy_graph.result_of(graph);
    throw;
  }
  driver_.end_capture(recorder_, &graph);
  return graph;
}

// --- The graph

void CudaSegment::drop() {
  if (graph_ == nullptr && executable_ == nullptr && recorder_ == nullptr) return;
  driver_.set_context.result_of(device_.streams()->context().handle());
  // The driver frees an executable that still runs when it has finished.
  if (executable_ != nullptr) driver_.destroy_executable.result_of(executable_);
  if (graph_ != nullptr) driver_.destroy_graph.result_of(graph_);
  executable_ = nullptr;
  graph_ = nullptr;
}

void CudaSegment::add(Piece& piece, Graph graph, const GraphNode* after) {
  const size_t count = after != nullptr ? 1 : 0;
  const Context context = device_.streams()->context().handle();
  switch (node_of(piece).kind) {
    case PlainNodeKind::kernel: {
      const KernelNode node = kernel_node(piece);
      return driver_.add_kernel(&piece.handle, graph, after, count, &node);
    }
    case PlainNodeKind::copy: {
      const CopyNode node = copy_node(piece);
      return driver_.add_copy(&piece.handle, graph, after, count, &node, context);
    }
    case PlainNodeKind::call: {
      const CapturedGraph call(driver_, captured(piece.node));
      return driver_.add_graph(&piece.handle, graph, after, count, call.graph);
    }
    default: {
      const FillNode node = fill_node(piece);
      return driver_.add_fill(&piece.handle, graph, after, count, &node, context);
    }
  }
}

void CudaSegment::build() {
  drop();
  pieces_.clear();
  first_piece_.clear();
  for (size_t i = 0; i < count_; ++i) {
    first_piece_.push_back(pieces_.size());
    const std::vector<Piece> more = pieces_of(first_ + i);
    pieces_.insert(pieces_.end(), more.begin(), more.end());
  }
  first_piece_.push_back(pieces_.size());
  is_changed_ = false;
  if (pieces_.empty()) return;
  try {
    driver_.create_graph(&graph_, 0);
    const GraphNode* after = nullptr;
    for (Piece& piece : pieces_) {
      add(piece, graph_, after);
      after = &piece.handle;
    }
    driver_.instantiate(&executable_, graph_, 0);
    for (Piece& piece : pieces_) {
      piece.is_on = is_wanted(piece);
      check(piece.is_on || node_of(piece).kind != PlainNodeKind::call,
            "calls of the card are always on");
      if (!piece.is_on) driver_.enable_node(executable_, piece.handle, 0);
    }
  } catch (...) {
    drop();
    pieces_.clear();
    throw;
  }
}

void CudaSegment::change(size_t node) {
  if (pieces_.empty()) return;
  const size_t index = node - first_;
  for (size_t i = first_piece_[index]; i < first_piece_[index + 1]; ++i) {
    pieces_[i].is_changed = true;
  }
  is_changed_ = true;
}

/// Sets a node of the executable graph. Returns false if the graph must be built anew.
bool CudaSegment::set(Piece& piece) {
  const Context context = device_.streams()->context().handle();
  switch (node_of(piece).kind) {
    case PlainNodeKind::kernel: {
      const KernelNode node = kernel_node(piece);
      driver_.set_kernel(executable_, piece.handle, &node);
      return true;
    }
    case PlainNodeKind::copy: {
      const CopyNode node = copy_node(piece);
      return driver_.set_copy.result_of(executable_, piece.handle, &node, context) == kSuccess;
    }
    case PlainNodeKind::call: {
      // Another algorithm may have other nodes.
      const CapturedGraph call(driver_, captured(piece.node));
      return driver_.set_graph.result_of(executable_, piece.handle, call.graph) == kSuccess;
    }
    default: {
      // Another address may divide a fill otherwise.
      const size_t first = first_piece_[piece.node - first_];
      const size_t parts = first_piece_[piece.node - first_ + 1] - first;
      if (fill_parts(piece.node).size() != parts) return false;
      const FillNode node = fill_node(piece);
      return driver_.set_fill.result_of(executable_, piece.handle, &node, context) == kSuccess;
    }
  }
}

void CudaSegment::update() {
  for (Piece& piece : pieces_) {
    if (!piece.is_changed) continue;
    const bool is_on = is_wanted(piece);
    // A node that is off keeps its change.
    if (is_on && !set(piece)) return build();
    if (is_on != piece.is_on) driver_.enable_node(executable_, piece.handle, is_on ? 1 : 0);
    piece.is_on = is_on;
    piece.is_changed = !is_on;
  }
  is_changed_ = false;
}

void CudaSegment::launch(const CudaStreams::Use& use) {
  if (executable_ == nullptr) {
    build();
  } else if (is_changed_) {
    update();
  }
  if (executable_ != nullptr) driver_.launch_graph(executable_, use.stream());
}

void CudaSegment::run_node(size_t node, const CudaStreams::Use& use) {
  for (const Piece& piece : pieces_of(node)) {
    if (!is_wanted(piece)) continue;
    const size_t pointer = state_.places[node].pointer;
    if (node_of(piece).kind == PlainNodeKind::kernel) {
      const KernelNode kernel = kernel_node(piece);
      driver_.launch_kernel(kernel.function, kernel.grid[0], 1, 1, kernel.block[0], 1, 1, 0,
                            use.stream(), kernel.parameters, nullptr);
    } else if (node_of(piece).kind == PlainNodeKind::call) {
      enqueue_call(node, use.stream());
    } else if (node_of(piece).kind == PlainNodeKind::copy) {
      driver_.copy(state_.pointers[pointer], state_.pointers[pointer + 1], node_of(piece).bytes,
                   use.stream());
    } else {
      const FillNode part = fill_node(piece);
      fill(use, part.to, part.value * (part.element_bytes == 1 ? 0x01010101U : 1U),
           part.width * part.element_bytes);
    }
  }
}

}  // namespace litz::runtime::cuda
