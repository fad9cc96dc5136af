// One schedule: what it is, and edits of it.
#include <fmt/format.h>

#include "adapters/store/public_names.h"
#include "daemon/api/handlers.h"
#include "daemon/api/preconditions.h"
#include "daemon/api/quotas.h"
#include "daemon/api/schedule_json.h"

namespace tenure::daemon::handlers {
namespace {

using reference::EditDenial;

HttpResponse show(const reference::NamedSchedule& schedule, StoreTime now, std::uint16_t status = 200) {
  HttpResponse response = json_response(json_of(schedule, now, {}), status);
  response.fields.push_back({"ETag", etag_of(schedule.edition)});
  return response;
}

}  // namespace

HttpResponse get_schedule(Call& call) {
  const std::string& name = call.schedule_name();
  const Answer answer = call.store->ask(reference::ReadNamed{call.context.resource, name});
  const auto& found = expect<reference::NamedSchedules>(answer).schedules;
  if (found.empty()) throw no_such_schedule(name);
  HttpResponse response = show(found.front(), answer.store_time);
  if (names_edition(call.request.field("if-none-match"), found.front().edition)) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

HttpResponse put_schedule(Call& call) {
  const std::string& name = call.schedule_name();
  const Json body = call.body();
  std::vector<FieldError> errors;
  auto read = read_schedule(body, "", name, call.context.zones, call.context.destinations(), {}, errors);
  if (!read) throw invalid_schedule(std::move(errors));

  const Precondition condition = precondition_of(call);
  reference::PutNamed put{.resource = call.context.resource,
                          .name = name,
                          .expected = condition.edition,
                          .definition = std::move(read->definition),
                          .payload = std::move(read->payload),
                          .actor = call.caller.actor};
  check(problem_of(put));
  TokenUsage(call).put(name, put.definition);
  const Answer answer = ask_under(condition, call, put);
  const reference::NamedEdited& edited = expect_edited(answer, name);

  // As it is now; as it was made, if it was edited again meanwhile.
  const Answer after = call.store->ask(reference::ReadNamed{call.context.resource, name});
  const auto* found = std::get_if<reference::NamedSchedules>(&after.reply);
  reference::NamedSchedule made{.name = name,
                                .edition = edited.edition,
                                .since = edited.since,
                                .definition = put.definition,
                                .payload = put.payload,
                                .pause = {}};
  const bool is_it = after.outcome == RequestOutcome::applied && !found->schedules.empty() &&
                     found->schedules.front().edition == edited.edition;
  HttpResponse response =
      show(is_it ? found->schedules.front() : made, answer.store_time, condition.edition ? 200 : 201);
  if (!condition.edition) response.fields.push_back({"Location", "/v1/schedules/" + percent_encoded(name)});
  return response;
}

HttpResponse delete_schedule(Call& call) {
  const std::string& name = call.schedule_name();
  const Precondition condition = precondition_of(call);
  if (!condition.edition) throw precondition_required("a delete needs `If-Match`");
  reference::DeleteNamed asked{call.context.resource, name, *condition.edition, call.caller.actor};
  check(problem_of(asked));
  expect_edited(ask_under(condition, call, asked), name);
  HttpResponse response;
  response.status = 204;
  return response;
}

}  // namespace tenure::daemon::handlers
