#include "sim/protocols/token_ring/token_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/model/describe.h"

namespace tenure {
namespace {

constexpr TimerId kHold{Part::elector, 0};      // the time to hold the token is over
constexpr TimerId kTokenAck{Part::elector, 1};  // no acknowledgement of the token
constexpr TimerId kElectAck{Part::elector, 2};  // no acknowledgement of the election
constexpr TimerId kLost{Part::elector, 3};      // no token for token_timeout

constexpr std::uint32_t kEpochMax =
    0x7fffffff;  // so that a journal's number, epoch << 32 | seq, stays positive

constexpr std::string_view kToken = "token";
constexpr std::string_view kElect = "elect";
constexpr std::string_view kTokenAcked = "token-ack";
constexpr std::string_view kElectAcked = "elect-ack";

bool fits(std::int64_t word, std::uint32_t max) { return word >= 0 && word <= std::int64_t{max}; }

}  // namespace

TokenRing::Settings::Settings(const Parameters& parameters)
    : hold_time(parameters.duration("hold_time")),
      ack_timeout(parameters.duration("ack_timeout")),
      ack_retries(parameters.number("ack_retries")),
      token_timeout(parameters.duration("token_timeout")) {}

TokenRing::TokenRing(const ElectorSetup& setup)
    : settings_(setup.parameters),
      resource_(setup.resource),
      size_(std::max(1u, setup.cluster_size)),
      self_(setup.self) {}

void TokenRing::step(const Input& input, Env& env) {
  if (role_ == Role::stopped) return;
  if (std::holds_alternative<Started>(input)) {
    if (role_ != Role::unborn) return;
    role_ = Role::member;
    expect_token(env);
  } else if (std::holds_alternative<StopAsked>(input)) {
    on_stop(env);
  } else if (role_ == Role::unborn) {
    return;
  } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
    on_timer(fired->timer, env);
  } else if (const auto* received = std::get_if<MessageReceived>(&input)) {
    on_message(received->from, received->message, env);
  }
}

void TokenRing::on_timer(TimerId timer, Env& env) {
  if (timer == kHold) {
    if (holding_) hand_on(env);
  } else if (timer == kTokenAck) {
    on_silence(token_pass_, env);
  } else if (timer == kElectAck) {
    on_silence(elect_pass_, env);
  } else if (timer == kLost) {
    if (role_ == Role::member && !holding_ && !token_pass_) start_election(env);
  }
}

void TokenRing::on_message(NodeId from, const Message& message, Env& env) {
  // Not from this protocol, or not from this ring: nothing to do with it.
  if (from.value >= size_ || message.words.size() != 2) return;
  if (!fits(message.words[0], kEpochMax) || message.words[0] == 0) return;
  if (!fits(message.words[1], std::numeric_limits<std::uint32_t>::max())) return;
  const auto epoch = static_cast<std::uint32_t>(message.words[0]);
  const auto detail = static_cast<std::uint32_t>(message.words[1]);

  if (message.kind == kTokenAcked) return on_ack(from, {Pass::What::token, epoch, detail, {}, 0}, env);
  if (message.kind == kElectAcked) return on_ack(from, {Pass::What::elect, epoch, detail, {}, 0}, env);
  // A node on its way out takes nothing on: unacknowledged, it goes to the next one.
  if (role_ != Role::member) return;
  if (message.kind == kToken) {
    env.network.send(from, Message{std::string{kTokenAcked}, message.words});
    on_token({epoch, detail}, env);
  } else if (message.kind == kElect && detail < size_) {
    env.network.send(from, Message{std::string{kElectAcked}, message.words});
    on_elect(epoch, NodeId{detail}, env);
  }
}

void TokenRing::on_token(Number number, Env& env) {
  if (number <= seen_) return;  // sent again, or of an older epoch, or overtaken
  hold(number, env);
}

