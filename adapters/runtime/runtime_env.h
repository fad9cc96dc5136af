// What the loop gives a driver for one call: clock readings, random bits, and the journal.
//
// Thread rule: the loop's thread.
#pragma once

#include "adapters/runtime/loop.h"

namespace tenure {

class RuntimeEnv final : public DriverHost {
 public:
  // `answer`: the answer that this call delivers to the driver, if it does.
  RuntimeEnv(RuntimeLoop& loop, RuntimeLoop::RunningNode& node, const Answer* answer = nullptr)
      : loop_(loop),
        node_(node),
        answer_(answer),
        now_(loop.platform_->now()),
        wall_(loop.platform_->wall()) {}

  Readings readings() const { return {now_.mono, wall_}; }

  void stepping(const Input& input) override;
  void queued(const Effect& effect) override;
  void noted(const Note& note, bool believed) override;
  std::uint64_t choose(std::uint64_t n, std::string_view purpose) override;
  std::uint64_t nonce(std::string_view purpose) override;

 private:
  void heard(const StoreReplied& reply);

  RuntimeLoop& loop_;
  RuntimeLoop::RunningNode& node_;
  const Answer* answer_;
  const journal::Stamp now_;
  const WallTime wall_;
};

}  // namespace tenure
