// The handlers of routes, by file; internal to this room.
//
// Thread rule: as routes.h.
#pragma once

#include <cstddef>

#include "daemon/api/call.h"

namespace tenure::daemon::handlers {

// Of a list in an answer. A page ends with what would be, or is, too much; it has one at least.
inline constexpr std::size_t kPageBytes = 4 * 1024 * 1024;

// schedules.cc
HttpResponse get_schedule(Call& call);
HttpResponse put_schedule(Call& call);
HttpResponse delete_schedule(Call& call);

// list.cc, bulk.cc
HttpResponse list_schedules(Call& call);
HttpResponse bulk_schedules(Call& call);

// runs.cc
HttpResponse pause_schedule(Call& call);
HttpResponse resume_schedule(Call& call);
HttpResponse trigger_schedule(Call& call);
HttpResponse backfill_schedule(Call& call);
HttpResponse next_slots(Call& call);

// fires.cc
HttpResponse list_fires(Call& call);
HttpResponse list_fires_of_schedule(Call& call);

// events.cc
HttpResponse list_events(Call& call);
HttpResponse acknowledge_events(Call& call);
HttpResponse list_dead_events(Call& call);
HttpResponse replay_events(Call& call);
HttpResponse discard_events(Call& call);

// executions.cc
HttpResponse claim_executions(Call& call);
HttpResponse extend_execution(Call& call);
HttpResponse complete_execution(Call& call);
HttpResponse fail_execution(Call& call);
HttpResponse release_execution(Call& call);

// changes.cc, leaders.cc
HttpResponse list_changes(Call& call);
HttpResponse list_leaders(Call& call);

// health.cc
HttpResponse metrics(Call& call);
HttpResponse openapi(Call& call);
HttpResponse healthz(Call& call);
HttpResponse readyz(Call& call);
HttpResponse leaderz(Call& call);

}  // namespace tenure::daemon::handlers
