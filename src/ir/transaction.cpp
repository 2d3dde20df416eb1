// Transactions: a journal of inverse edits, applied backwards on rollback.

#include <algorithm>

#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {

void Graph::begin_transaction() {
  if (!journal_) journal_ = std::make_unique<Journal>();
  journal_->marks.push_back(journal_->undo.size());
}

void Graph::commit_transaction() {
  check(in_transaction(), "a transaction must be open to be committed:", name_);
  journal_->marks.pop_back();
  if (!journal_->marks.empty()) return;
  const std::unique_ptr<Journal> journal = std::move(journal_);
  check_neighbourhood(std::move(journal->touched));
}

// Linear in the values that touched nodes read and define, so trials in large graphs stay cheap.
void Graph::check_neighbourhood(std::vector<const Node*> touched) const {
  std::ranges::sort(touched, {}, [](const Node* node) { return node->id(); });
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  const auto in_order = [](const Node& first, const Node& second) {
    check(!first.is_erased() && first.is_before(second),
          "a committed node must stand behind what it reads:", second.op().name(), second.id(),
          "reads", first.op().name(), first.id());
  };
  for (const Node* node : touched) {
    if (node->is_erased()) continue;
    for (size_t i = 0; i < node->use_count_; ++i) {
      const Node* producer = node->uses_[i].value->producer;
      if (producer != nullptr) in_order(*producer, *node);
    }
    for (size_t i = 0; i < node->output_count_; ++i) {
      for (const Use* use = node->outputs_[i].first_use; use != nullptr; use = use->next) {
        in_order(*node, *use->user);
      }
    }
  }
}

void Graph::rollback_transaction() {
  check(in_transaction(), "a transaction must be open to be rolled back:", name_);
  const size_t mark = journal_->marks.back();
  journal_->marks.pop_back();
  undo_until(mark);
  if (journal_->marks.empty()) journal_.reset();
  ++edit_count_;
  ++structural_epoch_;
  ++type_epoch_;
  for (GraphObserver* observer : observers_) observer->rolled_back(*this);
}

void Graph::undo_until(size_t mark) {
  // Inverse edits run through the ordinary functions, which must not journal them again.
  std::unique_ptr<Journal> journal = std::move(journal_);
  while (journal->undo.size() > mark) {
    journal->undo.back()();
    journal->undo.pop_back();
  }
  journal_ = std::move(journal);
}

}  // namespace litz::ir
