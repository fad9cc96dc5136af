#include "sim/models/links.h"

#include <algorithm>
#include <utility>

namespace tenure::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
// Hashed once: each segment draws them.
constexpr std::uint64_t kLatency = hash_text("latency");
constexpr std::uint64_t kLoss = hash_text("loss");

bool hits(const LinkRule& rule, Endpoint from, Endpoint to) {
  return std::binary_search(rule.from.begin(), rule.from.end(), from) &&
         std::binary_search(rule.to.begin(), rule.to.end(), to);
}

bool happens(KeyedRng rng, std::int64_t ppm) {
  return ppm > 0 && rng.below(static_cast<std::uint64_t>(kMillion)) < static_cast<std::uint64_t>(ppm);
}

// How much later this rule makes the message that `noise` is for, of those that it holds back.
Duration held_back(const LinkRule& rule, KeyedRng rng) {
  const KeyedRng own = rng.of("held back").of(rule.fault);
  if (rule.held_back <= Duration{} || !happens(own.of("whether"), rule.held_back_ppm)) return {};
  return Duration::nanos(own.of("by").between(1, rule.held_back.ns()));
}

}  // namespace

// Losing everything is a cut: sending again does not help.
bool LinkRule::cuts() const { return block || loss_ppm >= kMillion; }

Links::Links(KeyedRng rng, std::uint32_t endpoints, Quantiles latency, std::int64_t loss_ppm)
    : rng_(rng.of("link")),
      endpoints_(endpoints),
      latency_(std::move(latency)),
      loss_ppm_(loss_ppm),
      links_(std::size_t{endpoints} * endpoints) {}

void Links::remove_rules(std::uint64_t fault) {
  std::erase_if(rules_, [&](const LinkRule& rule) { return rule.fault == fault; });
}

template <class Use>
void Links::each_rule(Endpoint from, Endpoint to, Use use) {
  for (LinkRule& rule : rules_)
    if (hits(rule, from, to)) use(rule);
}

bool Links::met(std::uint64_t fault) const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [fault](const LinkRule& rule) { return rule.fault == fault && rule.met; });
}

bool Links::blocked(Endpoint from, Endpoint to) {
  bool blocked = loss_ppm_ >= kMillion;
  each_rule(from, to, [&](LinkRule& rule) {
    blocked = blocked || rule.cuts();
    rule.met = rule.met || rule.cuts();
  });
  return blocked;
}

LinkState Links::state(Endpoint from, Endpoint to) const {
  LinkState state;
  std::int64_t kept_ppm = kMillion;
  for (const LinkRule& rule : rules_) {
    if (!hits(rule, from, to)) continue;
    state.cut = state.cut || rule.cuts();
    state.delay += rule.delay;
    kept_ppm = kept_ppm * (kMillion - rule.loss_ppm) / kMillion;
    state.duplicate_ppm = std::max(state.duplicate_ppm, rule.duplicate_ppm);
    if (rule.held_back_ppm > 0) state.held_back += rule.held_back;
  }
  state.loss_ppm = kMillion - kept_ppm;
  return state;
}

KeyedRng Links::next_noise(Endpoint from, Endpoint to, TrueTime now) {
  Link& link = links_[std::size_t{from} * endpoints_ + to];
  const std::int64_t second = now.ns() / Duration::seconds(1).ns();
  if (link.second != second) link = {second, 0};
  const std::uint64_t name = (std::uint64_t{from} << 32) | to;
  return rng_.of(name).of(static_cast<std::uint64_t>(second)).of(link.ordinal++);
}

Links::Fate Links::send(Endpoint from, Endpoint to, TrueTime now) {
  const KeyedRng rng = next_noise(from, to, now);
  Fate fate;
  std::int64_t kept_ppm = kMillion - loss_ppm_;
  std::int64_t duplicate_ppm = 0;
  Duration delay;
  each_rule(from, to, [&](LinkRule& rule) {
    const Duration late = rule.delay + held_back(rule, rng);
    rule.met = rule.met || rule.block || late > Duration{};
    fate.lost = fate.lost || rule.block;
    kept_ppm = kept_ppm * (kMillion - rule.loss_ppm) / kMillion;
    duplicate_ppm = std::max(duplicate_ppm, rule.duplicate_ppm);
    delay += late;
  });
  fate.lost = fate.lost || happens(rng.of("loss"), kMillion - kept_ppm);
  fate.latency = latency_.draw(rng.of("latency")) + delay;
  fate.duplicated = happens(rng.of("duplicate"), duplicate_ppm);
  each_rule(from, to, [&](LinkRule& rule) {
    const bool hit = (fate.lost && rule.loss_ppm > 0) || (fate.duplicated && rule.duplicate_ppm > 0);
    rule.met = rule.met || hit;
  });
  fate.duplicate_latency = latency_.draw(rng.of("second latency")) + delay;
  return fate;
}

Duration Links::stream(Endpoint from, Endpoint to, TrueTime now) {
  const KeyedRng rng = next_noise(from, to, now);
  std::int64_t kept_ppm = kMillion - loss_ppm_;
  Duration total = latency_.draw(rng.of(kLatency));
  each_rule(from, to, [&](LinkRule& rule) {
    const Duration late = rule.delay + held_back(rule, rng);
    rule.met = rule.met || late > Duration{};
    kept_ppm = kept_ppm * (kMillion - rule.loss_ppm) / kMillion;
    total += late;
  });
  int tries = 0;
  for (; tries < kResendsMax; ++tries) {
    if (!happens(rng.of(kLoss).of(static_cast<std::uint64_t>(tries)), kMillion - kept_ppm)) break;
    total += kResendAfter * (std::int64_t{1} << tries);
  }
  if (tries > 0) each_rule(from, to, [](LinkRule& rule) { rule.met = rule.met || rule.loss_ppm > 0; });
  return total;
}

bool Links::chance(Endpoint from, Endpoint to, TrueTime now, std::int64_t ppm) {
  return happens(next_noise(from, to, now).of("chance"), ppm);
}

}  // namespace tenure::sim
