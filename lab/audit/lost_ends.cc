#include "lab/audit/lost_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/model/describe.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

const reference::Granted* granted_in(const JournalCall& call) {
  return call.applied() ? call.answered->reply_as<reference::Granted>() : nullptr;
}

// What a life was granted last of a resource.
struct LastGrant {
  Token token;
  StoreTime end = StoreTime::min();
};
std::optional<LastGrant> last_grant(const LifeHistory& life, ResourceId resource) {
  std::optional<LastGrant> last;
  for (const JournalCall& call : life.calls) {
    const reference::Granted* granted = granted_in(call);
    if (granted == nullptr || JournalHistory::resource_of_call(call) != resource) continue;
    if (!last || last->token.older_than(granted->token)) last = LastGrant{granted->token};
    last->end = std::max(last->end, call.at() + granted->duration);
  }
  return last;
}

// The first grant of a later token that another life was given.
const JournalCall* next_grant(const JournalHistory& history, ResourceId resource, Incarnation but,
                              const Token& after) {
  const JournalCall* next = nullptr;
  history.for_each_call(resource, [&](const JournalCall& call) {
    const reference::Granted* granted = granted_in(call);
    if (granted == nullptr || call.who() == but || !after.older_than(granted->token)) return;
    if (next == nullptr || call.at() < next->at()) next = &call;
  });
  return next;
}

// Whether the change just before the acquire is one after which nothing else can have been: of the lease, or under its
// token. (Postgres gives other changes positions of their own count.)
bool follows_what_is_known(const JournalHistory& history, ResourceId resource, const JournalCall& acquire) {
  if (reference_request<reference::Acquire>(acquire.asked->submission.request) == nullptr) return false;
  bool known = false;
  history.for_each_call(resource, [&](const JournalCall& call) {
    const Request& request = call.asked->submission.request;
    const bool of_the_lease =
        reference_request<reference::Acquire>(request) != nullptr || token_shown(request).has_value();
    known = known || (of_the_lease && call.applied() && call.answered->changed &&
                      call.answered->position + 1 == acquire.answered->position);
  });
  return known;
}

}  // namespace

std::vector<LostEnd> lost_ends(const JournalHistory& history) {
  std::vector<LostEnd> lost;
  for (const ResourceId resource : history.resources())
    for (const auto& [who, life] : history.lives) {
      if (life.node_ended || life.lines.empty()) continue;
      const std::optional<LastGrant> last = last_grant(life, resource);
      if (!last) continue;
      const JournalCall* next = next_grant(history, resource, who, last->token);
      if (next == nullptr || next->heard < life.lines.back().at) continue;
      if (follows_what_is_known(history, resource, *next)) continue;
      lost.push_back({who, resource, life.lines.back().at, last->end, next->who(), next->at(), next->heard});
    }
  return lost;
}

std::string text_of(const LostEnd& lost) {
  return fmt::format(
      "{}'s journal has no end, its last line is at {}, and {} was granted {} at {}, {} before the lease of "
      "{} was "
      "over: it gave it back in lines that are missing, or both had it",
      who_text(lost.who, NodeNames::by_id), time_text(lost.since), who_text(lost.next, NodeNames::by_id),
      resource_text(lost.resource), time_text(lost.heard), describe(lost.lease_end - lost.granted),
      who_text(lost.who, NodeNames::by_id));
}

}  // namespace tenure::sim
