#include "tests/sim/checkers/history.h"

#include <gtest/gtest.h>

#include <utility>

#include "sim/stores/registry.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::sim {
namespace {

ElectorKind elector(std::string_view name, const StoreKind* store, bool has_tokens) {
  ElectorKind kind{};
  kind.name = name;
  kind.store = store;
  kind.has_tokens = has_tokens;
  return kind;
}

SchedulerKind scheduler(std::string_view name, const StoreKind* store) {
  SchedulerKind kind{};
  kind.name = name;
  kind.store = store;
  kind.keeps_ledger = store == &kReferenceStore;
  if (kind.keeps_ledger) kind.paused_step = Duration::seconds(10);
  return kind;
}

const ElectorKind kFencedLease = elector("fenced-lease", &kReferenceStore, true);
const ElectorKind kWriting = [] {
  ElectorKind kind = kFencedLease;
  kind.writes = true;
  return kind;
}();
const ElectorKind kDbLease = elector("db-lease", &kLeaseTableStore, false);
const ElectorKind kTokenRing = elector("token-ring", nullptr, true);
const DesignFile kDesignFile{"mine.lua", 1};
const ElectorKind kDesign = [] {
  ElectorKind kind = elector("mine", &kReferenceStore, true);
  kind.design = &kDesignFile;
  return kind;
}();
const ElectorKind kClientGo = elector("client-go", &kRecordStore, false);
const SchedulerKind kFencedOutbox = scheduler("fenced-outbox", &kReferenceStore);
const SchedulerKind kTicker = scheduler("ticker", &kScheduleTableStore);

const SchedulerKind kPlacement = [] {
  SchedulerKind kind = scheduler("placement", &kPlacementStore);
  kind.places_items = true;
  return kind;
}();

constexpr ParameterSpec kPlacing[] = {
    {"items", ParameterSpec::Type::count, 3, 1, 1'000, "how many there are"}};
constexpr ParameterSpec kScheduling[] = {
    {"max_running", ParameterSpec::Type::count, 100, 1, 1'000'000, "how much work may run"},
    {"work_attempts", ParameterSpec::Type::count, 5, 1, 1'000'000, "how often work is begun that fails"},
    {"stall_timeout", ParameterSpec::Type::duration, Duration::seconds(15).ns(), 0, INT64_MAX, "as it says"},
    {"clock_hold", ParameterSpec::Type::duration, Duration::seconds(60).ns(), 0, INT64_MAX, "likewise"},
    {"retry_period", ParameterSpec::Type::duration, Duration::millis(200).ns(), 1, INT64_MAX, "likewise"},
    {"poll_period", ParameterSpec::Type::duration, Duration::seconds(5).ns(), 1, INT64_MAX, "likewise"},
    {"request_timeout", ParameterSpec::Type::duration, Duration::seconds(3).ns(), 1, INT64_MAX, "likewise"},
    {"ack_delay", ParameterSpec::Type::duration, Duration::seconds(1).ns(), 0, INT64_MAX, "likewise"},
    {"destination_running", ParameterSpec::Type::count, 100, 1, 1'000'000, "likewise"},
    {"destination_age", ParameterSpec::Type::duration, Duration::hours(24).ns(), 1, INT64_MAX, "likewise"}};

Scenario scenario(const ElectorKind& protocol, const SchedulerKind* scheduling) {
  Scenario result;
  result.name = "history";
  result.start_ns = kStartNs;
  result.duration = seconds(60);
  result.tail = seconds(60);
  result.protocol = &protocol;
  result.scheduler = scheduling;
  for (int i = 0; i < 3; ++i) result.instances.push_back({ClockSetting{}, Parameters{{}}});
  if (scheduling != nullptr) {
    result.schedules.push_back({"billing", every(seconds(10))});
    result.work.duration = Quantiles::constant(seconds(1));
    if (scheduling->keeps_ledger) result.scheduling = Parameters{kScheduling};
  }
  return result;
}

WorkItem item(Duration slot, std::optional<Token> shown) {
  return {kResource, {kBilling, store_at(slot), 0}, shown, true};
}

constexpr Duration kPut = Duration::millis(50'300);

Definition pushed_to(std::string destination) {
  std::vector<StoreTime> slots;
  for (int slot = 51; slot < 60; ++slot) slots.push_back(store_at(seconds(slot)));
  Definition definition{.recurrence =
                            Times{std::make_shared<const std::vector<StoreTime>>(std::move(slots))}};
  definition.delivery = {.kind = Delivery::Kind::push,
                         .destination = std::move(destination),
                         .attempts = 2,
                         .longest_back_off = seconds(1)};
  return definition;
}

}  // namespace

TrueTime TestView::true_time_of(NodeId node, const Until& until) const {
  const auto ahead = [node](const std::map<NodeId, Duration>& offsets) {
    const auto it = offsets.find(node);
    return it != offsets.end() ? it->second : Duration{};
  };
  if (const auto* mono = std::get_if<MonoTime>(&until))
    return TrueTime::from_ns(mono->ns()) - ahead(mono_ahead);
  if (const auto* wall = std::get_if<WallTime>(&until)) {
    return TrueTime::from_ns(wall->ns() - kStartNs) - ahead(wall_ahead);
  }
  return TrueTime::max();
}

StoreTime TestView::store_now(StoreId) const { return store_at(now - TrueTime{} + store_ahead); }

MonoTime TestView::mono_now(NodeId node) const {
  const auto it = mono_ahead.find(node);
  return MonoTime::from_ns(now.ns()) + (it != mono_ahead.end() ? it->second : Duration{});
}

Definition every(Duration period, Misfire::Policy policy, bool paused) {
  Definition definition{.recurrence = Interval{.start = StoreTime::from_ns(kStartNs), .period = period}};
  definition.misfire.policy = policy;
  definition.paused = paused;
  return definition;
}

Scenario reference_scenario() { return scenario(kFencedLease, &kFencedOutbox); }
Scenario table_scenario() { return scenario(kDbLease, &kTicker); }
Scenario ring_scenario() { return scenario(kTokenRing, &kTicker); }
Scenario design_scenario() { return scenario(kDesign, &kFencedOutbox); }
Scenario placement_scenario() {
  Scenario made = scenario(kClientGo, &kPlacement);
  made.schedules.clear();
  made.scheduling = Parameters{kPlacing};
  return made;
}
Scenario election_scenario() { return scenario(kClientGo, nullptr); }
Scenario writing_scenario() { return scenario(kWriting, nullptr); }

Scenario pushing_scenario() {
  Scenario result = reference_scenario();
  result.destinations = {{.name = "crm"}, {.name = "erp", .retry_after = seconds(1)}};
  result.schedules.push_back({"orders", pushed_to("crm")});
  result.schedules.push_back({"mails", pushed_to("erp")});
  return result;
}

Scenario pulling_scenario() {
  Scenario result = reference_scenario();
  WorkerSetting mailer;
  mailer.name = "mailer";
  mailer.topic = "post";
  mailer.count = 2;
  mailer.claim = seconds(2);
  mailer.timeout = seconds(1);
  WorkerSetting clerk = mailer;
  clerk.name = "clerk";
  clerk.topic = "letters";
  result.workers = {mailer, clerk};
  for (const char* name : {"orders", "mails"}) {
    Definition definition = pushed_to("");
    definition.delivery.kind = Delivery::Kind::pull;
    definition.delivery.strict_order = result.schedules.size() > 1;
    const std::string& topic = definition.delivery.strict_order ? clerk.topic : mailer.topic;
    result.schedules.push_back({name, definition, {.topic = topic}});
  }
  return result;
}

History::History(Scenario scenario) : scenario_(std::move(scenario)) {
  history_ = std::make_unique<RunHistory>(scenario_, view);
  const CheckerSetup setup{scenario_, view, history_.get()};
  for (const CheckerKind& kind : checker_kinds()) {
    if (kind.not_applicable(scenario_) == nullptr) checkers_.emplace_back(kind.name, kind.make(setup));
  }
  metrics_ = std::make_unique<MetricsCollector>(setup);
  sometimes_ = std::make_unique<SometimesCounter>(setup);
  for (const Incarnation who : {kN1, kN2, kN3}) see(NodeStarted{who});
  if (!scenario_.schedules.empty()) puts(kBilling, 1, scenario_.schedules.front().definition);
}

void History::see(const Record& record) {
  history_->see(now(), record);
  for (auto& [name, checker] : checkers_) checker->see(now(), record);
  history_->after().see(now(), record);
  metrics_->see(now(), record);
  sometimes_->see(now(), record);
}

void History::believes(Incarnation who, const Until& until, std::optional<Token> shown) {
  note(who, Believes{kResource, shown, until});
}

void History::believes_for(Incarnation who, Duration length, std::optional<Token> shown) {
  believes(who, view.mono_now(who.node) + length, shown);
}

RequestId History::submits(Incarnation who, const Request& request, bool as_leader) {
  const RequestId id{who, ++requests_[who]};
  see(Submitted{
      who, id, {StoreId{}, Part::scheduler, request, view.mono_now(who.node) + seconds(3), as_leader}});
  return id;
}

void History::applies(Incarnation who, const Request& request, const Reply& reply, std::uint32_t branch) {
  see(Applied{StoreId{}, branch, view.store_now(StoreId{}), who, RequestId{who, requests_[who]}, request,
              reply});
}

void History::asks_for(Incarnation who, Duration slot, std::optional<Token> shown) {
  see(WorkAsked{who, item(slot, shown)});
}

void History::lands(Incarnation who, Duration slot, std::optional<Token> shown, DeliveryOutcome landing) {
  see(WorkArrived{who, item(slot, shown), landing, view.store_now(StoreId{})});
}

void History::work_ends(Incarnation who, Duration slot, Ending ending, std::optional<Token> shown) {
  see(WorkEnded{who, item(slot, shown), ending});
}

void History::work_is_done(Incarnation who, Duration slot, std::optional<Token> shown) {
  lands(who, slot, shown);
  work_ends(who, slot, Ending::done, shown);
}

void History::puts(ScheduleId schedule, std::uint32_t version, const Definition& definition) {
  if (scenario_.scheduler->store == &kReferenceStore) {
    applies(kClient, reference::Request{reference::PutSchedule{kResource, schedule, version - 1, definition}},
            reference::Reply{reference::Edited{version, version}});
  } else {
    applies(kClient, schedule_table::Request{schedule_table::PutRow{kResource, schedule, definition}},
            schedule_table::Reply{schedule_table::Written{}});
  }
}

void History::granted(Incarnation who, const Token& shown, Duration lease) {
  const reference::Request request = reference::Acquire{kResource, who, shown.epoch - 1, shown.nonce, lease};
  submits(who, request, false);
  applies(who, request, reference::Reply{reference::Granted{shown, lease}}, shown.branch);
}

void History::renewed(Incarnation who, const Token& shown, Duration lease) {
  const reference::Request request = reference::Renew{kResource, who, shown, lease};
  submits(who, request, false);
  applies(who, request, reference::Reply{reference::Granted{shown, lease}}, shown.branch);
}

void History::leads(Incarnation who, const Token& shown, Duration lease) {
  granted(who, shown, lease);
  believes_for(who, lease - millis(100), shown);
}

void History::extends(Incarnation who, const Token& shown, Duration lease) {
  renewed(who, shown, lease);
  believes_for(who, lease - millis(100), shown);
}

void History::covers(Incarnation who, const Token& shown, reference::LedgerRow row,
                     reference::RowResult result) {
  const bool single = row.what == reference::Disposition::fired && row.slots == 1;
  if (!single && row.what != reference::Disposition::paused &&
      row.schedule.value < scenario_.schedules.size()) {
    // Due with its last slot, as the scenario defines it.
    const Definition& definition = scenario_.schedules[row.schedule.value].definition;
    const auto last = slot_before(definition, row.to);
    if (last && *last >= row.from) row.due = due_time(definition, row.schedule, *last);
  }
  const reference::Request request = reference::CommitFires{kResource, who, shown, {row}};
  submits(who, request);
  applies(who, request, reference::Reply{reference::Committed{{result}}}, shown.branch);
  applies(who, reference::Request{reference::ReadOutbox{kResource, 1000, 0}},
          reference::Reply{reference::Outbox{}}, shown.branch);
}

reference::LedgerRow History::fired_row(Duration slot, std::uint32_t version) {
  const StoreTime time = store_at(slot);
  return {.schedule = kBilling,
          .version = version,
          .from = time,
          .to = time + seconds(10),
          .slot = time,
          .due = time,
          .what = reference::Disposition::fired};
}

reference::LedgerRow History::range_row(Duration from, Duration to, reference::Disposition what,
                                        std::uint32_t version) {
  const auto tens = [](Duration time) { return (time + seconds(10) - Duration::nanos(1)) / seconds(10); };
  return {.schedule = kBilling,
          .version = version,
          .from = store_at(from),
          .to = store_at(to),
          .slot = {},
          .what = what,
          .slots = tens(to) - tens(from)};
}

void History::commits_orders_and_mails() {
  at(kPut);
  for (const ScheduleId schedule : {kOrders, kMails})
    puts(schedule, 1, scenario_.schedules[schedule.value].definition);
  at(seconds(52) + millis(100));
  std::vector<reference::LedgerRow> rows;
  for (const ScheduleId schedule : {kOrders, kMails}) {
    StoreTime from = store_at(kPut);
    for (const int slot : {51, 52}) {
      reference::LedgerRow row = fired_row(seconds(slot));
      row.schedule = schedule;
      row.from = std::exchange(from, row.slot + seconds(1));
      row.to = from;
      rows.push_back(row);
    }
  }
  const reference::Request request = reference::CommitFires{kResource, kN1, token(1), rows};
  submits(kN1, request);
  const std::vector<reference::RowResult> covered(rows.size(), reference::RowResult::covered);
  applies(kN1, request, reference::Reply{reference::Committed{covered}});
  at(seconds(52) + millis(200));
}

void History::takes_from_the_outbox(Incarnation who, const WorkItem& item) {
  const reference::Request request = reference::AckEvents{kResource, {had(item)}};
  submits(who, request, false);
  applies(who, request, reference::Reply{reference::Acknowledged{}});
}

void History::gives_up(Incarnation who, const WorkItem& item) {
  const reference::Request request =
      reference::GiveUpEvents{kResource, who, *item.token, {{item.event, item.attempt}}};
  submits(who, request);
  applies(who, request, reference::Reply{reference::GivenUp{}});
}

void History::delivers(Incarnation who, const WorkItem& item) {
  sends(who, item);
  arrives(who, item, DeliveryOutcome::begun);
  see(DeliveryEnded{who, item, Ending::done});
  takes_from_the_outbox(who, item);
}

reference::ExecutionToken History::attempt(Incarnation who, ScheduleId schedule, Duration slot,
                                           std::uint32_t number) {
  return {{schedule, store_at(slot), 0}, number, who.node.value};
}

// Numbers are those of slots: an event of an earlier one goes first.
void History::hands_out(Incarnation who, const std::vector<reference::ExecutionToken>& tokens,
                        std::uint32_t max, std::optional<std::string> topic, std::uint32_t version,
                        Duration longer) {
  const Duration length = scenario_.workers.front().claim;
  const ScheduleId schedule = tokens.front().event.schedule;
  reference::ClaimExecutions request{
      .resource = kResource,
      .topic = topic.value_or(scenario_.schedules[schedule.value].payload.topic),
      .max = max,
      .duration = length,
      .worker = "mailer"};
  reference::ClaimedExecutions reply;
  for (const reference::ExecutionToken& token : tokens) {
    request.nonce = token.nonce;
    const auto seq = static_cast<std::uint64_t>(token.event.slot.ns() / 1'000'000'000);
    reply.executions.push_back({.token = token,
                                .seq = seq,
                                .version = version,
                                .until = view.store_now(StoreId{}) + length + longer});
  }
  applies(who, reference::Request{request}, reference::Reply{reply});
}

void History::works(Incarnation who, const reference::ExecutionToken& token, Ending ending) {
  see(WorkerExecution{who, token, std::nullopt});
  see(WorkerExecution{who, token, ending});
}

namespace {

reference::ExecutionStates states(std::optional<reference::Standing> answer, StoreTime until) {
  reference::ExecutionStates states;
  if (answer) states.executions.push_back({*answer, until});
  return states;
}

}  // namespace

void History::extends(Incarnation who, const reference::ExecutionToken& token,
                      std::optional<reference::Standing> answer, Duration longer) {
  const Duration length = scenario_.workers.front().claim;
  applies(who, reference::Request{reference::ExtendExecutions{kResource, length, {token}}},
          reference::Reply{states(answer, view.store_now(StoreId{}) + length + longer)});
}

void History::ends(Incarnation who, const reference::ExecutionToken& token,
                   std::optional<reference::Standing> answer, bool failed, Duration back_off) {
  const bool waits = answer == reference::Standing::failed;
  applies(who, reference::Request{reference::EndExecutions{kResource, {{token, failed}}}},
          reference::Reply{states(answer, waits ? view.store_now(StoreId{}) + back_off : StoreTime{})});
}

void History::gives_back(Incarnation who, const reference::ExecutionToken& token,
                         std::optional<reference::Standing> answer) {
  applies(who, reference::Request{reference::ReleaseExecutions{kResource, {token}}},
          reference::Reply{states(answer, view.store_now(StoreId{}))});
}

void History::claims_in_vain(Incarnation who, ScheduleId schedule) {
  applies(who,
          reference::Request{
              reference::ClaimExecutions{.resource = kResource,
                                         .topic = scenario_.schedules[schedule.value].payload.topic,
                                         .duration = scenario_.workers.front().claim,
                                         .worker = "mailer"}},
          reference::Reply{reference::ClaimedExecutions{}});
}

void History::finishes() {
  at(scenario_.duration + scenario_.tail);
  history_->finish(now());
  for (auto& [name, checker] : checkers_) checker->finish(now());
  metrics_->finish(now());
}

const Checker& History::checker(std::string_view name) const {
  for (const auto& [known, checker] : checkers_) {
    if (known == name) return *checker;
  }
  ADD_FAILURE() << name << " does not apply";
  return *checkers_.front().second;
}

bool History::applies_to(std::string_view name) const {
  for (const auto& [known, checker] : checkers_) {
    if (known == name) return true;
  }
  return false;
}

std::set<std::string> History::failing() const {
  std::set<std::string> names;
  for (const auto& [name, checker] : checkers_) {
    if (checker->violation_count() > 0) names.insert(name);
  }
  return names;
}

}  // namespace tenure::sim
