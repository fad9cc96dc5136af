#include "lab/session/trace_writer.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <variant>

#include "core/base/check.h"
#include "core/model/describe.h"
#include "format/syntax/targets.h"
#include "lab/session/version.h"

namespace tenure::lab {
namespace {

std::string_view kind_of(const Note& note) {
  struct Kind {
    std::string_view operator()(const Believes&) const { return "believes"; }
    std::string_view operator()(const StepsDown&) const { return "steps-down"; }
    std::string_view operator()(const LeadershipChecked&) const { return "leadership-checked"; }
    std::string_view operator()(const ClockAlarm&) const { return "clock-alarm"; }
    std::string_view operator()(const Remark&) const { return "remark"; }
    std::string_view operator()(const DesignError&) const { return "design-error"; }
    std::string_view operator()(const Stopped&) const { return "stopped"; }
  };
  return std::visit(Kind{}, note);
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

// Writes the fields of each kind of record after those that all have.
class Fields {
 public:
  Fields(JsonWriter& json, const sim::Names& names) : json_(json), names_(names) {}

  void operator()(const sim::NodeStarted& r) const {
    kind("node-started");
    who(r.who);
  }
  void operator()(const sim::NodeDied& r) const {
    kind("node-died");
    who(r.who);
    json_.field("how", sim::name_of(r.how));
    if (r.lost > 0) json_.field("lost_writes", r.lost);
  }
  void operator()(const sim::NodePaused& r) const {
    kind("node-paused");
    who(r.who);
  }
  void operator()(const sim::NodeResumed& r) const {
    kind("node-resumed");
    who(r.who);
  }
  void operator()(const sim::StopHeard& r) const {
    kind("stop-heard");
    who(r.who);
  }
  void operator()(const sim::ClockChanged& r) const {
    kind("clock-changed");
    json_.field("node", describe(r.node));
  }
  void operator()(const sim::Noted& r) const {
    kind(kind_of(r.note));
    who(r.who);
    json_.field("text", describe(r.note));
  }
  void operator()(const sim::Submitted& r) const {
    kind("submitted");
    who(r.who);
    store(r.submission.store);
    json_.field("request", r.id.counter).field("as_leader", r.submission.as_leader);
    json_.field("text", with_names(describe(r.submission.request), names_));
  }
  void operator()(const sim::RequestLeft& r) const { way("request-left", r.id); }
  void operator()(const sim::RequestArrived& r) const { way("request-arrived", r.id); }
  void operator()(const sim::ReplyArrived& r) const { way("reply-arrived", r.id); }
  void operator()(const sim::RequestAnswered& r) const {
    way("request-answered", r.id);
    json_.field("outcome", tenure::name_of(r.outcome));
  }
  void operator()(const sim::WorkAsked& r) const {
    kind("work-asked");
    who(r.who);
    work(r.item);
  }
  void operator()(const sim::Applied& r) const {
    kind("applied");
    who(r.who);
    store(r.store);
    json_.field("branch", r.branch).field("store_time", describe(r.store_now));
    json_.field("request", r.id.counter).field("text", with_names(describe(r.request), names_));
    json_.field("reply", with_names(describe(r.reply), names_));
  }
  void operator()(const sim::StoreClockStepped& r) const {
    kind("store-clock-stepped");
    store(r.store);
    json_.field("by_seconds", r.by);
  }
  void operator()(const sim::DefinitionRead& r) const {
    kind(r.readable ? "definition-readable" : "definition-unreadable");
    json_.field("node", describe(r.node)).field("schedule", static_cast<std::uint64_t>(r.schedule.value));
  }
  void operator()(const sim::StoreReplicaStalled& r) const {
    kind("store-replica-stalled");
    store(r.store);
  }
  void operator()(const sim::StoreFailedOver& r) const {
    kind("store-failed-over");
    store(r.store);
    json_.field("branch", r.branch);
  }
  void operator()(const sim::WorkLanded& r) const {
    kind("work-landed");
    who(r.who);
    work(r.item);
    json_.field("landing", sim::name_of(r.landing)).field("store_time", describe(r.store_now));
  }
  void operator()(const sim::WorkEnded& r) const {
    kind("work-ended");
    who(r.who);
    work(r.item);
    json_.field("ending", sim::name_of(r.ending));
  }
  void operator()(const sim::WriteAsked& r) const {
    kind("write-asked");
    write(r.who, r.item);
  }
  void operator()(const sim::WriteLanded& r) const {
    kind("write-landed");
    write(r.who, r.item);
    json_.field("landing", r.fenced ? "fenced" : "done");
  }
  void operator()(const sim::FaultBegan& r) const {
    kind("fault-began");
    fault(r.id, r.action);
    json_.field("target", r.target).field("text", r.what);
  }
  void operator()(const sim::FaultEnded& r) const {
    kind("fault-ended");
    fault(r.id, r.action);
  }
  void operator()(const sim::FaultSkipped& r) const {
    kind("fault-skipped");
    json_.field("fault", sim::print_permanent_id(r.id)).field("text", r.why);
  }
  void operator()(const sim::Healed&) const { kind("healed"); }

 private:
  void kind(std::string_view name) const { json_.field("kind", name); }
  void who(Incarnation who) const {
    if (who.node == sim::kClientNode)
      json_.field("node", "client");
    else
      json_.field("node", describe(who.node));
    json_.field("incarnation", who.number);
  }
  void way(std::string_view name, RequestId id) const {
    kind(name);
    who(id.incarnation);
    json_.field("request", id.counter);
  }
  void store(StoreId store) const { json_.field("store", store.value); }
  void fault(std::uint64_t id, std::string_view action) const {
    json_.field("fault", sim::print_permanent_id(id)).field("action", action);
  }
  void work(const WorkItem& item) const {
    json_.field("event", describe(item.event)).field("schedule", names_.schedule(item.event.schedule));
    json_.field("token", item.token ? std::optional(describe(*item.token)) : std::nullopt)
        .field("once", item.once);
  }
  void write(Incarnation by, const WriteItem& item) const {
    who(by);
    json_.field("write", item.number);
    json_.field("token", item.token ? std::optional(describe(*item.token)) : std::nullopt);
  }

  JsonWriter& json_;
  const sim::Names& names_;
};

}  // namespace

std::string trace_line(sim::TrueTime now, const sim::Record& record, const sim::Names& names) {
  JsonWriter json;
  json.begin_object().field("at_seconds", now - sim::TrueTime{});
  std::visit(Fields{json, names}, record);
  json.end_object();
  return json.take();
}

TraceWriter::TraceWriter(const sim::Scenario& scenario, std::uint64_t seed, std::ostream& out)
    : names_(scenario), out_(out) {
  JsonWriter json;
  json.begin_object()
      .field("format", kTraceFormat)
      .field("tenure", version())
      .field("scenario", scenario.name)
      .field("seed", seed)
      .end_object();
  out_ << json.take() << '\n';
}

void TraceWriter::see(sim::TrueTime now, const sim::Record& record) {
  out_ << trace_line(now, record, names_) << '\n';
}

}  // namespace tenure::lab
