// The disk of a host that has none.
//
// Thread rule: as Env.
#pragma once

#include "core/base/check.h"
#include "core/model/env.h"

namespace tenure {

class NoDisk final : public Disk {
 public:
  std::uint64_t put(const std::string&, const std::string&) override { refuse(); }
  std::optional<std::string> get(const std::string&) const override { refuse(); }
  std::map<std::string, std::string> contents() const override { refuse(); }
  void sync(std::uint64_t) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { CHECK(false, "a node with a disk runs on a host that has one"); }
};

}  // namespace tenure
