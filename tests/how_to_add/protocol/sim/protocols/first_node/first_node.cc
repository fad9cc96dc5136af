#include "sim/protocols/first_node/first_node.h"

namespace tenure {

void FirstNode::step(const Input& input, Env& env) {
  if (std::holds_alternative<Started>(input) && self_.value == 0) {
    leads_ = true;
    env.journal.note(Believes{resource_, std::nullopt, Open{}});
  } else if (std::holds_alternative<StopAsked>(input)) {
    if (leads_) env.journal.note(StepsDown{resource_, "is stopped"});
    leads_ = false;
    env.journal.note(Stopped{});
  }
}

Leadership FirstNode::leadership(const Clock&) const {
  return leads_ ? Leadership{std::nullopt, MonoTime::max()} : Leadership{};
}

std::unique_ptr<Elector> FirstNode::clone() const { return std::make_unique<FirstNode>(*this); }

void FirstNode::hash(Hasher& hasher, const Canon&) const { hasher.add(self_).add(leads_); }

namespace {

const std::vector<Claim>& claims() {
  static const std::vector<Claim> kClaims = {{"one-believer", {}}, {"acts-within-belief", {}}};
  return kClaims;
}
std::unique_ptr<Elector> make(const ElectorSetup& setup) { return std::make_unique<FirstNode>(setup); }

}  // namespace

constinit const ElectorKind kFirstNode = {
    .name = "first-node",
    .summary = "the first instance leads while it runs",
    .store = nullptr,
    .claims = claims,
    .make = make,
};

}  // namespace tenure
