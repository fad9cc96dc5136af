// A participant: a plain, copyable state machine.
//
// Why a state machine and not a thread or a coroutine: a dead process must not run destructors that release its
// lease; a step cannot be suspended between a check and its use; and state can be copied, hashed and explored.
// Decision record 0001 says more.
//
// Thread rule: one node belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/hash.h"
#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure {

// Gives two states the same hash if they differ only in absolute times or in the names of ids.
class Canon {
 public:
  Canon(MonoTime mono, WallTime wall) : mono_(mono), wall_(wall) {}

  // A time as its offset from now; "never" stays "never", and "since ever" too.
  std::int64_t offset(MonoTime t) const { return between(mono_, t); }
  std::int64_t offset(WallTime t) const { return between(wall_, t); }
  // A number by the order in which it was first named; equal numbers stay equal. 0 stays 0.
  std::uint64_t name(std::uint64_t id) const {
    if (id == 0) return 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (named(i) == id) return i + 1;
    }
    if (count_ < few_.size()) {
      few_[count_] = id;
    } else {
      more_.push_back(id);
    }
    return ++count_;
  }

 private:
  template <class Time>
  static std::int64_t between(Time now, Time t) {
    if (t == Time::max()) return INT64_MAX;
    if (t == Time::min()) return INT64_MIN;
    return (t - now).ns();
  }
  std::uint64_t named(std::size_t i) const { return i < few_.size() ? few_[i] : more_[i - few_.size()]; }

  MonoTime mono_;
  WallTime wall_;
  // A node names a handful of ids, so looking through a small table is the fastest.
  mutable std::array<std::uint64_t, 16> few_;
  mutable std::vector<std::uint64_t> more_;
  mutable std::size_t count_ = 0;
};

class Node {
 public:
  virtual ~Node() = default;
  // Total (any input, in any order, at any time), bounded, never blocks.
  virtual void step(const Input& input, Env& env) = 0;
  virtual std::unique_ptr<Node> clone() const = 0;
  virtual void hash(Hasher& hasher, const Canon& canon) const = 0;
};

}  // namespace tenure
