// Makes schedules be as a list says, each by itself.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "adapters/store/public_names.h"
#include "daemon/api/body_reader.h"
#include "daemon/api/handlers.h"
#include "daemon/api/preconditions.h"
#include "daemon/api/quotas.h"
#include "daemon/api/schedule_json.h"
#include "daemon/api/schedule_scan.h"

namespace tenure::daemon::handlers {
namespace {

constexpr std::size_t kMostItems = 1'000;
constexpr std::size_t kMostPruned = 10'000;
constexpr std::size_t kPrunedAtOnce = 100;               // without a look at the time
constexpr Duration kTimeToPrune = Duration::seconds(5);  // from when the request came: a job has 10 s
constexpr std::string_view kItemKeys[] = {"if_match"};

struct BulkRequest {
  bool dry = false;
  bool prune = false;
  std::optional<reference::Label> owner;
  std::string cursor;  // pruning goes on after this name
  const Json* items = nullptr;
};

BulkRequest read_bulk(const Json& body) {
  std::vector<FieldError> errors;
  BodyReader reader(body, "", errors);
  BulkRequest bulk;
  bulk.dry = reader.flag("dry_run").value_or(false);
  bulk.prune = reader.flag("prune").value_or(false);
  if (const auto owner = reader.text("owner")) bulk.owner = label_of(*owner);
  bulk.cursor = reader.text("cursor").value_or("");
  bulk.items = reader.find("schedules");
  if (bulk.items == nullptr || !bulk.items->is_array() || bulk.items->size() > kMostItems)
    reader.complain("schedules", fmt::format("must be a list of at most {} schedules", kMostItems));
  if (bulk.prune && !reader.has("owner"))
    reader.complain("prune", "`prune` needs an `owner`",
                    "a label, `app=shop`: only its schedules are deleted");
  if (!bulk.prune && reader.has("cursor")) reader.complain("cursor", "`cursor` is where `prune` goes on");
  reader.finish();
  if (!errors.empty()) throw invalid("the body is not as it should be", std::move(errors));
  return bulk;
}

Json failed(const std::string& name, const HttpProblem& problem) {
  return {{"name", name}, {"result", "failed"}, {"problem", Json::parse(text_of(problem))}};
}

class BulkRun {
 public:
  BulkRun(Call& call, BulkRequest bulk)
      : call_(call), bulk_(std::move(bulk)), destinations_(call.context.destinations()) {}

  Json run() {
    Json results = Json::array();
    for (std::size_t i = 0; i < bulk_.items->size(); ++i) {
      const Json& item = bulk_.items->at(i);
      const auto name = item.is_object() ? item.find("name") : item.end();
      const std::string called = name != item.end() && name->is_string() ? name->get<std::string>() : "";
      const bool repeated = !listed_.insert(called).second;  // what fails is not pruned either
      try {
        if (repeated) throw invalid(fmt::format("`{}` is in the list twice", called));
        results.push_back(apply(item, called, fmt::format("/schedules/{}", i)));
      } catch (const HttpProblem& problem) {
        results.push_back(failed(called, problem));
      }
    }
    const std::string cursor = bulk_.prune ? prune(results) : std::string{};
    Json answer = {{"dry_run", bulk_.dry}, {"results", std::move(results)}};
    if (!cursor.empty()) answer["cursor"] = cursor;
    return answer;
  }

