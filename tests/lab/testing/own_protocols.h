// Protocols that no registry lists, as a user would bring them.
//
// Thread rule: tests.
#pragma once

#include <memory>
#include <optional>

#include "core/base/check.h"
#include "core/lease/elector_kind.h"

namespace tenure::testing {

// The least that somebody must write: each instance believes for ever, from the start on.
class Believer : public Elector {
 public:
  void step(const Input& input, Env& env) override {
    if (std::holds_alternative<Started>(input)) env.journal.note(Believes{{}, std::nullopt, Open{}});
    if (std::holds_alternative<StopAsked>(input)) env.journal.note(Stopped{});
  }
  Leadership leadership(const Clock&) const override { return {std::nullopt, MonoTime::max()}; }
  std::unique_ptr<Elector> clone() const override { return std::make_unique<Believer>(*this); }
  void hash(Hasher&, const Canon&) const override {}
};

inline const ElectorKind kBelievers = {
    .name = "believers",
    .summary = "everybody leads",
    .store = nullptr,
    .make = [](const ElectorSetup&) -> std::unique_ptr<Elector> { return std::make_unique<Believer>(); }};

// A whole node: n1 leads, and nobody else ever does. With a bug: it cannot stand to be stopped.
class FirstLeads final : public Node {
 public:
  explicit FirstLeads(NodeId self) : self_(self) {}
  void step(const Input& input, Env& env) override {
    CHECK(!std::holds_alternative<StopAsked>(input), "nobody stops me");
    if (std::holds_alternative<Started>(input) && self_.value == 0)
      env.journal.note(Believes{{}, std::nullopt, Open{}});
  }
  std::unique_ptr<Node> clone() const override { return std::make_unique<FirstLeads>(*this); }
  void hash(Hasher& hasher, const Canon&) const override { hasher.add(self_); }

 private:
  NodeId self_;
};

inline const ElectorKind kFirstLeads = {.name = "first-leads",
                                        .summary = "n1 leads",
                                        .store = nullptr,
                                        .claims = []() -> const std::vector<Claim>& {
                                          static const std::vector<Claim> kClaims = {{"one-believer", {}}};
                                          return kClaims;
                                        },
                                        .make_node = [](const ElectorSetup& setup) -> std::unique_ptr<Node> {
                                          return std::make_unique<FirstLeads>(setup.self);
                                        }};

}  // namespace tenure::testing
