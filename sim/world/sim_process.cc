#include "sim/world/sim_process.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "sim/world/sim_env.h"

namespace tenure::sim {
namespace {

// How far apart what had waited through a pause is delivered after it.
constexpr Duration kResumeSpread = Duration::millis(1);
// Hashed once: each effect draws it.
constexpr std::uint64_t kDepartureKey = hash_text("departure");

}  // namespace

SimProcess::SimProcess(Timeline& timeline, History& history, ProcessWorld& world, KeyedRng rng,
                       Setting setting)
    : timeline_(timeline),
      history_(history),
      world_(world),
      rng_(rng.of("host").of(setting.node.value)),
      id_(setting.node),
      clock_(setting.clock),
      departure_(std::move(setting.departure)),
      program_(setting.program),
      handler_(timeline.add_handler(*this)),
      driver_(setting.node, setting.cluster_size),
      downs_{{kFirstStart, setting.first_start}},
      backoff_(setting.program) {}

// ---- lives -------------------------------------------------------------------------------------------------

// I9.
void SimProcess::come_up() {
  if (!downs_.empty() || alive()) return;
  const bool at_once = who().number == 0 || std::exchange(brought_up_, false);
  if (at_once || program_.startup == Duration{}) return begin_life();
  downs_.push_back({kStartsUp, timeline_.now() + program_.startup});
  timeline_.at(timeline_.now() + program_.startup, {handler_, kStartedUp, id_.value, ++starts_up_});
}

void SimProcess::begin_life() {
  up_ = true;
  led_ = false;
  life_since_ = timeline_.now();
  SimEnv env(*this);
  driver_.start(world_.make_node(id_), readings(), env);
  world_.life_began(who());
  settle();
}

void SimProcess::kill(std::uint64_t cause, TrueTime until) {
  std::erase_if(downs_, [](const Hold& hold) { return hold.cause == kStartsUp; });
  downs_.push_back({cause, until});
  terminate();
}

void SimProcess::stop(std::uint64_t cause, TrueTime until, Duration grace, std::function<void()> then) {
  downs_.push_back({cause, until});
  if (!alive()) {
    if (then) then();
    return;
  }
  // Asked again while it stops, it tells everybody who asked: a deploy goes on although another stop came in between.
  if (then && on_death_)
    then = [before = std::move(on_death_), then = std::move(then)] {
      before();
      then();
    };
  if (then) on_death_ = std::move(then);
  asked_to_stop_ = true;
  timeline_.at(timeline_.now() + grace, {handler_, kGrace, id_.value, who().number});
  arrive(who(), {ChannelKind::notification, 0xffffffff}, StopAsked{});
}

void SimProcess::release(std::uint64_t cause) {
  std::erase_if(downs_, [cause](const Hold& hold) { return hold.cause == cause; });
  come_up();
}

void SimProcess::release_brought_up(std::uint64_t cause) {
  brought_up_ = true;
  release(cause);
}

// One that starts up already goes on with that.
void SimProcess::release_all() {
  std::erase_if(downs_, [](const Hold& hold) { return hold.cause != kStartsUp; });
  come_up();
}

TrueTime SimProcess::latest(const std::vector<Hold>& holds) {
  TrueTime result = TrueTime::from_ns(INT64_MIN);
  for (const Hold& hold : holds) result = std::max(result, hold.until);
  return result;
}

void SimProcess::terminate() {
  if (!alive()) return;
  driver_.terminate();
  end_life(Death::killed);
}

void SimProcess::settle() {
  if (driver_.has_effects() && !departing_) schedule_departure();
  if (up_ && !alive()) end_life(Death::stopped);
  exit_if_lost();
}

bool SimProcess::lost_leadership() const {
  return program_.exits_on_loss && alive() && led_ && !asked_to_stop_ && !believes();
}

void SimProcess::exit_if_lost() {
  if (!lost_leadership() || paused()) return;
  driver_.terminate();
  end_life(Death::exited);
}

void SimProcess::watch_belief(const Until& until) {
  if (!program_.exits_on_loss) return;
  timeline_.cancel(belief_ends_);
  belief_ends_ = {};
  TrueTime end = TrueTime::max();
  if (const auto* mono = std::get_if<MonoTime>(&until)) end = clock_.when(*mono);
  if (const auto* wall = std::get_if<WallTime>(&until)) end = clock_.when(*wall);
  if (end == TrueTime::max()) return;
  belief_ends_ =
      timeline_.at(std::max(end, timeline_.now()), {handler_, kBeliefEnds, id_.value, who().number});
}

void SimProcess::end_life(Death how) {
  up_ = false;
  pauses_.clear();
  departing_ = false;
  for (const Ringing& ringing : alarms_) timeline_.cancel(ringing.event);
  alarms_.clear();
  not_before_.clear();
  waiting_.clear();
  draws_.clear();
  timeline_.cancel(belief_ends_);
  belief_ends_ = {};
  std::size_t lost = 0;
  if (how == Death::killed)
    lost = disk_.crash(rng_.of("disk").of(who().number));
  else
    disk_.stop();
  history_.emit(NodeDied{who(), how, lost});
  world_.process_changed(id_);
  stop_suspension();  // a new life starts on a machine that runs
  const bool by_itself = !std::exchange(asked_to_stop_, false) && downs_.empty();
  if (auto then = std::exchange(on_death_, nullptr)) then();
  if (how == Death::exited) return start_later(backoff_.after_exit(life_since_, timeline_.now()));
  if (by_itself) return start_later({});
  come_up();  // whoever asked it to stop has let go before it had
}

// I7.
void SimProcess::start_later(Duration after) {
  const TrueTime then = timeline_.now() + std::max(after, kRestartDelay);
  downs_.push_back({kEnded, then});
  timeline_.at(then, {handler_, kStartAgain, id_.value, who().number});
}

void SimProcess::pause(std::uint64_t cause, TrueTime until) {
  if (!alive()) return;
  pauses_.push_back({cause, until});
  if (pauses_.size() > 1) return;
  history_.emit(NodePaused{who()});
  world_.process_changed(id_);
}

void SimProcess::resume(std::uint64_t cause) {
  const auto erased = std::erase_if(pauses_, [cause](const Hold& hold) { return hold.cause == cause; });
  if (erased == 0 || paused()) return;
  history_.emit(NodeResumed{who()});
  world_.process_changed(id_);
  // I5: each alarm, and each channel, gets a first moment of its own within the spread.
  std::uint64_t ordinal = 0;
  for (Ringing& ringing : alarms_) {
    if (!ringing.overdue) continue;
    ringing.overdue = false;
    ringing.event =
        timeline_.at(timeline_.now() + resume_draw(ordinal++), {handler_, kAlarm, id_.value, ringing.serial});
  }
  std::vector<std::pair<Channel, TrueTime>> channels;
  for (WaitingInput& waiting : waiting_) {
    auto channel =
        std::find_if(channels.begin(), channels.end(), [&](auto& c) { return c.first == waiting.channel; });
    if (channel == channels.end())
      channel = channels.insert(channels.end(), {waiting.channel, timeline_.now()});
    channel->second = channel->second + resume_draw(ordinal++);
    timeline_.at(channel->second, {handler_, kWaiting, id_.value, waiting.serial});
  }
  if (lost_leadership())
    belief_ends_ = timeline_.at(timeline_.now() + resume_draw(ordinal++),
                                {handler_, kBeliefEnds, id_.value, who().number});
  if (driver_.has_effects() && !departing_) schedule_departure();
}

void SimProcess::suspend(std::uint64_t cause, TrueTime until) {
  if (!alive()) return;
  pause(cause, until);
  suspensions_.push_back({cause, until});
  if (suspensions_.size() > 1) return;
  clock_.suspend(timeline_.now());
  clock_has_changed();
}

// The clocks first, so that the process finds them as they are from now on.
void SimProcess::wake(std::uint64_t cause) {
  const auto erased = std::erase_if(suspensions_, [cause](const Hold& hold) { return hold.cause == cause; });
  if (erased > 0 && suspensions_.empty()) stop_suspension();
  resume(cause);
}

void SimProcess::stop_suspension() {
  suspensions_.clear();
  if (!clock_.suspended()) return;
  clock_.wake(timeline_.now());
  clock_has_changed();
}

void SimProcess::starve(std::uint64_t cause, Duration by) {
  std::erase_if(starved_, [cause](const auto& starved) { return starved.first == cause; });
  if (by > Duration{}) starved_.emplace_back(cause, by);
}

Duration SimProcess::lateness() {
  if (starved_.empty()) return {};
  const std::int64_t second = timeline_.now().ns() / Duration::seconds(1).ns();
  if (second != late_second_) lates_ = 0;
  late_second_ = second;
  const KeyedRng rng = rng_.of("starved").of(static_cast<std::uint64_t>(second)).of(lates_++);
  Duration sum;
  for (const auto& [cause, by] : starved_) sum += Duration::nanos(rng.of(cause).between(1, by.ns()));
  return sum;
}

// Keyed by the moment and not by a count of resumes, so that a pause less does not redraw those after it.
Duration SimProcess::resume_draw(std::uint64_t ordinal) const {
  const auto moment = static_cast<std::uint64_t>(timeline_.now().ns());
  const KeyedRng rng = rng_.of("resume").of(moment).of(ordinal);
  return Duration::nanos(rng.between(1, kResumeSpread.ns()));
}

// ---- clocks ------------------------------------------------------------------------------------------------

void SimProcess::clock_has_changed() {
  reschedule_alarms();
  if (alive() && driver_.belief()) watch_belief(driver_.belief()->until);
  history_.emit(ClockChanged{id_});
  world_.process_changed(id_);
}

void SimProcess::step_wall(Duration by) {
  clock_.step_wall(by);
  if (driver_.alive() && driver_.belief()) watch_belief(driver_.belief()->until);
  history_.emit(ClockChanged{id_});
  world_.process_changed(id_);
}

void SimProcess::disturb_rate(std::uint64_t cause, std::int64_t extra_ppm) {
  std::erase_if(rates_, [&](const auto& rate) { return rate.first == cause; });
  if (extra_ppm != 0) rates_.emplace_back(cause, extra_ppm);
  std::int64_t sum = 0;
  bool still = false;  // a clock that stands still does so whatever else would be its rate
  for (const auto& rate : rates_) {
    sum += rate.second;
    still = still || rate.second <= RateClock::kStill;
  }
  clock_.disturb_rate(timeline_.now(), still ? RateClock::kStill : std::max(sum, RateClock::kStill));
  clock_has_changed();
}

bool SimProcess::believes() const { return driver_.believes(readings()); }

// ---- inputs ------------------------------------------------------------------------------------------------

void SimProcess::arrive(Incarnation who, Channel channel, Input&& input) {
  if (!driver_.hears(who)) return;
  // An input behind one that still waits, from a pause or because the node is starved, waits too, so that its channel
  // keeps its order.
  const auto waits_before = std::find_if(waiting_.begin(), waiting_.end(), [&](const WaitingInput& waiting) {
    return waiting.channel == channel;
  });
  const Duration late = paused() ? Duration{} : lateness();
  if (paused() || late > Duration{} || waits_before != waiting_.end()) {
    waiting_.push_back({++serial_, channel, std::move(input)});
    const Duration wait = late > Duration{} ? late : kResumeSpread;
    if (!paused()) timeline_.at(timeline_.now() + wait, {handler_, kWaiting, id_.value, serial_});
    return;
  }
  deliver(std::move(input));
}

void SimProcess::take_waiting(std::uint64_t serial) {
  const auto place = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const WaitingInput& waiting) { return waiting.serial == serial; });
  if (place == waiting_.end()) return;  // of a life that is over
  if (paused()) return;                 // paused again before it came: the next resume schedules it anew
  // The first of its channel, whichever of the channel's events this is: order within a channel is kept.
  const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](const WaitingInput& waiting) {
    return waiting.channel == place->channel;
  });
  if (first->serial != serial) std::swap(first->serial, place->serial);
  Input input = std::move(first->input);
  waiting_.erase(first);
  deliver(std::move(input));
}

