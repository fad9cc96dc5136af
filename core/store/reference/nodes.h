// The instances that registered themselves, and their numbers.
//
// A number is never given a second time, also not after its instance was forgotten: nobody can prove that a process is
// gone, and two with one number would be one holder of a lease.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/hash.h"
#include "core/store/reference/tables.h"

namespace tenure::reference {

class NodeTable final : public NodeRows {
 public:
  NodeRegistered add(const RegisterNode& asked, StoreTime now) override;
  RegisteredNodes all() const;
  // Forgets instances that were last seen by `before`: at most `limit`, the earliest first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);

  bool untouched() const { return next_ == kFirstRegistered; }
  void hash(Hasher& hasher) const;

 private:
  struct Known {
    std::string key;
    RegisteredNode node;
  };
  std::map<NodeId, Known> nodes_;
  std::uint32_t next_ = kFirstRegistered;
};

}  // namespace tenure::reference
