// The Env of one step in an exploration.
//
// Draws: a nonce is always the same for a node, the worst that it can be (what tells two grants apart is then their
// epoch alone); choose() gives the low end of its range, or the high one.
//
// Thread rule: lives for one step.
#pragma once

#include <string_view>

#include "lab/explore/local.h"

namespace tenure::sim::explore {

class StepEnv final : public Clock, public Network, public Store, public Work, public Journal, public Random {
 public:
  StepEnv(const Rules& rules, Local& local, bool high, Seen& seen)
      : rules_(rules), local_(local), high_(high), seen_(seen) {}

  Env interfaces() { return Env{*this, *this, *this, *this, *this, *this}; }

  MonoTime mono() const override { return rules_.mono(local_.now); }
  WallTime wall() const override { return rules_.wall(local_.node, local_.now); }
  void set_timer(TimerId timer, MonoTime deadline) override;
  void cancel_timer(TimerId timer) override;
  void send(NodeId to, Message message) override;
  RequestId submit(Submission submission) override;
  void execute(const WorkItem& item) override;
  void note(const Note& note) override;
  std::uint64_t choose(std::uint64_t n, std::string_view purpose) override;
  std::uint64_t nonce(std::string_view purpose) override;

 private:
  void acts();

  const Rules& rules_;
  Local& local_;
  bool high_;
  Seen& seen_;
};

}  // namespace tenure::sim::explore
