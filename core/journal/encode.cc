// A journal's line as text.
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/check.h"
#include "core/base/sha256.h"
#include "core/journal/definition_codec.h"
#include "core/journal/kinds.h"
#include "core/journal/line.h"
#include "core/model/describe.h"

namespace tenure::journal {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string_view name_of(Part part) { return part == Part::elector ? "elector" : "scheduler"; }

void put(OrderedJson& json, const Token& token) {
  json["branch"] = token.branch;
  json["epoch"] = token.epoch;
  json["nonce"] = std::to_string(token.nonce);
}
void put(OrderedJson& json, const std::optional<Token>& token) {
  if (token) put(json, *token);
}
void put(OrderedJson& json, const reference::EventId& event) {
  const auto& [schedule, slot, run] = event;
  json["schedule"] = schedule.value;
  json["slot_us"] = slot.ns() / 1'000;
  json["run"] = std::to_string(run);
}

OrderedJson json_of(const reference::LedgerRow& row) {
  const auto& [schedule, version, from, to, slot, due, what, slots] = row;
  OrderedJson json{{"schedule", schedule.value}, {"version", version}, {"from_us", from.ns() / 1'000}};
  if (to != StoreTime::max()) json["to_us"] = to.ns() / 1'000;
  json["slot_us"] = slot.ns() / 1'000;
  json["due_us"] = due.ns() / 1'000;
  json["what"] = tenure::name_of(what);
  json["slots"] = slots;
  return json;
}

OrderedJson json_of(const reference::Change& change) {
  const auto& [seq, segment, definition, deleted, unreadable] = change;
  const auto& [schedule, version, begin, end, cursor] = segment;
  OrderedJson json{{"seq", seq},
                   {"schedule", schedule.value},
                   {"version", version},
                   {"begin_us", begin.ns() / 1'000},
                   {"cursor_us", cursor.ns() / 1'000}};
  if (deleted)
    json["deleted"] = true;
  else if (unreadable)
    json["unreadable"] = true;
  else
    json["definition"] = OrderedJson::parse(tenure::encode(definition));
  return json;
}

struct PutNote {
  OrderedJson& json;

  void operator()(const Believes& it) const {
    begin("believes", it.resource);
    put(json, it.token);
    if (const auto* mono = std::get_if<MonoTime>(&it.until))
      json["until_mono"] = mono->ns();
    else if (const auto* wall = std::get_if<WallTime>(&it.until))
      json["until_wall"] = wall->ns();
    else
      json["open"] = true;
  }
  void operator()(const StepsDown& it) const {
    begin("steps-down", it.resource);
    json["why"] = it.why;
  }
  void operator()(const LeadershipChecked& it) const { begin("checked", it.resource); }
  void operator()(const ClockAlarm& it) const {
    json["event"] = "clock-alarm";
    json["jump_ns"] = it.jump.ns();
  }
  void operator()(const Remark& it) const {
    json["event"] = "remark";
    json["text"] = it.text;
    json["value"] = it.value;
  }
  void operator()(const DesignError& it) const {
    json["event"] = "design-error";
    json["what"] = it.what;
  }
  void operator()(const Stopped&) const { json["event"] = "stopped"; }

  void begin(std::string_view event, ResourceId resource) const {
    json["event"] = event;
    json["resource"] = resource.value;
  }
};

// What a kind of request, or of reply, has beside its name.
struct PutFields {
  OrderedJson& json;

  void operator()(const reference::Acquire& it) const {
    const auto& [resource, holder, epoch_seen, nonce, duration] = it;
    json["epoch_seen"] = epoch_seen;
    json["nonce"] = std::to_string(nonce);
    json["duration_ns"] = duration.ns();
  }
  void operator()(const reference::Renew& it) const {
    const auto& [resource, holder, token, duration] = it;
    put(json, token);
    json["duration_ns"] = duration.ns();
  }
  void operator()(const reference::Release& it) const {
    const auto& [resource, holder, token] = it;
    put(json, token);
  }
  void operator()(const reference::SetHold& it) const {
    const auto& [resource, holder, token, jump] = it;
    put(json, token);
  }
  void operator()(const reference::ClearHold& it) const {
    const auto& [resource, holder, token] = it;
    put(json, token);
  }
  void operator()(const reference::CommitFires& it) const {
    const auto& [resource, holder, token, rows] = it;
    put(json, token);
    OrderedJson& list = json["rows"] = OrderedJson::array();
    for (const reference::LedgerRow& row : rows) list.push_back(json_of(row));
  }
  void operator()(const reference::AckEvents& it) const {
    const auto& [resource, events] = it;
    OrderedJson& list = json["events"] = OrderedJson::array();
    for (const reference::EventId& event : events) put(list.emplace_back(OrderedJson::object()), event);
  }
  void operator()(const reference::GiveUpEvents& it) const {
    const auto& [resource, holder, token, events] = it;
    put(json, token);
    OrderedJson& list = json["events"] = OrderedJson::array();
    for (const auto& [id, attempts, seq, since, why] : events) {
      OrderedJson& given_up = list.emplace_back(OrderedJson::object());
      put(given_up, id);
      given_up["attempts"] = attempts;
    }
  }
  void operator()(const reference::ChangesSince& it) const {
    const auto& [resource, seq, limit] = it;
    json["from_seq"] = seq;
  }
  void operator()(const reference::Granted& it) const {
    const auto& [token, duration] = it;
    put(json, token);
    json["duration_ns"] = duration.ns();
  }
  void operator()(const reference::Refused& it) const {
    const auto& [why, holder, epoch, remaining] = it;
    json["why_refused"] = tenure::name_of(why);
    json["remaining_ns"] = remaining.ns();
    json["holder_node"] = holder.node.value;
    json["holder_life"] = holder.number;
    json["held_epoch"] = epoch;
  }
  void operator()(const reference::Committed& it) const {
    const auto& [rows] = it;
    OrderedJson& list = json["rows"] = OrderedJson::array();
    for (const reference::RowResult row : rows) list.push_back(tenure::name_of(row));
  }
  void operator()(const reference::CommitRefused& it) const {
    const auto& [why, held] = it;
    json["why_refused"] = tenure::name_of(why);
    json["held"] = held;
  }
  void operator()(const reference::Changes& it) const {
    const auto& [changes, seq, more, hold, branch] = it;
    json["branch"] = branch;
    OrderedJson& list = json["changes"] = OrderedJson::array();
    for (const reference::Change& change : changes) list.push_back(json_of(change));
  }
  template <class Other>
    requires kHasNameOnly<Other>
  void operator()(const Other&) const {}
};

struct PutEvent {
  OrderedJson& json;

  void operator()(const LifeBegan& it) const {
    json["event"] = "started";
    json["boot"] = it.boot;
    OrderedJson& settings = json["settings"] = OrderedJson::object();
    for (const auto& [name, value] : it.settings) settings[name] = value;
  }
  void operator()(const StoreFound& it) const {
    json["event"] = "store";
    json["identity"] = it.identity;
  }
  void operator()(const LifeEnded& it) const {
    json["event"] = "died";
    json["how"] = it.stopped ? "stopped" : "abandoned";
  }
  void operator()(const Note& it) const { std::visit(PutNote{json}, it); }
  void operator()(const Asked& it) const {
    const auto* request = std::get_if<reference::Request>(&it.submission.request);
    CHECK(request != nullptr, "a journal's requests are the reference store's");
    json["event"] = "submitted";
    json["part"] = name_of(it.submission.part);
    json["request"] = it.id.counter;
    json["store"] = it.submission.store.value;
    json["as_leader"] = it.submission.as_leader;
    json["kind"] = kRequestKinds[request->index()];
    json["resource"] = std::visit([](const auto& one) { return one.resource.value; }, *request);
    std::visit(PutFields{json}, *request);
    json["text"] = describe(*request, NodeNames::by_id);
  }
  void operator()(const Answered& it) const {
    json["event"] = "answered";
    json["part"] = name_of(it.part);
    json["request"] = it.id.counter;
    json["store"] = it.store.value;
    json["outcome"] = tenure::name_of(it.outcome);
    if (it.outcome != RequestOutcome::applied) {
      json["text"] = it.message;
      return;
    }
    CHECK(it.reply.has_value());
    json["store_time_us"] = it.store_time.ns() / 1'000;
    json["position"] = it.position;
    json["changed"] = it.changed;
    json["kind"] = kReplyKinds[it.reply->index()];
    std::visit(PutFields{json}, *it.reply);
    json["text"] = describe(*it.reply, NodeNames::by_id);
  }
  void operator()(const WorkItem& it) const {
    json["event"] = "work";
    json["resource"] = it.resource.value;
    put(json, it.event);
    put(json, it.token);
    json["once"] = it.once;
  }
  void operator()(const WorkDone& it) const {
    json["event"] = "work-done";
    put(json, it.event);
    json["result"] = tenure::name_of(it.result);
    if (it.retry_after != Duration{}) json["retry_after_ns"] = it.retry_after.ns();
  }
  void operator()(const StopAsked&) const { json["event"] = "stop-heard"; }
  void operator()(const ClientChange& it) const {
    json["event"] = "client";
    json["kind"] = kRequestKinds.at(it.kind);
    json["resource"] = it.resource.value;
    if (it.run) {
      json["schedule"] = it.run->schedule.value;
      json["run"] = std::to_string(it.run->number);
    }
    json["outcome"] = tenure::name_of(it.done ? RequestOutcome::applied : RequestOutcome::unknown);
    if (!it.done) {
      json["asked_mono"] = it.asked.ns();
      return;
    }
    json["store_time_us"] = it.done->store_time.ns() / 1'000;
    json["position"] = it.done->position;
    if (it.done->change_seq) json["change_seq"] = *it.done->change_seq;
  }
};

}  // namespace

std::string chain_hash(std::string_view text) { return sha256_hex(text, 16); }

std::string encode(const Line& line) {
  OrderedJson json{{"v", kVersion},
                   {"prev", line.prev},
                   {"at", line.now.at.ns()},
                   {"mono", line.now.mono.ns()},
                   {"node", line.who.node.value},
                   {"life", line.who.number},
                   {"seq", line.seq},
                   {"event", ""}};
  std::visit(PutEvent{json}, line.event);
  return json.dump(-1, ' ', false,
                   OrderedJson::error_handler_t::replace);  // the words of an engine may be in any encoding
}

}  // namespace tenure::journal
