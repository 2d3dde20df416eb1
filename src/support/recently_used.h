// A table that keeps what was used last. Not thread-safe.

#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace litz {

template <typename Value>
class RecentlyUsed {
 public:
  /// Keeps up to `most` entries, at least one.
  explicit RecentlyUsed(size_t most) : most_(most) {}

  /// The entry of a key, which now is the one used last; null if there is none. The pointer holds until
  /// the next call of `add`.
  Value* find(std::string_view key) {
    const auto known = places_.find(key);
    if (known == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, known->second);
    return &entries_.front().second;
  }

  /// Adds an entry for a key without one, in place of the one that was used longest ago if the table is
  /// full.
  Value& add(std::string key, Value value) {
    if (entries_.size() >= most_ && !entries_.empty()) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(std::move(key), std::move(value));
    places_.emplace(entries_.front().first, entries_.begin());
    return entries_.front().second;
  }

  size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;

  size_t most_;
  Entries entries_;  ///< The one used last stands first.
  std::unordered_map<std::string_view, typename Entries::iterator> places_;  ///< By entries' keys.
};

}  // namespace litz
