// What is known of each life of a process. There are few lives at a time, and mostly the last one asked for is asked
// for again: so this is a sorted vector that looks there first, and a tree would take most of the time of its readers.
//
// Thread rule: a value; reading it is writing it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/ids.h"

namespace tenure::sim {

template <class Value>
class PerIncarnation {
 public:
  // nullptr: nothing is known.
  const Value* find(Incarnation who) const {
    if (is_last(who)) return &lives_[last_].second;
    const std::size_t place = place_of(who);
    if (place == lives_.size() || lives_[place].first != who) return nullptr;
    last_ = place;
    return &lives_[place].second;
  }
  Value* find(Incarnation who) { return const_cast<Value*>(std::as_const(*this).find(who)); }
  // From now on something is known.
  Value& operator[](Incarnation who) {
    if (is_last(who)) return lives_[last_].second;
    last_ = place_of(who);
    if (last_ < lives_.size() && lives_[last_].first == who) return lives_[last_].second;
    return lives_.emplace(lives_.begin() + static_cast<std::ptrdiff_t>(last_), who, Value{})->second;
  }
  // False if nothing was known.
  bool erase(Incarnation who) {
    const std::size_t place = place_of(who);
    if (place == lives_.size() || lives_[place].first != who) return false;
    lives_.erase(lives_.begin() + static_cast<std::ptrdiff_t>(place));
    last_ = 0;
    return true;
  }

  // In order of lives.
  auto begin() { return lives_.begin(); }
  auto end() { return lives_.end(); }
  auto begin() const { return lives_.begin(); }
  auto end() const { return lives_.end(); }

 private:
  using Life = std::pair<Incarnation, Value>;

  bool is_last(Incarnation who) const { return !lives_.empty() && lives_[last_].first == who; }
  std::size_t place_of(Incarnation who) const {
    const auto place =
        std::lower_bound(lives_.begin(), lives_.end(), who,
                         [](const Life& life, Incarnation other) { return life.first < other; });
    return static_cast<std::size_t>(place - lives_.begin());
  }

  std::vector<Life> lives_;
  mutable std::size_t last_ = 0;  // it was found there; a place in lives_, unless that is empty
};

}  // namespace tenure::sim
