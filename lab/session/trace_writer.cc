#include "lab/session/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <variant>

#include "core/model/describe.h"
#include "format/syntax/targets.h"
#include "lab/session/version.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/belief_tracker.h"
#include "sim/models/links.h"
#include "sim/world/store_knobs.h"

namespace tenure::lab {
namespace {

void begin_line(sim::TrueTime at, std::string_view kind, JsonWriter& json) {
  json.begin_object().field("at_seconds", at - sim::TrueTime{}).field("kind", kind);
}

void write_who(Incarnation who, JsonWriter& json) {
  json.field("node", who.node == sim::kClientNode ? std::string("client")
                     : sim::is_worker(who.node)
                         ? fmt::format("worker {}", who.node.value - sim::kFirstWorkerNode.value + 1)
                         : describe(who.node));
  json.field("incarnation", who.number);
}

void write_token(const std::optional<Token>& token, JsonWriter& json) {
  json.key("token");
  if (!token) {
    json.null();
    return;
  }
  json.begin_object().field("branch", token->branch).field("epoch", token->epoch);
  json.field("nonce", fmt::format("{:016x}", token->nonce)).end_object();
}

void write_work(const WorkItem& item, const sim::Names& names, JsonWriter& json) {
  json.field("resource", item.resource.value).field("schedule", names.schedule(item.event.schedule));
  json.field("slot", describe(item.event.slot)).field("run", item.event.run);
  write_token(item.token, json);
  json.field("once", item.once);
}

std::optional<Duration> since_start(const std::optional<sim::TrueTime>& time) {
  if (!time || *time == sim::TrueTime::max()) return std::nullopt;
  return *time - sim::TrueTime{};
}

// Texts speak of schedules by their ids; "schedule 3" becomes "schedule 3 (billing)".
std::string with_names(std::string_view text, const sim::Names& names) {
  constexpr std::string_view kWord = "schedule ";
  std::string result;
  while (true) {
    const std::size_t at = text.find(kWord);
    if (at == std::string_view::npos) return result.append(text);
    std::size_t end = at + kWord.size();
    std::uint32_t id = 0;
    const auto number = std::from_chars(text.data() + end, text.data() + text.size(), id);
    end = static_cast<std::size_t>(number.ptr - text.data());
    result.append(text.substr(0, end));
    if (number.ec == std::errc{}) result += " (" + names.schedule(ScheduleId{id}) + ")";
    text.remove_prefix(end);
  }
}

// Records that every trace has; the others are for a full one.
constexpr std::uint32_t kOfStory =
    sim::record_mask<sim::NodeStarted, sim::NodeDied, sim::NodePaused, sim::NodeResumed, sim::FaultBegan,
                     sim::FaultEnded, sim::FaultSkipped, sim::Healed, sim::StoreClockStepped,
                     sim::StoreReplicaStalled, sim::StoreFailedOver, sim::DefinitionRead, sim::WorkArrived,
                     sim::WorkEnded, sim::DeliveryArrived, sim::DeliveryEnded, sim::WriteLanded,
                     sim::WorkerExecution, sim::StoreDegraded, sim::LinkChanged>();

std::string_view name_of(sim::BeliefChange::Ending how) {
  switch (how) {
    case sim::BeliefChange::Ending::stepped_down: return "stepped-down";
    case sim::BeliefChange::Ending::died: return "died";
    case sim::BeliefChange::Ending::reached: break;
  }
  return "ran-out";
}

// Writes the line of each kind of note.
class NoteLine {
 public:
  NoteLine(sim::TrueTime now, Incarnation who, JsonWriter& json) : now_(now), who_(who), json_(json) {}

  void operator()(const Believes& note) const {
    begin("believes");
    json_.field("resource", note.resource.value);
    write_token(note.token, json_);
    const auto* mono = std::get_if<MonoTime>(&note.until);
    const auto* wall = std::get_if<WallTime>(&note.until);
    json_.field("clock", mono != nullptr ? "mono" : wall != nullptr ? "wall" : "none");
    json_.key("clock_until");
    if (mono != nullptr)
      json_.value(describe(*mono));
    else if (wall != nullptr)
      json_.value(describe(*wall));
    else
      json_.null();
  }
  void operator()(const StepsDown& note) const {
    begin("steps-down");
    json_.field("resource", note.resource.value).field("why", note.why);
  }
  void operator()(const LeadershipChecked& note) const {
    begin("leadership-checked");
    json_.field("resource", note.resource.value);
  }
  void operator()(const ClockAlarm& note) const {
    begin("clock-alarm");
    json_.field("jump_seconds", note.jump);
  }
  void operator()(const Annotation& note) const {
    begin("remark");
    json_.field("text", note.text).field("value", note.value);
  }
  void operator()(const Stopped&) const { begin("stopped"); }
  void operator()(const DesignError& note) const {
    begin("design-error");
    json_.field("text", note.what);
  }

