// token-ring: the instances stand in a ring and hand on a token. The instance that holds the token leads.
//
// README.md has the pseudo-code, the weak points and the claims. This class models a published design, so it keeps the
// design's weaknesses on purpose:
//
//   1. A sender that gets no acknowledgement takes the successor for dead and hands the same token to the node after
//      it. If only the acknowledgement was lost, two nodes hold the token.
//   2. A node that has not seen the token for token_timeout starts an election, whether or not the token is lost.
//   3. A holder checks no deadline: after a pause, a holder still believes.
//
// One thing is right: a token that comes again, or is older than one seen, is acknowledged and dropped.
//
// Sources: the token bus of IEEE 802.4 for handing on and skipping; Chang and Roberts (CACM 1979) for the election.
//
// Thread rule: as Node.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/protocols/kind_parts.h"

namespace tenure {

class TokenRing final : public CopyableElector<TokenRing> {
 public:
  explicit TokenRing(const ElectorSetup& setup);

  void step(const Input& input, Env& env) override;
  Leadership leadership(const Clock& clock) const override;
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  enum class Role : std::uint8_t { unborn, member, stopping, stopped };
  // One holding of the token. seq counts holdings within an epoch, so each holding has its own number.
  struct Number {
    std::uint32_t epoch = 0;  // 0: never seen one
    std::uint32_t seq = 0;
    auto operator<=>(const Number&) const = default;
  };
  // Names a message in its acknowledgement: the token's number, or the election's epoch and candidate.
  struct Pass {
    enum class What : std::uint8_t { token, elect };
    What what = What::token;
    std::uint32_t epoch = 0;
    std::uint32_t detail = 0;  // seq, or candidate
    NodeId to;
    std::int64_t tries_left = 0;  // at this successor
  };
  struct Settings {
    explicit Settings(const Parameters& parameters);
    Duration hold_time;
    Duration ack_timeout;
    std::int64_t ack_retries;
    Duration token_timeout;
  };

  void on_timer(TimerId timer, Env& env);
  void on_message(NodeId from, const Message& message, Env& env);
  void on_token(Number number, Env& env);
  void on_elect(std::uint32_t epoch, NodeId candidate, Env& env);
  void on_ack(NodeId from, const Pass& acked, Env& env);
  void on_stop(Env& env);

  void hold(Number number, Env& env);
  void hand_on(Env& env);
  void start_election(Env& env);
  // Hands `pass` to the successor; if it is silent, to the node after it, and so on round the ring.
  void start(const Pass& pass, Env& env);
  void send(const Pass& pass, Env& env);
  void drop(std::optional<Pass>& slot, Env& env);
  void on_silence(std::optional<Pass>& slot, Env& env);
  void on_alone(const Pass& pass, Env& env);
  void expect_token(Env& env);
  void stop(Env& env);

  std::optional<Pass>& slot_of(Pass::What what) {
    return what == Pass::What::token ? token_pass_ : elect_pass_;
  }
  NodeId after(NodeId node) const { return NodeId{(node.value + 1) % size_}; }

  const Settings settings_;
  const ResourceId resource_;
  const std::uint32_t size_;
  const NodeId self_;

  Role role_ = Role::unborn;
  std::optional<Number> holding_;
  Number seen_;                      // the highest number received, handed on or won
  std::uint32_t election_ = 0;       // the highest election epoch taken part in
  std::optional<NodeId> candidate_;  // the best candidate passed on in that election
  std::optional<Pass> token_pass_;   // not yet acknowledged
  std::optional<Pass> elect_pass_;
};

extern const ElectorKind kTokenRing;

}  // namespace tenure