void TokenRing::hold(Number number, Env& env) {
  holding_ = number;
  seen_ = number;
  // What is still being handed on is older than this, and would be dropped wherever it arrived.
  drop(token_pass_, env);
  if (elect_pass_ && elect_pass_->epoch <= number.epoch) drop(elect_pass_, env);
  env.clock.cancel_timer(kLost);
  env.clock.set_timer(kHold, env.clock.mono() + settings_.hold_time);
  const Token token{0, (std::uint64_t{number.epoch} << 32) | number.seq, 0};
  env.journal.note(Believes{resource_, token, Open{}});
}

void TokenRing::hand_on(Env& env) {
  Number next = *holding_;
  if (++next.seq == 0) ++next.epoch;  // after 4 thousand million holdings
  holding_.reset();
  seen_ = next;
  env.clock.cancel_timer(kHold);
  env.journal.note(StepsDown{resource_, "hands the token on"});
  start({Pass::What::token, next.epoch, next.seq, self_, 0}, env);
}

void TokenRing::start(const Pass& pass, Env& env) {
  slot_of(pass.what) = pass;
  on_silence(slot_of(pass.what), env);  // nobody has been asked: begin with the first successor
}

void TokenRing::on_silence(std::optional<Pass>& slot, Env& env) {
  if (!slot) return;
  if (slot->tries_left == 0) {
    slot->to = after(slot->to);  // the published weak point: silence is taken for death
    slot->tries_left = settings_.ack_retries + 1;
  }
  if (slot->to == self_) return on_alone(*slot, env);
  --slot->tries_left;
  send(*slot, env);
}

void TokenRing::drop(std::optional<Pass>& slot, Env& env) {
  if (!slot) return;
  env.clock.cancel_timer(slot->what == Pass::What::token ? kTokenAck : kElectAck);
  slot.reset();
}

void TokenRing::send(const Pass& pass, Env& env) {
  const bool is_token = pass.what == Pass::What::token;
  env.network.send(pass.to, Message{std::string{is_token ? kToken : kElect}, {pass.epoch, pass.detail}});
  env.clock.set_timer(is_token ? kTokenAck : kElectAck, env.clock.mono() + settings_.ack_timeout);
}

// The pass has gone round the ring and nobody took it.
void TokenRing::on_alone(const Pass& pass, Env& env) {
  const Pass done = pass;
  slot_of(done.what).reset();
  if (role_ == Role::stopping) return stop(env);
  if (done.what == Pass::What::token) {
    hold({done.epoch, done.detail}, env);
  } else if (done.detail == self_.value) {
    hold({done.epoch, 1}, env);
  } else {
    expect_token(env);
  }
}

void TokenRing::on_ack(NodeId from, const Pass& acked, Env& env) {
  std::optional<Pass>& slot = slot_of(acked.what);
  if (!slot || slot->to != from || slot->epoch != acked.epoch || slot->detail != acked.detail) return;
  drop(slot, env);
  if (role_ == Role::stopping) return stop(env);
  if (!holding_) expect_token(env);
}

void TokenRing::start_election(Env& env) {
  const std::uint32_t epoch = std::max(seen_.epoch, election_);
  if (epoch == kEpochMax) return;  // numbers have run out: no honest run gets here
  env.journal.note(Annotation{"has missed the token, starts an election for epoch", std::int64_t{epoch} + 1});
  on_elect(epoch + 1, self_, env);
}

void TokenRing::on_elect(std::uint32_t epoch, NodeId candidate, Env& env) {
  if (epoch <= seen_.epoch || epoch < election_) return;  // decided, or overtaken
  if (epoch > election_) {
    election_ = epoch;
    candidate_.reset();
  }
  if (candidate == self_ && candidate_ == self_) {
    hold({epoch, 1}, env);  // its own candidacy came back: nobody higher is there
    return;
  }
  const NodeId best = std::max(candidate, self_);
  if (candidate_ && best <= *candidate_) return;
  candidate_ = best;
  if (!holding_) expect_token(env);
  start({Pass::What::elect, epoch, best.value, self_, 0}, env);
}

void TokenRing::expect_token(Env& env) {
  env.clock.set_timer(kLost, env.clock.mono() + settings_.token_timeout);
}

