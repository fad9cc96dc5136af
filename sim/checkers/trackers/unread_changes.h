// What a tracker has found out, in order of time, for readers of which some are shown only a few of the records: it is
// kept until a record has passed that all of them are shown.
//
// Thread rule: one log belongs to one tracker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tenure::sim {

template <class Change>
class UnreadChanges {
 public:
  // A record comes; what is added from now on is by it.
  void begin(bool all_are_shown_it) {
    if (are_all_read_) {
      forgotten_ += changes_.size();
      changes_.clear();
    }
    are_all_read_ = all_are_shown_it;
    fresh_ = changes_.size();
  }
  void add(Change change) { changes_.push_back(std::move(change)); }

  std::span<Change> fresh() { return std::span(changes_).subspan(fresh_); }
  std::span<const Change> fresh() const { return std::span(changes_).subspan(fresh_); }
  // What a reader has not read yet; `read` is its own count of what it has.
  std::span<const Change> since(std::uint64_t& read) const {
    const std::size_t first = std::max(read, forgotten_) - forgotten_;
    read = forgotten_ + changes_.size();
    return std::span(changes_).subspan(first);
  }

 private:
  std::vector<Change> changes_;
  std::uint64_t forgotten_ = 0;  // before these
  std::size_t fresh_ = 0;        // by the last record: from here on
  bool are_all_read_ = false;    // when the next record comes
};

}  // namespace tenure::sim
