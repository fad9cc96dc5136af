// The world as a node sees it for the length of one step.
//
// Thread rule: the loop's thread.
#pragma once

#include "adapters/runtime/loop.h"

namespace tenure {

class StepEnv final : Clock, Network, Store, Work, Journal, Random {
 public:
  StepEnv(RuntimeLoop& loop, RuntimeLoop::Life& life);
  Env& env() { return env_; }

  MonoTime mono() const override { return now_.mono; }
  WallTime wall() const override { return wall_; }
  void set_timer(TimerId timer, MonoTime deadline) override;
  void cancel_timer(TimerId timer) override;
  void send(NodeId to, Message message) override;
  RequestId submit(Submission submission) override;
  void execute(const WorkItem& item) override;
  void note(const Note& note) override;
  std::uint64_t choose(std::uint64_t n, std::string_view purpose) override;
  std::uint64_t nonce(std::string_view purpose) override;

 private:
  RuntimeLoop& loop_;
  RuntimeLoop::Life& life_;
  const journal::Stamp now_;
  const WallTime wall_;
  Env env_;
};

}  // namespace tenure
