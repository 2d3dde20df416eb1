// The node list and its order labels: "is a before b" is one comparison of two integers.
//
// Labels have gaps; a new node gets a label between its neighbours'. Without room, the smallest
// enclosing aligned range of labels that is sparse enough is spread out evenly (Bender et al., "Two
// simplified algorithms for maintaining order in a list"): O(log n) amortised, O(1) in practice.

#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {
namespace {

constexpr int kLabelBits = 62;
constexpr uint64_t kMiddle = uint64_t{1} << (kLabelBits - 1);
constexpr uint64_t kEnd = uint64_t{1} << kLabelBits;
// The gap after a node that is added at an end: larger gaps postpone relabelling between nodes, but
// use up the labels at the ends.
constexpr uint64_t kGap = uint64_t{1} << 24;
// How fast the permitted density falls as ranges grow; between 1 and 2. Trades the frequency of
// relabelling against the size of the ranges.
constexpr double kDensityBase = 1.5;

}  // namespace

void Graph::link_before(Node* node, Node* position) {
  node->next_ = position;
  node->prev_ = position->prev_;
  (node->prev_ != nullptr ? node->prev_->next_ : head_) = node;
  position->prev_ = node;
  ++node_count_;
  place(node);
}

void Graph::unlink(Node* node) {
  (node->prev_ != nullptr ? node->prev_->next_ : head_) = node->next_;
  node->next_->prev_ = node->prev_;
  if (insertion_ == node) insertion_ = node->next_;
  --node_count_;
  // The node keeps its links, so a loop whose current node is erased can continue.
}

void Graph::place(Node* node) {
  const bool first = node->prev_ == nullptr;
  const bool last = node->next_ == return_;
  if (first && last) {
    node->label_ = kMiddle;
    return;
  }
  const uint64_t low = first ? 0 : node->prev_->label_;
  const uint64_t high = last ? kEnd : node->next_->label_;
  if (last && high - low > kGap) {
    node->label_ = low + kGap;
  } else if (first && high > kGap) {
    node->label_ = high - kGap;
  } else if (high - low >= 2) {
    node->label_ = low + (high - low) / 2;
  } else {
    relabel_around(node);
  }
}

void Graph::relabel_around(Node* node) {
  const uint64_t centre = node->prev_ != nullptr ? node->prev_->label_ : node->next_->label_;
  Node* left = node;
  Node* right = node;
  uint64_t count = 1;
  double capacity = 1;
  for (int bits = 1; bits <= kLabelBits; ++bits) {
    const uint64_t width = uint64_t{1} << bits;
    const uint64_t low = centre & ~(width - 1);
    capacity *= 2 / kDensityBase;
    while (left->prev_ != nullptr && left->prev_->label_ >= low) {
      left = left->prev_;
      ++count;
    }
    while (right->next_ != return_ && right->next_->label_ < low + width) {
      right = right->next_;
      ++count;
    }
    if (static_cast<double>(count) > capacity || width / (count + 1) < 2) continue;
    const uint64_t step = width / (count + 1);
    uint64_t label = low;
    for (Node* each = left; each != right->next_; each = each->next_) {
      each->label_ = label += step;
    }
    return;
  }
  check(false, "order labels must suffice for the nodes of a graph:", name_, node_count_);
}

}  // namespace litz::ir