void SimProcess::deliver(Input&& input) {
  SimEnv env(*this);
  driver_.deliver(who(), std::move(input), readings(), env);
  settle();
}

// Of what has not left nobody awaits anything over a session.
bool SimProcess::awaits_store() const {
  const auto& pending = driver_.pending();
  return std::any_of(pending.begin(), pending.end(),
                     [](const Driver::Pending& one) { return one.connection.has_value(); });
}

void SimProcess::lose_sessions() {
  for (StoreReplied& answer : driver_.lose_sessions()) {
    const Channel channel{ChannelKind::reply, static_cast<std::uint32_t>(answer.part)};
    arrive(who(), channel, std::move(answer));
  }
}

// ---- alarms ------------------------------------------------------------------------------------------------

void SimProcess::set_alarm(const Alarm& alarm) {
  alarms_.push_back({++serial_, alarm, {}});
  schedule_alarm(alarms_.back());
}

void SimProcess::drop_alarm(const Alarm& alarm) {
  const auto place = std::find_if(alarms_.begin(), alarms_.end(), [&](const Ringing& ringing) {
    return ringing.alarm.timer == alarm.timer && ringing.alarm.request == alarm.request;
  });
  CHECK(place != alarms_.end(), "I3: an alarm that was set is there until it has gone off");
  timeline_.cancel(place->event);
  alarms_.erase(place);
}

