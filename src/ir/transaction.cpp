// Transactions: a journal of inverse edits, run backwards on rollback.

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
  if (journal_->marks.empty()) journal_.reset();
}

void Graph::rollback_transaction() {
  check(in_transaction(), "a transaction must be open to be rolled back:", name_);
  const size_t mark = journal_->marks.back();
  journal_->marks.pop_back();
  undo_until(mark);
  if (journal_->marks.empty()) journal_.reset();
  ++edit_count_;
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
