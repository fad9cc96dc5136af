#include "sim/protocols/ticker/ticker.h"

#include <algorithm>
#include <utility>

#include "sim/stores/registry.h"

namespace tenure {
namespace {

constexpr TimerId kTickerTick{Part::scheduler, 0};

constexpr ParameterSpec kTickerParameters[] = {
    {"tick_period", ParameterSpec::Type::duration, nanos::kSecond, nanos::kMillisecond,
     3'600 * nanos::kSecond, "how often the table is read for what is due"},
    {"request_timeout", ParameterSpec::Type::duration, 3 * nanos::kSecond, nanos::kMillisecond,
     3'600 * nanos::kSecond, "how long to wait for an answer from the store"},
    {"advance_first", ParameterSpec::Type::boolean, 0, 0, 1,
     "move next_run as the work begins, rather than when it is over"},
};

}  // namespace

Ticker::Ticker(const SchedulerSetup& setup)
    : store_(setup.store),
      resource_(setup.resource),
      settings_{.tick_period = setup.parameters.duration("tick_period"),
                .request_timeout = setup.parameters.duration("request_timeout"),
                .advance_first = setup.parameters.flag("advance_first")} {}

void Ticker::step(const Input& input, const Leadership& leadership, Env& env) {
  if (std::holds_alternative<Started>(input)) {
    if (std::exchange(started_, true)) return;
    env.clock.set_timer(kTickerTick, env.clock.mono() + settings_.tick_period);
  } else if (!started_) {
    return;
  } else if (const auto* timer = std::get_if<TimerFired>(&input)) {
    if (timer->timer == kTickerTick) tick(leadership, env);
  } else if (const auto* reply = std::get_if<StoreReplied>(&input)) {
    if (reply->part == Part::scheduler && reply->store == store_) on_reply(*reply, env);
  } else if (const auto* done = std::get_if<WorkDone>(&input)) {
    on_work_done(done->event, env);
  } else if (std::holds_alternative<StopAsked>(input)) {
    stopping_ = true;
    env.clock.cancel_timer(kTickerTick);
  }
}

void Ticker::tick(const Leadership& leadership, Env& env) {
  if (stopping_) return;
  const MonoTime now = env.clock.mono();
  env.clock.set_timer(kTickerTick, now + settings_.tick_period);
  if (reading_ || !leadership.leads(now)) return;
  env.journal.note(LeadershipChecked{resource_});
  token_ = leadership.token;
  reading_ = submit(schedule_table::ReadRuns{.resource = resource_}, false, env);
}

// Whether it still leads is not asked again: what was read is run, under the token of the check.
void Ticker::run(const schedule_table::Runs& runs, Env& env) {
  for (const schedule_table::ScheduleRow& row : runs.rows) {
    if (is_at_work(row.schedule)) continue;
    ++running_;
    env.work.execute({resource_, {row.schedule, row.next_run, 0}, token_, false});
    const StoreTime next = slot_after(row.definition, row.next_run).value_or(StoreTime::max());
    if (settings_.advance_first)
      advance(row.schedule, next, env);
    else
      at_work_.push_back({row.schedule, row.next_run, next});
  }
}

// Whatever became of the work: next_run moves when it has returned.
void Ticker::on_work_done(const reference::EventId& event, Env& env) {
  if (running_ > 0) --running_;
  const auto over = std::find_if(at_work_.begin(), at_work_.end(), [&](const AtWork& each) {
    return each.schedule == event.schedule && each.slot == event.slot && !each.update;
  });
  // A read that is under way by now may still show the slot, so it counts as at work until the update is answered.
  if (over != at_work_.end()) over->update = advance(event.schedule, over->next, env);
}

RequestId Ticker::advance(ScheduleId schedule, StoreTime next, Env& env) {
  ++writing_;
  return submit(schedule_table::SetNextRun{resource_, schedule, next}, true, env);
}

bool Ticker::is_at_work(ScheduleId schedule) const {
  return std::any_of(at_work_.begin(), at_work_.end(),
                     [&](const AtWork& each) { return each.schedule == schedule; });
}

void Ticker::on_reply(const StoreReplied& reply, Env& env) {
  if (reading_ != reply.id) {
    if (writing_ > 0) --writing_;
    std::erase_if(at_work_, [&reply](const AtWork& each) { return each.update == reply.id; });
    return;
  }
  reading_.reset();
  if (reply.outcome != RequestOutcome::applied || stopping_) return;  // the next tick reads again
  const auto* family = message_as<schedule_table::Reply>(reply.reply);
  const auto* runs = family ? std::get_if<schedule_table::Runs>(family) : nullptr;
  if (runs) run(*runs, env);
}

RequestId Ticker::submit(schedule_table::Request request, bool as_leader, Env& env) const {
  const MonoTime deadline = env.clock.mono() + settings_.request_timeout;
  return env.store.submit({store_, Part::scheduler, Request{std::move(request)}, deadline, as_leader});
}

void Ticker::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(started_).add(stopping_).add(canon.name(reading_ ? reading_->counter : 0));
  hasher.add(token_.has_value());
  if (token_) hasher.add(token_->branch).add(token_->epoch).add(canon.name(token_->nonce));
  hasher.add(writing_).add(running_);
  hasher.add(at_work_.size());
  for (const AtWork& each : at_work_) {
    hasher.add(each.schedule.value).add(each.slot.ns()).add(each.next.ns());
    hasher.add(canon.name(each.update ? each.update->counter : 0));
  }
}

namespace {

const std::vector<Claim>& ticker_claims() {
  using enum Assumption;
  // With all of these a leadership ends only when its instance is asked to stop, and then after its last update. Which
  // clocks must be right for that is the election's affair.
  const std::vector<Assumption> fair_weather = {steady_leader, no_store_step, no_lost_commits, no_mono_freeze,
                                                no_pause,      prompt_store,  prompt_at_rest,  no_crash};
  const std::vector<std::string_view> election = {"one-believer", "leader-elected"};
  using enum Claim::Aftermath;
  static const std::vector<Claim> kClaims = {
      {"no-duplicate-fire", fair_weather, passes, election},
      {"acts-within-belief", fair_weather, passes, election},
      // As long as slots are further apart than ticker_slot_delay().
      {"caught-up", fair_weather, passes, election},
      // The read judges by the store's clock, and the work comes after it.
      {"never-early", {no_store_step}},
  };
  return kClaims;
}

Duration ticker_slot_delay(const Parameters& parameters, Duration longest_work) {
  const Duration tick = parameters.duration("tick_period");
  return parameters.flag("advance_first") ? tick : tick + longest_work;
}

}  // namespace

constinit const SchedulerKind kTicker = {
    .name = "ticker",
    .summary = "a loop that runs what is due every second while it believes to lead",
    .store = &kScheduleTableStore,
    .progress_bound = ticking_progress_bound,
    .one_slot_each = "tick_period",
    .slot_delay = ticker_slot_delay,
    .parameters = listed_parameters<kTickerParameters>,
    .claims = ticker_claims,
    .make = make_scheduler<Ticker>};

}  // namespace tenure
