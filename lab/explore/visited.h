// The states visited, each with the move that first led to it.
//
// A state is kept in full (24 bytes), so two states are never confused here. Open addressing over an index of 64-bit
// words: the place of a state in the list, and 32 bits of its hash.
//
// Thread rule: one Visited belongs to one exploration.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/hash.h"
#include "lab/explore/explore.h"

namespace tenure::lab::explore {

struct State {
  std::array<std::uint32_t, kInstancesMax> locals{};  // by number (space.h); 0 for missing instances
  std::uint32_t outside = 0;
  std::uint32_t spent = 0;  // of the budgets (search.cc)
  std::uint32_t led = 0;    // a bit for each instance that has led so far; all, once two have
  bool operator==(const State&) const = default;
};

class Visited {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Entry {
    State state;
    std::uint32_t parent = kNone;
    std::uint32_t move = 0;  // packed
  };

  Visited() : index_(kIndexAtFirst) {}

  // The place of a state that is new; kNone when it was visited before.
  std::uint32_t add(const State& state, std::uint32_t parent, std::uint32_t move) {
    if (2 * (entries_.size() + 1) > index_.size()) grow();
    const std::uint64_t hash = hash_of(state);
    const std::size_t mask = index_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      const std::uint64_t word = index_[i];
      if (word == 0) {
        const auto place = static_cast<std::uint32_t>(entries_.size());
        index_[i] = (hash & kHashBits) | (place + 1u);
        entries_.push_back({state, parent, move});
        return place;
      }
      if ((word & kHashBits) != (hash & kHashBits)) continue;
      if (entries_[static_cast<std::uint32_t>(word) - 1].state == state) return kNone;
    }
  }

  const Entry& operator[](std::uint32_t place) const { return entries_[place]; }
  std::uint64_t size() const { return entries_.size(); }
  std::uint64_t bytes() const {
    return entries_.capacity() * sizeof(Entry) + index_.size() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::size_t kIndexAtFirst = std::size_t{1} << 16;
  static constexpr std::uint64_t kHashBits = 0xffffffff00000000ULL;

  static std::uint64_t hash_of(const State& s) {
    const std::uint64_t front = (std::uint64_t{s.locals[0]} << 32) | s.locals[1];
    const std::uint64_t back = (std::uint64_t{s.locals[2]} << 32) | s.outside;
    return mix64(mix64(front, back), (std::uint64_t{s.led} << 32) | s.spent);
  }
  void grow() {
    std::vector<std::uint64_t> fresh(2 * index_.size());
    const std::size_t mask = fresh.size() - 1;
    for (std::size_t place = 0; place < entries_.size(); ++place) {
      const std::uint64_t hash = hash_of(entries_[place].state);
      std::size_t i = hash & mask;
      while (fresh[i] != 0) i = (i + 1) & mask;
      fresh[i] = (hash & kHashBits) | (place + 1);
    }
    index_.swap(fresh);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint64_t> index_;
};

}  // namespace tenure::lab::explore
