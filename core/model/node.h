// A participant: a plain, copyable state machine.
//
// Why a state machine and not a thread or a coroutine: a dead process must not run destructors that release its
// lease; a step cannot be suspended between a check and its use; and state can be copied, hashed and explored.
// Decision record 0001 says more.
//
// Thread rule: one node belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "core/base/hash.h"
#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure {

// Makes two states that differ only in absolute times or in the names of ids hash alike.
class Canon {
 public:
  Canon(MonoTime mono, WallTime wall) : mono_(mono), wall_(wall) {}

  // A time as its offset from now; "never" stays "never".
  std::int64_t offset(MonoTime t) const { return t == MonoTime::max() ? INT64_MAX : (t - mono_).ns(); }
  std::int64_t offset(WallTime t) const { return t == WallTime::max() ? INT64_MAX : (t - wall_).ns(); }
  // A number by the order in which it was first named; equal numbers stay equal. 0 stays 0.
  std::uint64_t name(std::uint64_t id) const {
    return id == 0 ? 0 : names_.try_emplace(id, names_.size() + 1).first->second;
  }

 private:
  MonoTime mono_;
  WallTime wall_;
  mutable std::map<std::uint64_t, std::uint64_t> names_;
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
