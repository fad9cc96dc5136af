// Settings of small clusters, and electors with planted bugs, for tests of the exploration.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lease/fenced_lease/fenced_lease.h"
#include "lab/explore/explore.h"
#include "sim/protocols/registry.h"

namespace tenure::lab::explore::testing {

inline ExploreSettings cluster(const ElectorKind& kind, std::uint32_t instances, const Budgets& budgets,
                               Duration horizon) {
  ExploreSettings settings;
  settings.protocol = &kind;
  for (std::uint32_t i = 0; i < instances; ++i)
    settings.instances.push_back({Parameters{kind.parameters()}, Duration{}});
  settings.budgets = budgets;
  settings.horizon = horizon;
  return settings;
}
inline ExploreSettings cluster(std::string_view protocol, std::uint32_t instances, const Budgets& budgets,
                               Duration horizon) {
  return cluster(*find_elector_kind(protocol), instances, budgets, horizon);
}

inline constexpr Budgets kNothingFails{.crashes = 0, .pauses = 0, .losses = 0, .delays = 0};

// fenced-lease as it is, behind a hook that may change what it is told and what is said of it.
class Distorted : public Elector {
 public:
  explicit Distorted(const ElectorSetup& setup) : inner_(std::make_unique<FencedLease>(setup)) {}
  Distorted(const Distorted& other) : inner_(other.inner_->clone()), granted_(other.granted_) {}

  void step(const Input& input, Env& env) override {
    const auto* answer = std::get_if<StoreReplied>(&input);
    if (answer == nullptr) return inner_->step(input, env);
    StoreReplied told = *answer;
    distort(told, env);
    inner_->step(told, env);
  }
  Leadership leadership(const Clock& clock) const override { return inner_->leadership(clock); }
  void hash(Hasher& hasher, const Canon& canon) const override {
    inner_->hash(hasher, canon);
    hasher.add(granted_.epoch);
  }

 protected:
  virtual void distort(StoreReplied&, Env&) {}

  std::unique_ptr<Elector> inner_;
  Token granted_;  // the last one
};

// Belief from the reply instead of the send.
class FromTheReply final : public Distorted {
 public:
  using Distorted::Distorted;
  std::unique_ptr<Elector> clone() const override { return std::make_unique<FromTheReply>(*this); }

 private:
  void distort(StoreReplied& answer, Env& env) override { answer.sent_at = env.clock.mono(); }
};

// Unknown is taken for success.
class UnknownIsYes final : public Distorted {
 public:
  using Distorted::Distorted;
  std::unique_ptr<Elector> clone() const override { return std::make_unique<UnknownIsYes>(*this); }

 private:
  void distort(StoreReplied& answer, Env&) override {
    const auto* reply = std::get_if<reference::Reply>(&answer.reply);
    const auto* granted = reply != nullptr ? std::get_if<reference::Granted>(reply) : nullptr;
    if (answer.outcome == RequestOutcome::applied && granted != nullptr) granted_ = granted->token;
    if (answer.outcome != RequestOutcome::unknown || granted_.epoch == 0) return;
    answer.outcome = RequestOutcome::applied;
    answer.reply = reference::Reply{reference::Granted{granted_, Duration::seconds(15)}};
  }
};

// A refusal is read as a grant of the epoch that it tells.
class TakesAnothersToken final : public Distorted {
 public:
  using Distorted::Distorted;
  std::unique_ptr<Elector> clone() const override { return std::make_unique<TakesAnothersToken>(*this); }

 private:
  void distort(StoreReplied& answer, Env&) override {
    const auto* reply = std::get_if<reference::Reply>(&answer.reply);
    const auto* refused = reply != nullptr ? std::get_if<reference::Refused>(reply) : nullptr;
    if (answer.outcome != RequestOutcome::applied || refused == nullptr) return;
    const Token forged{1, refused->epoch, 7};
    answer.reply = reference::Reply{reference::Granted{forged, Duration::millis(200)}};
  }
};

// Who hears of a lease that is over takes it for its own, under the next epoch.
class TakesWhatIsOver final : public Distorted {
 public:
  using Distorted::Distorted;
  std::unique_ptr<Elector> clone() const override { return std::make_unique<TakesWhatIsOver>(*this); }

 private:
  void distort(StoreReplied& answer, Env&) override {
    const auto* reply = std::get_if<reference::Reply>(&answer.reply);
    const auto* refused = reply != nullptr ? std::get_if<reference::Refused>(reply) : nullptr;
    if (answer.outcome != RequestOutcome::applied || refused == nullptr || refused->remaining > Duration{})
      return;
    answer.reply =
        reference::Reply{reference::Granted{Token{1, refused->epoch + 1, 7}, Duration::seconds(15)}};
  }
};

// Tells the scheduler that it leads for longer than it declares.
class LeadsOn final : public Distorted {
 public:
  using Distorted::Distorted;
  std::unique_ptr<Elector> clone() const override { return std::make_unique<LeadsOn>(*this); }
  Leadership leadership(const Clock& clock) const override {
    Leadership leadership = inner_->leadership(clock);
    if (!leadership.token) leadership = {Token{}, MonoTime::max()};
    return leadership;
  }
};

template <class Planted>
ElectorKind planted() {
  ElectorKind kind = kFencedLease;
  kind.name = "planted";
  kind.make = [](const ElectorSetup& setup) -> std::unique_ptr<Elector> {
    return std::make_unique<Planted>(setup);
  };
  return kind;
}

}  // namespace tenure::lab::explore::testing