 private:
  Json apply(const Json& item, const std::string& name, const std::string& pointer) {
    check(reference::problem_of_name(name));
    call_.check_may_touch(name);
    std::vector<FieldError> errors;
    auto read = read_schedule(item, pointer, name, call_.context.zones, destinations_, kItemKeys, errors);
    if (read && bulk_.owner) own(read->payload);
    if (!read) throw invalid_schedule(std::move(errors));

    for (;;) {
      const Answer found = call_.store->ask(reference::ReadNamed{call_.context.resource, name});
      const auto& schedules = expect<reference::NamedSchedules>(found).schedules;
      const reference::NamedSchedule* before = schedules.empty() ? nullptr : &schedules.front();
      check_match(item, name, before);
      if (before != nullptr) {
        check_owner(before->payload);
        Definition same = read->definition;
        same.paused = before->definition.paused;
        if (!before->unreadable && same == before->definition && read->payload == before->payload)
          return {{"name", name}, {"result", "unchanged"}, {"etag", tenure::text_of(before->edition)}};
      }
      const Answer answer = put(name, *read, before);
      if (may_try_again(item, answer)) continue;
      return result_of(answer, name, before == nullptr);
    }
  }
  // The item names no edition, and somebody else's edit came between the look at the schedule and the put.
  bool may_try_again(const Json& item, const Answer& answer) const {
    if (item.contains("if_match") || call_.took() >= kTimeToAskAgain) return false;
    if (answer.outcome != RequestOutcome::applied) return false;
    const auto* refused = std::get_if<reference::NamedRefused>(&answer.reply);
    using reference::EditDenial;
    constexpr EditDenial kCameFirst[] = {EditDenial::version_conflict, EditDenial::exists,
                                         EditDenial::no_such_schedule};
    return refused != nullptr && std::ranges::find(kCameFirst, refused->why) != std::end(kCameFirst);
  }
  const reference::Label* owner_of(const reference::Payload& payload) const {
    const auto found = std::find_if(payload.labels.begin(), payload.labels.end(),
                                    [&](const auto& label) { return label.name == bulk_.owner->name; });
    return found == payload.labels.end() ? nullptr : &*found;
  }
  // The item gets the owner's label.
  void own(reference::Payload& payload) const {
    const reference::Label* found = owner_of(payload);
    if (found == nullptr) {
      payload.labels.push_back(*bulk_.owner);
      std::sort(payload.labels.begin(), payload.labels.end(),
                [](const auto& one, const auto& other) { return one.name < other.name; });
    } else if (found->value != bulk_.owner->value) {
      throw invalid(fmt::format("its label `{}` is `{}`, and the owner's is `{}`", found->name, found->value,
                                bulk_.owner->value));
    }
  }
  // What another owner has put is not taken over: the next prune of either would delete the other's schedule.
  void check_owner(const reference::Payload& stored) const {
    const reference::Label* found = bulk_.owner ? owner_of(stored) : nullptr;
    if (found == nullptr || found->value == bulk_.owner->value) return;
    throw not_possible(
        fmt::format("it has another owner: its label `{}` is `{}`, and not `{}`. A PUT of the schedule "
                    "alone can change that",
                    found->name, found->value, bulk_.owner->value));
  }
  static void check_match(const Json& item, const std::string& name, const reference::NamedSchedule* before) {
    const auto given = item.find("if_match");
    if (given == item.end()) return;
    if (!given->is_string()) throw invalid("`if_match` must be \"UID.VERSION\" or \"none\"");
    const auto wanted = given->get<std::string>();
    const auto edition = read_edition(wanted);
    if (!edition && wanted != "none") throw invalid("`if_match` must be \"UID.VERSION\" or \"none\"");
    const reference::Edition in_force = before == nullptr ? reference::Edition{} : before->edition;
    if (edition ? in_force == *edition : before == nullptr) return;
    using reference::EditDenial;
    throw refusal({before == nullptr ? EditDenial::no_such_schedule
                   : edition         ? EditDenial::version_conflict
                                     : EditDenial::exists,
                   in_force},
                  name);
  }
  Answer put(const std::string& name, const ScheduleBody& body, const reference::NamedSchedule* before) {
    const reference::PutNamed asked{
        .resource = call_.context.resource,
        .name = name,
        .expected = before == nullptr ? std::nullopt : std::optional(before->edition),
        .definition = body.definition,
        .payload = body.payload,
        .actor = call_.caller.actor};
    check(problem_of(asked));
    usage_.put(name, body.definition);
    return bulk_.dry ? Answer{} : call_.store->ask(asked);
  }
  Json result_of(const Answer& answer, const std::string& name, bool created) const {
    Json result = {{"name", name}, {"result", created ? "created" : "updated"}};
    if (bulk_.dry) return result;
    result["etag"] = tenure::text_of(expect_edited(answer, name).edition);
    return result;
  }

  // The cursor of the request that does the rest, if there is no time for all.
  std::string prune(Json& results) {
    ScheduleFilter filter;
    filter.prefix = call_.caller.prefix;
    filter.labels = {*bulk_.owner};
    for (std::string after = bulk_.cursor;;) {
      std::vector<std::pair<std::string, reference::Edition>> gone;
      const ScanEnd end = scan_schedules(call_, filter, std::move(after),
                                         [&](const reference::NamedSchedule& schedule, StoreTime) {
                                           if (!listed_.contains(schedule.name))
                                             gone.emplace_back(schedule.name, schedule.edition);
                                           return gone.size() < kPrunedAtOnce;
                                         });
      for (const auto& [name, edition] : gone) {
        try {
          results.push_back(remove(name, edition));
        } catch (const HttpProblem& problem) {
          results.push_back(failed(name, problem));
        }
      }
      if (!end.more) return {};
      after = end.last;
      if (call_.took() >= kTimeToPrune || results.size() >= kMostPruned) return after;
    }
  }
  Json remove(const std::string& name, const reference::Edition& edition) {
    Json result = {{"name", name}, {"result", "deleted"}, {"etag", tenure::text_of(edition)}};
    if (bulk_.dry) return result;
    expect_edited(
        call_.store->ask(reference::DeleteNamed{call_.context.resource, name, edition, call_.caller.actor}),
        name);
    return result;
  }

  Call& call_;
  TokenUsage usage_{call_};
  const BulkRequest bulk_;
  const std::vector<std::string> destinations_;
  std::set<std::string> listed_;  // names in the list
};

}  // namespace

HttpResponse bulk_schedules(Call& call) {
  const Json body = call.body();
  return json_response(BulkRun(call, read_bulk(body)).run());
}

}  // namespace tenure::daemon::handlers
