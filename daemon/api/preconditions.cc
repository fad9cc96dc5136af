#include "daemon/api/preconditions.h"

#include <fmt/format.h>

#include "adapters/store/public_names.h"
#include "daemon/api/schedule_json.h"

namespace tenure::daemon {
namespace {

using reference::EditDenial;

// `"7.3"` is an edition; `W/"7.3"` too, if weak ones count.
std::optional<reference::Edition> edition_in(std::string_view etag, bool weak) {
  if (weak && etag.starts_with("W/")) etag.remove_prefix(2);
  if (etag.size() < 2 || etag.front() != '"' || etag.back() != '"') return std::nullopt;
  return read_edition(etag.substr(1, etag.size() - 2));
}

HttpProblem precondition_failed(std::string detail, const reference::Edition& in_force) {
  HttpProblem problem{.status = 412,
                      .type = "precondition-failed",
                      .title = "The schedule is not as expected",
                      .detail = std::move(detail)};
  if (in_force.version != 0) problem.etag = tenure::text_of(in_force);
  return problem;
}

}  // namespace

bool names_edition(std::string_view etags, const reference::Edition& edition) {
  for (std::string_view rest = etags; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view one = trimmed(rest.substr(0, comma));
    if (one == "*" || edition_in(one, true) == edition) return true;
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return false;
}

Precondition precondition_of(Call& call) {
  const std::string_view match = trimmed(call.request.field("if-match"));
  const std::string_view none = trimmed(call.request.field("if-none-match"));
  if (match.empty() && none.empty())
    throw precondition_required("`If-None-Match: *` creates, and `If-Match: \"UID.VERSION\"` edits");
  if (!match.empty() && !none.empty()) throw invalid("`If-Match` and `If-None-Match` in one request");
  if (!none.empty()) {
    if (none != "*") throw invalid("of `If-None-Match` only `*` makes sense here");
    return {};
  }
  if (match == "*") {
    const std::string& name = call.schedule_name();
    const Answer answer = call.store->ask(reference::ReadNamed{call.context.resource, name});
    const auto& found = expect<reference::NamedSchedules>(answer).schedules;
    if (found.empty()) throw precondition_failed(fmt::format("there is no schedule `{}`", name), {});
    return {found.front().edition, true};
  }
  const auto edition = edition_in(match, false);
  if (!edition)
    throw invalid("`If-Match` must be one ETag of a schedule, like `\"7.3\"`, with its quotes, or `*`");
  return {edition};
}

std::optional<reference::Edition> came_second_to(const Answer& answer) {
  if (answer.outcome != RequestOutcome::applied) return std::nullopt;
  const auto* refused = std::get_if<reference::NamedRefused>(&answer.reply);
  if (refused == nullptr || refused->why != EditDenial::version_conflict) return std::nullopt;
  return refused->edition;
}

HttpProblem precondition_required(std::string detail) {
  return {.status = 428,
          .type = "precondition-required",
          .title = "Say which edition this is based on",
          .detail = std::move(detail)};
}

HttpProblem no_such_schedule(const std::string& name) {
  return not_found(fmt::format("there is no schedule `{}`", name));
}

HttpProblem invalid_schedule(std::vector<FieldError> errors) {
  const std::size_t count = errors.size();
  return invalid(count == 1 ? std::string("one thing is wrong with the schedule")
                            : fmt::format("{} things are wrong with the schedule", count),
                 std::move(errors));
}

std::string unreadable(const std::string& name) {
  return fmt::format("`{}` was made by a newer program, and this one cannot read it", name);
}

HttpProblem not_possible(std::string detail) {
  return {.status = 409, .type = "conflict", .title = "This cannot be done", .detail = std::move(detail)};
}

HttpProblem refusal(const reference::NamedRefused& refused, const std::string& name) {
  const std::string edition = tenure::text_of(refused.edition);
  switch (refused.why) {
    case EditDenial::exists:
      return precondition_failed(fmt::format("`{}` exists: it is \"{}\"", name, edition), refused.edition);
    case EditDenial::version_conflict:
      return precondition_failed(fmt::format("`{}` was changed: it is \"{}\" now", name, edition),
                                 refused.edition);
    case EditDenial::no_such_schedule:
    case EditDenial::deleted: return precondition_failed(fmt::format("there is no schedule `{}`", name), {});
    case EditDenial::in_future: return invalid("a backfill is of slots that have come");
    case EditDenial::unreadable: return not_possible(unreadable(name));
    case EditDenial::no_number_left:
    case EditDenial::other_request: break;
  }
  return not_possible("all numbers of schedules have been used");
}

const reference::NamedEdited& expect_edited(const Answer& answer, const std::string& name) {
  if (answer.outcome == RequestOutcome::applied)
    if (const auto* refused = std::get_if<reference::NamedRefused>(&answer.reply))
      throw refusal(*refused, name);
  return expect<reference::NamedEdited>(answer);
}

}  // namespace tenure::daemon
