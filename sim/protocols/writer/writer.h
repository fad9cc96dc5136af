// The least that a leader can do: as long as it believes to lead, it writes to the outside world, again and again.
//
// It fires nothing, and keeps nothing. So what goes wrong on it is the election's. README.md has the pseudo-code and
// its weak point: leadership is looked at once, before the write leaves.
//
// Source: the client of Kleppmann, "How to do distributed locking" (2016).
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include <cstdint>

#include "sim/protocols/kind_parts.h"

namespace tenure {

class Writer final : public CopyableScheduler<Writer> {
 public:
  explicit Writer(const SchedulerSetup& setup)
      : resource_(setup.resource), period_(setup.parameters.duration("write_period")) {}

  void step(const Input& input, const Leadership& leadership, Env& env) override;
  bool idle() const override { return writing_ == 0; }
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  void tick(const Leadership& leadership, Env& env);

  ResourceId resource_;
  Duration period_;

  bool started_ = false;
  bool stopping_ = false;
  std::uint64_t written_ = 0;  // writes so far, which gives each its number
  std::uint64_t writing_ = 0;  // under way
};

extern const SchedulerKind kWriter;

}  // namespace tenure
