#include "sim/protocols/placement/placement.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/model/duration_text.h"
#include "sim/stores/registry.h"

namespace tenure {
namespace {

constexpr TimerId kReport{Part::scheduler, 0};
constexpr TimerId kResync{Part::scheduler, 1};
constexpr TimerId kReportLate{Part::scheduler, 2};

constexpr std::string_view kGuards[] = {"none", "version", "term"};
constexpr ParameterSpec kPlacementParameters[] = {
    {"items", ParameterSpec::Type::count, 12, 1, 1'000, "how many items there are to place"},
    {"report_period", ParameterSpec::Type::duration, 2 * nanos::kSecond, nanos::kMillisecond, nanos::kHour,
     "how often a worker reports, and is told what it is to run"},
    {"request_timeout", ParameterSpec::Type::duration, 3 * nanos::kSecond, nanos::kMillisecond, nanos::kHour,
     "how long to wait for an answer from the store"},
    {"resync_period", ParameterSpec::Type::duration, 5 * nanos::kSecond, nanos::kMillisecond, nanos::kHour,
     "how often the leader looks at all items and workers"},
    {"worker_timeout", ParameterSpec::Type::duration, 15 * nanos::kSecond, nanos::kMillisecond, nanos::kHour,
     "for how long a worker is silent before its items are moved"},
    {"give_up", ParameterSpec::Type::duration, 10 * nanos::kSecond, 0, nanos::kHour,
     "how long after a report was sent a worker runs what it was told in answer to it; 0: for ever"},
    {"guard", ParameterSpec::Type::choice, 1, 0, 2,
     "what an assignment is held against: nothing, the item's version, or the leader's term", kGuards},
};

}  // namespace

Placement::Placement(const SchedulerSetup& setup)
    : store_(setup.store),
      resource_(setup.resource),
      settings_{.items = setup.parameters.number("items"),
                .report_period = setup.parameters.duration("report_period"),
                .request_timeout = setup.parameters.duration("request_timeout"),
                .resync_period = setup.parameters.duration("resync_period"),
                .worker_timeout = setup.parameters.duration("worker_timeout"),
                .give_up = setup.parameters.duration("give_up"),
                .guard = static_cast<Guard>(setup.parameters.number("guard"))} {}

void Placement::step(const Input& input, const Leadership& leadership, Env& env) {
  if (const auto* started = std::get_if<Started>(&input)) {
    if (std::exchange(started_, true)) return;
    self_ = std::int64_t{started->self.node.value} + 1;
    report(env);
  } else if (!started_) {
    return;
  } else if (const auto* timer = std::get_if<TimerFired>(&input)) {
    if (timer->timer == kReport && !stopping_) report_again(env);
    if (timer->timer == kResync) resync(leadership, env);
    if (timer->timer == kReportLate) give_up(env);
  } else if (const auto* reply = std::get_if<StoreReplied>(&input)) {
    if (reply->part == Part::scheduler && reply->store == store_) on_reply(*reply, leadership, env);
  } else if (std::holds_alternative<StopAsked>(input)) {
    leave(env);
  }
  const bool leads = leadership.leads(env.clock.mono());
  // Not at once: workers that have just started can report first.
  if (leads && !led_ && !stopping_) env.clock.set_timer(kResync, env.clock.mono() + settings_.resync_period);
  led_ = leads;
}

// ---- the worker ----

void Placement::report(Env& env) {
  env.clock.set_timer(kReport, env.clock.mono() + settings_.report_period);
  reporting_ = submit(placement::ReportWork{self_, {runs_.begin(), runs_.end()}, false}, false, env);
}

// Not while the last one is on its way: if that takes longer than the period, no answer would ever be the latest one's.
void Placement::report_again(Env& env) {
  if (!reporting_) return report(env);
  env.clock.set_timer(kReport, env.clock.mono() + settings_.report_period);
}

void Placement::told(const placement::Yours& yours, MonoTime sent_at, Env& env) {
  if (settings_.give_up > Duration{}) {
    const MonoTime until = sent_at + settings_.give_up;
    if (until <= env.clock.mono()) return;  // it comes too late to go by
    env.clock.set_timer(kReportLate, until);
  }
  std::set<std::int64_t> now(yours.items.begin(), yours.items.end());
  if (now == runs_) return;
  runs_ = std::move(now);
  report(env);
}

void Placement::give_up(Env& env) {
  if (runs_.empty() || stopping_) return;
  runs_.clear();
  report(env);
}

void Placement::leave(Env& env) {
  if (std::exchange(stopping_, true)) return;
  for (const TimerId timer : {kReport, kResync, kReportLate}) env.clock.cancel_timer(timer);
  runs_.clear();
  reporting_ = submit(placement::ReportWork{self_, {}, true}, false, env);
}

// ---- the leader ----

void Placement::resync(const Leadership& leadership, Env& env) {
  if (stopping_ || !leadership.leads(env.clock.mono())) return;
  env.clock.set_timer(kResync, env.clock.mono() + settings_.resync_period);
  if (listing_ || !assigning_.empty()) return;
  listing_ = submit(placement::ListPlacements{}, false, env);
}

bool Placement::is_there(std::int64_t worker, const placement::Placements& there) const {
  return std::any_of(there.workers.begin(), there.workers.end(), [&](const placement::SeenWorker& each) {
    return each.worker == worker && each.silent < settings_.worker_timeout;
  });
}

std::vector<placement::PlacedItem> Placement::items_of(const placement::Placements& there) const {
  std::vector<placement::PlacedItem> items;
  for (std::int64_t number = 1; number <= settings_.items; ++number) {
    const auto known = std::find_if(there.items.begin(), there.items.end(),
                                    [number](const auto& each) { return each.item == number; });
    items.push_back(known == there.items.end() ? placement::PlacedItem{number, 0, 0} : *known);
  }
  return items;
}

// Each item without a worker goes to one that has the fewest, of several to the first.
void Placement::place(const placement::Placements& there, const Leadership& leadership, Env& env) {
  if (stopping_ || !leadership.leads(env.clock.mono())) return;
  std::map<std::int64_t, std::int64_t> load;
  for (const placement::SeenWorker& each : there.workers)
    if (is_there(each.worker, there)) load.emplace(each.worker, 0);
  if (load.empty()) return;
  const std::vector<placement::PlacedItem> items = items_of(there);
  for (const placement::PlacedItem& each : items)
    if (const auto found = load.find(each.worker); found != load.end()) ++found->second;
  const auto is_placed = [&load](const placement::PlacedItem& each) { return load.contains(each.worker); };
  if (std::all_of(items.begin(), items.end(), is_placed)) return;
  env.journal.note(LeadershipChecked{resource_});
  for (const placement::PlacedItem& each : items) {
    if (is_placed(each)) continue;
    const auto least = std::min_element(load.begin(), load.end(), [](const auto& one, const auto& other) {
      return one.second < other.second;
    });
    ++least->second;
    placement::AssignItem assign{
        each.item, least->first, each.version, settings_.guard == Guard::version, {}};
    if (settings_.guard == Guard::term && leadership.token)
      assign.term = static_cast<std::int64_t>(leadership.token->epoch);
    assigning_.insert(submit(assign, true, env));
  }
}

void Placement::on_reply(const StoreReplied& reply, const Leadership& leadership, Env& env) {
  if (assigning_.erase(reply.id) > 0) return;  // whatever came of it, the next look shows
  const bool of_report = reporting_ == reply.id;
  const bool of_list = listing_ == reply.id;
  if (of_report) reporting_.reset();
  if (of_list) listing_.reset();
  if (reply.outcome != RequestOutcome::applied || stopping_) return;
  const auto* family = message_as<placement::Reply>(reply.reply);
  if (family == nullptr) return;
  if (const auto* yours = std::get_if<placement::Yours>(family); yours != nullptr && of_report)
    told(*yours, reply.sent_at, env);
  if (const auto* there = std::get_if<placement::Placements>(family); there != nullptr && of_list)
    place(*there, leadership, env);
}

RequestId Placement::submit(placement::Request request, bool as_leader, Env& env) const {
  const MonoTime deadline = env.clock.mono() + settings_.request_timeout;
  return env.store.submit({store_, Part::scheduler, Request{std::move(request)}, deadline, as_leader});
}

void Placement::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(started_).add(stopping_).add(led_).add(self_);
  hasher.add(runs_.size());
  for (const std::int64_t item : runs_) hasher.add(item);
  hasher.add(canon.name(reporting_ ? reporting_->counter : 0));
  hasher.add(canon.name(listing_ ? listing_->counter : 0));
  hasher.add(assigning_.size());
  for (const RequestId& each : assigning_) hasher.add(canon.name(each.counter));
}

namespace {

std::vector<Complaint> validate_placement(const Parameters& parameters) {
  const Duration give_up = parameters.duration("give_up");
  const Duration timeout = parameters.duration("worker_timeout");
  const Duration report = parameters.duration("report_period") + parameters.duration("request_timeout");
  std::vector<Complaint> complaints;
  if (give_up == Duration{} || give_up >= timeout)
    complaints.push_back({"give_up", "runs-on-when-cut-off",
                          "give_up (" + (give_up == Duration{} ? "never" : print_duration(give_up)) +
                              ") must be below worker_timeout (" + print_duration(timeout) +
                              "): a worker that is cut off runs on while its items are moved"});
  if (give_up > Duration{} && give_up <= report)
    complaints.push_back(
        {"give_up", "gives-up-in-good-health",
         "give_up (" + print_duration(give_up) + ") is no longer than report_period + request_timeout (" +
             print_duration(report) + "): one answer that is late ends all that a worker runs",
         true});
  return complaints;
}

const std::vector<Claim>& placement_claims() {
  using enum Assumption;
  using enum Claim::Aftermath;
  // A lease of the worker's: counted from the send, and by the store from the arrival. An assignment that arrives late,
  // or of a second leader, is stopped by `guard` alone, which is a setting.
  const std::vector<Assumption> fair_weather = {rates_equal,    no_store_step, no_lost_commits,
                                                no_mono_freeze, no_pause,      prompt_store};
  static const std::vector<Claim> kClaims = {
      {"items-run-once", fair_weather, passes, {"one-believer"}},
      {"no-stale-assignment", fair_weather, passes, {"one-believer"}},
      {"items-placed", {prompt_at_rest}, passes, {"leader-elected"}},
      {"acts-within-belief", {}},
  };
  return kClaims;
}

}  // namespace

constinit const SchedulerKind kPlacement = {
    .name = "placement",
    .summary = "a controller that assigns items to workers; each instance is a worker as well",
    .store = &kPlacementStore,
    .parameters = listed_parameters<kPlacementParameters>,
    .validate = validate_placement,
    .claims = placement_claims,
    .make = make_scheduler<Placement>,
    .places_items = true};

}  // namespace tenure
