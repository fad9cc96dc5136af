// A participant: a plain, copyable state machine.
//
// Why a state machine and not a thread or a coroutine: a dead process must not run destructors that release its
// lease; a step cannot be suspended between a check and its use; and state can be copied, hashed and explored.
// Decision record 0001 says more.
//
// Thread rule: one node belongs to one thread.
#pragma once

#include <memory>

#include "core/model/canon.h"
#include "core/model/env.h"
#include "core/model/input.h"

namespace tenure {

class Node {
 public:
  virtual ~Node() = default;
  // Total (any input, in any order, at any time), bounded, never blocks.
  virtual void step(const Input& input, Env& env) = 0;
  virtual std::unique_ptr<Node> clone() const = 0;
  virtual void hash(Hasher& hasher, const Canon& canon) const = 0;
};

}  // namespace tenure
