#include "daemon/service/leadership_view.h"

#include <algorithm>

#include "core/model/describe.h"

namespace tenure::daemon {
namespace {

// What every instance writes again and again, or would write if nobody else had the lease.
bool is_of_the_lease(const reference::Request& asked) {
  return std::holds_alternative<reference::Acquire>(asked) ||
         std::holds_alternative<reference::Renew>(asked) || std::holds_alternative<reference::Release>(asked);
}

}  // namespace

Duration longest_silence(const Parameters& scheduling) {
  return kUsualSilence + scheduling.duration("poll_period") + scheduling.duration("request_timeout");
}

void LeadershipView::begin(Incarnation self) {
  const std::lock_guard lock(mutex_);
  self_ = self;
}

void LeadershipView::note(const Note& note) {
  const std::lock_guard lock(mutex_);
  if (const auto* believes = std::get_if<Believes>(&note)) {
    believed_until_ = std::get<MonoTime>(believes->until);
    token_ = believes->token;
  } else if (std::holds_alternative<StepsDown>(note)) {
    believed_until_ = MonoTime::min();
    token_.reset();
  }
}

void LeadershipView::answered(const reference::Request& asked, const Answer& answer, Duration) {
  const std::lock_guard lock(mutex_);
  // An elector says which life it is with each request for the lease.
  if (const auto* acquire = std::get_if<reference::Acquire>(&asked)) self_ = acquire->holder;
  if (const auto* renew = std::get_if<reference::Renew>(&asked)) self_ = renew->holder;
  const MonoTime now = clock_.mono();
  const bool worked = answer.outcome == RequestOutcome::applied;
  if (is_of_the_lease(asked)) lease_works_ = worked;
  last_worked_ = worked && lease_works_;
  if (!worked) {
    trouble_ = answer.message;
    return;
  }
  executed_at_ = now;
  if (const auto* refused = std::get_if<reference::Refused>(&answer.reply))
    holder_ = {refused->holder, refused->epoch, now + refused->remaining};
  if (const auto* granted = std::get_if<reference::Granted>(&answer.reply))
    holder_ = {self_, granted->token.epoch, now + granted->duration};
  if (std::holds_alternative<reference::Release>(asked)) holder_.holder = {};
  if (const auto* due = std::get_if<reference::Due>(&answer.reply)) hold_ = due->hold;
  if (const auto* changes = std::get_if<reference::Changes>(&answer.reply)) hold_ = changes->hold;
  if (const auto* set = std::get_if<reference::HoldSet>(&answer.reply)) hold_ = set->hold;
}

Incarnation LeadershipView::self() const {
  const std::lock_guard lock(mutex_);
  return self_;
}

LeadershipState LeadershipView::state() const {
  const std::lock_guard lock(mutex_);
  const MonoTime now = clock_.mono();
  LeadershipState state;
  state.leads = now < believed_until_;
  if (state.leads) {
    state.token = token_;
    state.belief_left = believed_until_ - now;
  }
  state.holder = holder_;
  state.hold = hold_;
  state.store_answers = last_worked_ && now - executed_at_ < silence_;
  if (!state.store_answers)
    state.trouble =
        last_worked_ ? "the scheduler has had no answer of the store for " + describe(silence_) : trouble_;
  return state;
}

}  // namespace tenure::daemon