 private:
  void begin(std::string_view kind) const {
    begin_line(now_, kind, json_);
    write_who(who_, json_);
  }
  const sim::TrueTime now_;
  const Incarnation who_;
  JsonWriter& json_;
};

// Writes the line of each kind of record.
class RecordLine {
 public:
  RecordLine(sim::TrueTime now, const sim::Names& names, JsonWriter& json)
      : now_(now), names_(names), json_(json) {}

  void operator()(const sim::NodeStarted& r) const { begin("node-started", r.who); }
  void operator()(const sim::NodeDied& r) const {
    begin("node-died", r.who);
    json_.field("how", sim::name_of(r.how)).field("lost_writes", r.lost);
  }
  void operator()(const sim::NodePaused& r) const { begin("node-paused", r.who); }
  void operator()(const sim::NodeResumed& r) const { begin("node-resumed", r.who); }
  void operator()(const sim::StopHeard& r) const { begin("stop-heard", r.who); }
  void operator()(const sim::ClockChanged& r) const {
    begin_line(now_, "clock-changed", json_);
    json_.field("node", describe(r.node));
  }
  void operator()(const sim::Noted& r) const { std::visit(NoteLine(now_, r.who, json_), r.note); }
  void operator()(const sim::Submitted& r) const {
    const Submission& asked = r.submission;
    begin("submitted", r.who);
    json_.field("store", asked.store.value).field("request", r.id.counter);
    write_about(asked.request);
    json_.field("as_leader", asked.as_leader).field("text", with_names(describe(asked.request), names_));
  }
  void operator()(const sim::RequestLeft& r) const { way("request-left", r.id); }
  void operator()(const sim::RequestArrived& r) const { way("request-arrived", r.id); }
  void operator()(const sim::ReplyArrived& r) const { way("reply-arrived", r.id); }
  void operator()(const sim::RequestAnswered& r) const {
    way("request-answered", r.id);
    const bool rejected = r.rejection != Rejection::none;
    json_.field("outcome", tenure::name_of(r.outcome));
    json_.field("rejection", rejected ? tenure::name_of(r.rejection) : std::string_view());
  }
  void operator()(const sim::WorkAsked& r) const {
    begin("work-asked", r.who);
    write_work(r.item, names_, json_);
  }
  void operator()(const sim::Applied& r) const {
    begin("applied", r.who);
    json_.field("store", r.store.value).field("branch", r.branch).field("store_time", describe(r.store_now));
    json_.field("request", r.id.counter);
    write_about(r.request);
    json_.field("text", with_names(describe(r.request), names_));
    json_.field("reply", with_names(describe(r.reply), names_));
  }
  void operator()(const sim::StoreClockStepped& r) const {
    of_store("store-clock-stepped", r.store);
    json_.field("by_seconds", r.by);
  }
  void operator()(const sim::StoreDegraded& r) const {
    of_store("store-state", r.store);
    json_.field("down", r.knobs.down).field("hangs", r.knobs.hang).field("slow_seconds", r.knobs.slow);
    json_.field("answers_lost_ppm", r.knobs.ack_lost_ppm);
    json_.field("requests_lost_ppm", r.knobs.request_lost_ppm).field("rejected_ppm", r.knobs.rejected_ppm);
    json_.field("lease_locked", r.knobs.lease_lock != RowLock::none).field("partial", r.partial);
  }
  void operator()(const sim::LinkChanged& r) const {
    begin_line(now_, "link-state", json_);
    const auto name = [&](const std::optional<NodeId>& end) {
      return end ? describe(*end) : names_.store(r.store);
    };
    json_.field("from", name(r.from)).field("to", name(r.to)).field("cut", r.state.cut);
    json_.field("delay_seconds", r.state.delay).field("loss_ppm", r.state.loss_ppm);
    json_.field("duplicate_ppm", r.state.duplicate_ppm).field("held_back_seconds", r.state.held_back);
  }
  void operator()(const sim::DefinitionRead& r) const {
    begin_line(now_, r.readable ? "definition-readable" : "definition-unreadable", json_);
    json_.field("node", describe(r.node)).field("schedule", names_.schedule(r.schedule));
  }
  void operator()(const sim::StoreReplicaStalled& r) const { of_store("store-replica-stalled", r.store); }
  void operator()(const sim::StoreFailedOver& r) const {
    of_store("store-failed-over", r.store);
    json_.field("branch", r.branch);
  }
  void operator()(const sim::WorkArrived& r) const {
    begin("work-landed", r.who);
    write_work(r.item, names_, json_);
    json_.field("landing", sim::name_of(r.landing)).field("late_seconds", r.store_now - r.item.event.slot);
  }
  void operator()(const sim::WorkEnded& r) const {
    begin("work-ended", r.who);
    write_work(r.item, names_, json_);
    json_.field("ending", sim::name_of(r.ending));
  }
  void operator()(const sim::DeliveryAsked& r) const { delivery("delivery-asked", r.who, r.item); }
  void operator()(const sim::DeliveryArrived& r) const {
    delivery("delivery-landed", r.who, r.item);
    json_.field("landing", r.landing ? sim::name_of(*r.landing) : std::string_view("refused"));
    json_.field("late_seconds", r.store_now - r.item.event.slot);
    if (r.retry_after != Duration{}) json_.field("retry_after_seconds", r.retry_after);
  }
  void operator()(const sim::DeliveryEnded& r) const {
    delivery("delivery-ended", r.who, r.item);
    json_.field("ending", sim::name_of(r.ending));
    if (r.retry_after != Duration{}) json_.field("retry_after_seconds", r.retry_after);
  }
  void operator()(const sim::WorkerExecution& r) const {
    begin(r.ending ? "execution-ended" : "execution-began", r.who);
    json_.field("worker", names_.who(r.who)).field("schedule", names_.schedule(r.token.event.schedule));
    json_.field("slot", describe(r.token.event.slot)).field("run", r.token.event.run);
    json_.field("attempt", r.token.attempt);
    if (r.ending) json_.field("ending", sim::name_of(*r.ending));
  }
  void operator()(const sim::WriteAsked& r) const { write("write-asked", r.who, r.item); }
  void operator()(const sim::WriteLanded& r) const {
    write("write-landed", r.who, r.item);
    json_.field("landing", r.fenced ? "fenced" : "done");
  }
  void operator()(const sim::FaultBegan& r) const {
    of_fault("fault-began", r.id, r.action);
    json_.field("text", r.what).key("nodes").begin_array();
    for (const NodeId node : r.nodes) json_.value(describe(node));
    json_.end_array();
    json_.field("duration_seconds", r.duration == Duration::max() ? std::nullopt : std::optional(r.duration));
  }
  void operator()(const sim::FaultEnded& r) const { of_fault("fault-ended", r.id, r.action); }
  void operator()(const sim::FaultSkipped& r) const {
    begin_line(now_, "fault-skipped", json_);
    json_.field("fault", format::print_permanent_id(r.id)).field("why", r.why);
  }
  void operator()(const sim::Healed&) const { begin_line(now_, "healed", json_); }