void SimProcess::schedule_alarm(Ringing& ringing) {
  const TrueTime when = clock_.when(ringing.alarm.deadline);
  ringing.event = when == TrueTime::max() ? EventHandle{}
                                          : timeline_.at(when, {handler_, kAlarm, id_.value, ringing.serial});
}

void SimProcess::reschedule_alarms() {
  for (Ringing& ringing : alarms_) {
    if (ringing.overdue || ringing.late) continue;
    timeline_.cancel(ringing.event);
    schedule_alarm(ringing);
  }
}

void SimProcess::alarm_rang(std::uint64_t serial) {
  const auto place = std::find_if(alarms_.begin(), alarms_.end(),
                                  [&](const Ringing& ringing) { return ringing.serial == serial; });
  if (place == alarms_.end()) return;
  if (paused()) {
    place->overdue = true;
    return;
  }
  const Duration late = place->late ? Duration{} : lateness();
  if (late > Duration{}) {
    place->late = true;
    place->event = timeline_.at(timeline_.now() + late, {handler_, kAlarm, id_.value, serial});
    return;
  }
  const Alarm alarm = place->alarm;
  alarms_.erase(place);
  SimEnv env(*this);
  const bool heard = alarm.timer ? driver_.fire(*alarm.timer, readings(), env)
                                 : driver_.give_up(alarm.request, readings(), env);
  CHECK(heard, "I3: what is dropped does not go off");
  settle();
}

