#include "adapters/runtime/journal.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/model/describe.h"

namespace tenure {
namespace {

using Json = nlohmann::ordered_json;

Json line(MonoTime now, Incarnation who, std::string_view event) {
  return {{"v", 1}, {"mono", now.ns()}, {"node", who.node.value}, {"life", who.number}, {"event", event}};
}

void put(Json& json, const std::optional<Token>& token) {
  if (!token) return;
  json["branch"] = token->branch;
  json["epoch"] = token->epoch;
  json["nonce"] = std::to_string(token->nonce);
}

void put(Json& json, const house::EventId& event) {
  json["schedule"] = event.schedule.value;
  json["slot_us"] = event.slot.ns() / 1'000;
  json["run"] = std::to_string(event.run);
}

std::string_view name_of(Part part) { return part == Part::elector ? "elector" : "scheduler"; }

// Fills in the event and its fields.
struct Describe {
  Json& json;

  void operator()(const Believes& believes) const {
    json["event"] = "believes";
    put(json, believes.token);
    if (const auto* mono = std::get_if<MonoTime>(&believes.until))
      json["until_mono"] = mono->ns();
    else if (const auto* wall = std::get_if<WallTime>(&believes.until))
      json["until_wall"] = wall->ns();
    else
      json["open"] = true;
  }
  void operator()(const StepsDown& down) const {
    json["event"] = "steps-down";
    json["why"] = down.why;
  }
  void operator()(const LeadershipChecked&) const { json["event"] = "checked"; }
  void operator()(const ClockAlarm& alarm) const {
    json["event"] = "clock-alarm";
    json["jump_ns"] = alarm.jump.ns();
  }
  void operator()(const Remark& remark) const {
    json["event"] = "remark";
    json["text"] = remark.text;
    json["value"] = remark.value;
  }
  void operator()(const Stopped&) const { json["event"] = "stopped"; }
};

}  // namespace

void RuntimeJournal::started(MonoTime now, Incarnation who) {
  if (sink_) sink_(line(now, who, "started").dump());
}

void RuntimeJournal::died(MonoTime now, Incarnation who, std::string_view how) {
  if (!sink_) return;
  Json json = line(now, who, "died");
  json["how"] = how;
  sink_(json.dump());
}

void RuntimeJournal::noted(MonoTime now, Incarnation who, const Note& note) {
  if (!sink_) return;
  Json json = line(now, who, "");
  std::visit(Describe{json}, note);
  sink_(json.dump());
}

void RuntimeJournal::submitted(MonoTime now, Incarnation who, RequestId id, const Submission& submission) {
  if (!sink_) return;
  Json json = line(now, who, "submitted");
  json["part"] = name_of(submission.part);
  json["request"] = id.counter;
  json["as_leader"] = submission.as_leader;
  json["text"] = describe(submission.request);
  sink_(json.dump());
}

void RuntimeJournal::answered(MonoTime now, Incarnation who, const StoreReplied& reply,
                              std::string_view message) {
  if (!sink_) return;
  Json json = line(now, who, "answered");
  json["part"] = name_of(reply.part);
  json["request"] = reply.id.counter;
  json["outcome"] = tenure::name_of(reply.outcome);
  const bool applied = reply.outcome == Outcome::applied;
  json["text"] = applied ? describe(reply.reply) : std::string(message);
  if (applied) json["store_time_us"] = reply.store_time.ns() / 1'000;
  sink_(json.dump(-1, ' ', false,
                  Json::error_handler_t::replace));  // the words of an engine may be in any encoding
}

void RuntimeJournal::work(MonoTime now, Incarnation who, const WorkItem& item) {
  if (!sink_) return;
  Json json = line(now, who, "work");
  put(json, item.event);
  put(json, item.token);
  sink_(json.dump());
}

void RuntimeJournal::work_done(MonoTime now, Incarnation who, const WorkDone& done) {
  if (!sink_) return;
  Json json = line(now, who, "work-done");
  put(json, done.event);
  json["result"] = tenure::name_of(done.result);
  sink_(json.dump());
}

}  // namespace tenure
