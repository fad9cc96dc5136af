// The closed form of each protocol.
//
// Thread rule: pure functions.
#pragma once

#include "lab/tune/closed_form.h"

namespace tenure::lab {

ClosedForm form_of_fenced_lease(const Parameters& election, const FailoverTerms& around);
ClosedForm form_of_db_lease(const Parameters& election, const FailoverTerms& around);
ClosedForm form_of_heartbeat_lock(const Parameters& election, const FailoverTerms& around);
ClosedForm form_of_client_go(const Parameters& election, const FailoverTerms& around);

}  // namespace tenure::lab
