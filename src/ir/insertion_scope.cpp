// Scopes that control where new nodes go and what they inherit from the nodes that they replace.

#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {
namespace {

// The innermost module that contains both: "net.block" for "net.block.0" and "net.block.1".
std::string common_module(std::string_view a, std::string_view b) {
  size_t end = 0;
  for (size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool ends = (i == a.size() || a[i] == '.') && (i == b.size() || b[i] == '.');
    if (ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return std::string(a.substr(0, end));
}

}  // namespace

Graph::InsertionScope::InsertionScope(Graph& graph, Node* position, std::unique_ptr<Origin> origin)
    : graph_(graph),
      saved_(graph.insertion_),
      saved_origin_(graph.origin_),
      origin_(std::move(origin)) {
  graph.insertion_ = position;
  graph.origin_ = origin_.get();
}

Graph::InsertionScope::~InsertionScope() {
  while (saved_->erased_) saved_ = saved_->next_;
  graph_.insertion_ = saved_;
  graph_.origin_ = saved_origin_;
}

Graph::InsertionScope Graph::insert_before(Node* node) {
  check_live(node);
  auto origin = std::make_unique<Origin>();
  origin->node = node;
  origin->sources = {node->id_};
  return InsertionScope(*this, node, node == return_ ? nullptr : std::move(origin));
}

Graph::InsertionScope Graph::insert_after(Node* node) {
  check_live(node);
  check(node != return_, "nothing may follow the terminator of a graph:", name_);
  auto origin = std::make_unique<Origin>();
  origin->node = node;
  origin->sources = {node->id_};
  return InsertionScope(*this, node->next_, std::move(origin));
}

Graph::InsertionScope Graph::insert_for(Node* position, std::span<Node* const> sources) {
  check_live(position);
  if (sources.empty()) return InsertionScope(*this, position, nullptr);
  auto origin = std::make_unique<Origin>();
  std::vector<const Annotations*> annotations;
  for (const Node* source : sources) {
    check_live(source);
    origin->sources.push_back(source->id_);
    annotations.push_back(&source->annotations_);
  }
  origin->location = sources.front()->location_;
  for (const Node* source : sources.subspan(1)) {
    origin->location.module_path =
        common_module(origin->location.module_path, source->location_.module_path);
  }
  origin->history = sources.front()->provenance_;
  origin->annotations = merge_annotations(annotations);
  return InsertionScope(*this, position, std::move(origin));
}

Graph::AnnotationScope Graph::annotate(const Annotations& annotations) {
  return AnnotationScope(*this, annotations);
}

Graph::AnnotationScope::AnnotationScope(Graph& graph, Annotations annotations)
    : graph_(graph), saved_(graph.annotations_), merged_(std::move(annotations)) {
  // Keys of inner scopes take precedence.
  if (saved_ != nullptr) merged_.insert(saved_->begin(), saved_->end());
  graph.annotations_ = &merged_;
}

}  // namespace litz::ir
