// Hashes of states that do not tell when everything happened.
//
// Thread rule: values; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/fold.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/base/time.h"

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

// What fold() adds a node's state to: times as their offsets, and requests by their names.
class StateHasher {
 public:
  StateHasher(Hasher& hasher, const Canon& canon) : hasher_(hasher), canon_(canon) {}

  void add(MonoTime time) { hasher_.add(canon_.offset(time)); }
  void add(WallTime time) { hasher_.add(canon_.offset(time)); }
  void add(RequestId request) { hasher_.add(canon_.name(request.counter)); }
  template <class T>
    requires(requires(Hasher& hasher, const T& value) { hasher.add(value); })
  void add(const T& value) { hasher_.add(value); }
  operator Hasher&() { return hasher_; }

 private:
  Hasher& hasher_;
  const Canon& canon_;
};

}  // namespace tenure