// ---- effects -----------------------------------------------------------------------------------------------

void SimProcess::schedule_departure() {
  CHECK(!not_before_.empty(), "I4: each effect that waits has its time");
  departing_ = true;
  const std::int64_t second = timeline_.now().ns() / Duration::seconds(1).ns();
  if (second != departure_second_) departures_ = 0;
  departure_second_ = second;
  const KeyedRng rng = rng_.of(kDepartureKey).of(static_cast<std::uint64_t>(second)).of(departures_++);
  const Duration drawn = departure_.draw(rng);
  const TrueTime from = std::max(timeline_.now(), not_before_.front());
  timeline_.at(from + std::max(drawn, Duration::nanos(1)), {handler_, kDeparture, id_.value, who().number});
}

void SimProcess::depart() {
  departing_ = false;
  if (paused() || !driver_.has_effects()) return;
  not_before_.pop_front();
  world_.effect_left(who(), driver_.leave());
  settle();
}

void SimProcess::on_event(const Event& event) {
  switch (static_cast<Kind>(event.kind)) {
    case kAlarm: alarm_rang(event.payload); break;
    case kDeparture:
      if (event.payload == who().number && alive()) depart();
      break;
    case kWaiting: take_waiting(event.payload); break;
    case kGrace:
      if (event.payload == who().number) terminate();
      break;
    case kStartAgain:
      if (event.payload == who().number) release(kEnded);
      break;
    case kStartedUp:
      if (event.payload != starts_up_ || alive()) break;
      if (std::erase_if(downs_, [](const Hold& hold) { return hold.cause == kStartsUp; }) > 0 &&
          downs_.empty())
        begin_life();
      break;
    case kBeliefEnds:
      if (event.payload == who().number) exit_if_lost();
      break;
  }
}

}  // namespace tenure::sim
