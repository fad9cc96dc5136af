// The Env of one step on a simulated host.
//
// Thread rule: lives for one step.
#pragma once

#include <string_view>
#include <utility>

#include "sim/world/host.h"

namespace tenure::sim {

class HostEnv final : public Clock, public Network, public Store, public Work, public Journal, public Random {
 public:
  explicit HostEnv(Host& host);

  MonoTime mono() const override { return mono_; }
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
  Noise next_noise(std::string_view purpose);

  Host& host_;
  MonoTime mono_;
  WallTime wall_;
};

}  // namespace tenure::sim