 private:
  void begin(std::string_view kind, Incarnation who) const {
    begin_line(now_, kind, json_);
    write_who(who, json_);
  }
  void way(std::string_view kind, RequestId id) const {
    begin(kind, id.incarnation);
    json_.field("request", id.counter);
  }
  void of_store(std::string_view kind, StoreId store) const {
    begin_line(now_, kind, json_);
    json_.field("store", store.value);
  }
  void of_fault(std::string_view kind, std::uint64_t id, std::string_view action) const {
    begin_line(now_, kind, json_);
    json_.field("fault", format::print_permanent_id(id)).field("action", action);
  }
  void write(std::string_view kind, Incarnation by, const WriteItem& item) const {
    begin(kind, by);
    json_.field("resource", item.resource.value).field("write", item.number);
    write_token(item.token, json_);
  }
  void delivery(std::string_view kind, Incarnation by, const WorkItem& item) const {
    begin(kind, by);
    write_work(item, names_, json_);
    json_.field("destination", item.destination).field("sequence", item.sequence);
    json_.field("attempt", item.attempt);
  }
  void write_about(const Request& request) const {
    json_.field("resource", sim::resource_of(request).value);
    write_token(sim::token_shown(request), json_);
  }

  const sim::TrueTime now_;
  const sim::Names& names_;
  JsonWriter& json_;
};

}  // namespace

std::string_view name_of(TraceLevel level) { return level == TraceLevel::story ? "story" : "full"; }

std::string trace_line(sim::TrueTime now, const sim::Record& record, const sim::Names& names) {
  JsonWriter json;
  std::visit(RecordLine{now, names, json}, record);
  return json.end_object().take();
}

TraceWriter::TraceWriter(const sim::Scenario& scenario, std::uint64_t seed, TraceLevel level,
                         std::ostream& out)
    : level_(level), names_(scenario), out_(out) {
  JsonWriter json;
  json.begin_object().field("format", kTraceFormat).field("tenure", version());
  json.field("scenario", scenario.name).field("seed", seed).field("level", name_of(level));
  json.key("nodes").begin_array();
  for (std::uint32_t node = 0; node < scenario.instances.size(); ++node) json.value(describe(NodeId{node}));
  json.end_array().field("start", describe(StoreTime::from_ns(scenario.start_ns)));
  write(json.end_object().take());
}

void TraceWriter::see(sim::TrueTime now, const sim::Record& record) {
  // How a clock has changed is the recording's to say.
  if (std::holds_alternative<sim::ClockChanged>(record)) return;
  const bool of_story = ((kOfStory >> record.index()) & 1U) != 0;
  if (of_story || level_ == TraceLevel::full) write(trace_line(now, record, names_));
}

void TraceWriter::belief_changed(const sim::BeliefChange& change) {
  using What = sim::BeliefChange::What;
  if (change.what == What::extended && level_ != TraceLevel::full) return;
  const sim::Belief& belief = change.belief;
  const bool ended = change.what == What::ended;
  JsonWriter json;
  begin_line(change.at,
             ended                           ? "belief-ended"
             : change.what == What::extended ? "belief-extended"
                                             : "belief-began",
             json);
  write_who(belief.who, json);
  json.field("resource", belief.resource.value);
  write_token(belief.token, json);
  if (ended)
    json.field("began_seconds", belief.since - sim::TrueTime{}).field("why", name_of(change.how));
  else
    json.field("until_seconds", since_start(belief.end));
  write(json.end_object().take());
}

void TraceWriter::lease_changed(sim::TrueTime at, StoreId store, const sim::HoldSpan* hold) {
  JsonWriter json;
  begin_line(at, hold != nullptr ? "lease-held" : "lease-free", json);
  json.field("store", store.value);
  if (hold != nullptr) {
    write_who(hold->who, json);
    write_token(hold->token, json);
  }
  write(json.end_object().take());
}

void TraceWriter::clock_read(const sim::ClockState& clock) {
  JsonWriter json;
  begin_line(clock.at, "clock", json);
  json.field("node", describe(clock.node)).field("mono_offset_seconds", clock.mono_offset);
  json.field("wall_offset_seconds", clock.wall_offset).field("rate_ppm", clock.rate_ppm);
  write(json.field("still", clock.still).end_object().take());
}

void TraceWriter::slots_skipped(const sim::SkippedSlots& skipped) {
  JsonWriter json;
  begin_line(skipped.at, "slots-skipped", json);
  write_who(skipped.who, json);
  json.field("store", skipped.store.value).field("schedule", names_.schedule(skipped.schedule));
  json.field("from", describe(skipped.from)).field("to", describe(skipped.to)).field("slots", skipped.slots);
  write(json.field("why", tenure::name_of(skipped.why)).end_object().take());
}

void TraceWriter::slot_late(const sim::LateSlot& late) {
  JsonWriter json;
  begin_line(late.at, "slot-late", json);
  write_who(late.who, json);
  json.field("schedule", names_.schedule(late.schedule)).field("slot", describe(late.slot));
  write(json.field("late_seconds", late.late).field("why", sim::name_of(late.why)).end_object().take());
}

void TraceWriter::request_ended(sim::TrueTime at, const sim::RequestTrip& trip) {
  const sim::RequestFate fate = sim::fate_of(trip);
  if (fate == sim::RequestFate::answered && level_ != TraceLevel::full) return;
  JsonWriter json;
  begin_line(at, "request", json);
  write_who(trip.id.incarnation, json);
  json.field("request", trip.id.counter).field("store", trip.store.value).field("as_leader", trip.as_leader);
  json.field("text", with_names(trip.what, names_)).field("decided_seconds", trip.decided - sim::TrueTime{});
  json.field("left_seconds", since_start(trip.left)).field("arrived_seconds", since_start(trip.arrived));
  json.field("applied_seconds", since_start(trip.applied));
  json.field("returned_seconds", since_start(trip.returned)).field("heard_seconds", since_start(trip.heard));
  json.field("fate", sim::name_of(fate)).field("reply", with_names(trip.reply, names_));
  write(json.end_object().take());
}

void TraceWriter::violated(const sim::ViolationSpan& violation) {
  JsonWriter json;
  begin_line(violation.span.to, "violation", json);
  json.field("checker", violation.checker).field("message", violation.message).key("nodes").begin_array();
  for (const NodeId node : violation.nodes) json.value(describe(node));
  json.end_array().field("since_seconds", violation.span.from - sim::TrueTime{});
  json.field("demanded", violation.demanded).key("schedules").begin_array();
  for (const ScheduleId schedule : violation.schedules) json.value(names_.schedule(schedule));
  json.end_array().key("requests").begin_array();
  for (const RequestId& id : violation.requests) {
    json.begin_object();
    write_who(id.incarnation, json);
    json.field("request", id.counter).end_object();
  }
  write(json.end_array().end_object().take());
}

void TraceWriter::finish(const sim::RunResult& result) {
  JsonWriter json;
  begin_line(sim::TrueTime{} + result.simulated, "end", json);
  json.field("verdict", sim::name_of(result.verdict));
  json.field("trace_hash", fmt::format("{:016x}", result.trace_hash)).field("events", result.events);
  write(json.end_object().take());
}

}  // namespace tenure::lab