void TokenRing::on_stop(Env& env) {
  if (role_ == Role::stopping) return;
  role_ = Role::stopping;
  drop(elect_pass_, env);      // the others find out by themselves
  if (holding_) hand_on(env);  // may find itself alone, and stop at once
  if (role_ == Role::stopping && !token_pass_) stop(env);
}

void TokenRing::stop(Env& env) {
  role_ = Role::stopped;
  for (const TimerId timer : {kHold, kTokenAck, kElectAck, kLost}) env.clock.cancel_timer(timer);
  env.journal.note(Stopped{});
}

Leadership TokenRing::leadership(const Clock&) const {
  if (!holding_) return {};
  return Leadership{Token{0, (std::uint64_t{holding_->epoch} << 32) | holding_->seq, 0}, MonoTime::max()};
}

void TokenRing::hash(Hasher& hasher, const Canon&) const {
  const auto add_number = [&hasher](const Number& number) { hasher.add(number.epoch).add(number.seq); };
  const auto add_pass = [&hasher](const std::optional<Pass>& pass) {
    hasher.add(pass.has_value());
    if (pass) hasher.add(pass->what).add(pass->epoch).add(pass->detail).add(pass->to).add(pass->tries_left);
  };
  hasher.add(role_).add(self_).add(size_).add(holding_.has_value());
  if (holding_) add_number(*holding_);
  add_number(seen_);
  hasher.add(election_).add(candidate_.has_value());
  if (candidate_) hasher.add(*candidate_);
  add_pass(token_pass_);
  add_pass(elect_pass_);
}

// ---- what it declares ------------------------------------------------------------------------------------

namespace {

using Type = ParameterSpec::Type;

constexpr ParameterSpec kTokenRingParameters[] = {
    {"hold_time", Type::duration, Duration::seconds(1).ns(), nanos::kMillisecond, nanos::kYear,
     "how long a node leads before it hands the token on"},
    {"ack_timeout", Type::duration, Duration::millis(200).ns(), nanos::kMillisecond, nanos::kYear,
     "how long a sender waits for an acknowledgement"},
    {"ack_retries", Type::count, 2, 0, 100,
     "how often it sends again before it takes the successor for dead"},
    {"token_timeout", Type::duration, Duration::seconds(10).ns(), nanos::kMillisecond, nanos::kYear,
     "how long a node waits for the token before it starts an election"},
};

std::vector<Complaint> validate_token_ring(const Parameters& values) {
  const Duration hold = values.duration("hold_time");
  const Duration lost = values.duration("token_timeout");
  // The smallest ring worth the name; what a larger one needs grows with its size, which is not known here.
  const Duration rotation = hold * 2;
  if (lost > rotation) return {};
  return {{"token_timeout", "timeout-below-rotation",
           fmt::format("token_timeout ({}) does not exceed the time that the token takes round a ring of two "
                       "({}): a node "
                       "misses a token that is not lost",
                       describe(lost), describe(rotation))}};
}

const std::vector<Claim>& token_ring_claims() {
  using enum Assumption;
  const std::vector<Assumption> calm = {reliable_network, no_pause, no_crash, no_mono_freeze, rates_equal};
  static const std::vector<Claim> kClaims = {
      {"one-believer", calm},     {"one-holder-per-epoch", calm},       {"epochs-increase", calm},
      {"acts-within-belief", {}}, {"leader-elected", {prompt_at_rest}},
  };
  return kClaims;
}

}  // namespace

constinit const ElectorKind kTokenRing = {
    .name = "token-ring",
    .summary = "a token handed round a ring, with elections when it is missed",
    .store = nullptr,
    .has_tokens = true,
    .goes_round = true,
    .parameters = listed_parameters<kTokenRingParameters>,
    .validate = validate_token_ring,
    .claims = token_ring_claims,
    .timing = {.hold_time = "hold_time",
               .token_timeout = "token_timeout",
               .ack_timeout = "ack_timeout",
               .ack_retries = "ack_retries"},
    .make = make_elector<TokenRing>,
};

}  // namespace tenure
