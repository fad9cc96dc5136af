// The handlers of routes, by file; internal to this room.
//
// Thread rule: as routes.h.
#pragma once

#include "daemon/api/call.h"

namespace tenure::daemon::handlers {

// schedules.cc
HttpResponse get_schedule(Call& call);
HttpResponse put_schedule(Call& call);
HttpResponse delete_schedule(Call& call);

// health.cc
HttpResponse healthz(Call& call);
HttpResponse readyz(Call& call);
HttpResponse leaderz(Call& call);

}  // namespace tenure::daemon::handlers
