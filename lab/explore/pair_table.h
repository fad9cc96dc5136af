// A map from two 64-bit keys to a 32-bit value: open addressing, linear probing, at most half full.
//
// A value once put stays. Thread rule: one table belongs to one exploration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/hash.h"

namespace tenure::lab::explore {

class PairTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  PairTable() : slots_(1024) {}

  // kNone when there is none.
  std::uint32_t find(std::uint64_t a, std::uint64_t b) const { return slots_[place(a, b)].value; }
  // REQUIRES: find(a, b) == kNone, value != kNone.
  void put(std::uint64_t a, std::uint64_t b, std::uint32_t value) {
    if (2 * ++count_ > slots_.size()) grow();
    slots_[place(a, b)] = {a, b, value};
  }
  std::uint64_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint32_t value = kNone;
  };

  std::size_t place(std::uint64_t a, std::uint64_t b) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mix64(a, b) & mask;
    while (slots_[i].value != kNone && (slots_[i].a != a || slots_[i].b != b)) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != kNone) slots_[place(slot.a, slot.b)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace tenure::lab::explore
