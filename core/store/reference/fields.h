// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

TENURE_FIELDS(Acquire, resource, holder, epoch_seen, nonce, duration)
TENURE_FIELDS(Renew, resource, holder, token, duration)
TENURE_FIELDS(Release, resource, holder, token)
TENURE_FIELDS(Granted, token, duration)
TENURE_FIELDS(Refused, why, holder, epoch, remaining)
TENURE_NO_FIELDS(Released)
TENURE_FIELDS(PutSchedule, resource, schedule, expected_version, definition)
TENURE_FIELDS(DeleteSchedule, resource, schedule, expected_version)
TENURE_FIELDS(TriggerSchedule, resource, schedule, run, at)
TENURE_FIELDS(BackfillSchedule, resource, schedule, run, slots)
TENURE_FIELDS(Edited, version, change_seq, since)
TENURE_FIELDS(EditRefused, why, version)
TENURE_FIELDS(Segment, schedule, version, begin, end, cursor)
TENURE_FIELDS(ReadDue, resource, horizon, limit, after)
TENURE_FIELDS(Hold, since, jump)
TENURE_FIELDS(Due, segments, more, change_seq, hold, branch)
TENURE_FIELDS(LedgerRow, schedule, version, from, to, slot, due, what, slots)
TENURE_FIELDS(CommitFires, resource, holder, token, rows)
TENURE_FIELDS(Committed, rows)
TENURE_FIELDS(CommitRefused, why, held)
TENURE_FIELDS(EventId, schedule, slot, run)
TENURE_FIELDS(ReadOutbox, resource, limit, after)
TENURE_FIELDS(OutboxEvent, seq, id)
TENURE_FIELDS(Outbox, events, more)
TENURE_FIELDS(DeadEvent, id, attempts, seq, since)
TENURE_FIELDS(AckEvents, resource, events)
TENURE_NO_FIELDS(Acknowledged)
TENURE_FIELDS(ReadDead, resource, limit, after)
TENURE_FIELDS(Dead, events, more)
TENURE_FIELDS(Redrive, resource, events)
TENURE_FIELDS(Redriven, events)
TENURE_FIELDS(GiveUpEvents, resource, holder, token, events)
TENURE_NO_FIELDS(GivenUp)
TENURE_FIELDS(ChangesSince, resource, seq, limit)
TENURE_FIELDS(Change, seq, segment, definition, deleted, unreadable)
TENURE_FIELDS(Changes, changes, seq, more, hold, branch)
TENURE_FIELDS(SetHold, resource, holder, token, jump)
TENURE_FIELDS(ClearHold, resource, holder, token)
TENURE_FIELDS(HoldSet, hold)
TENURE_FIELDS(Prune, resource, before, limit)
TENURE_FIELDS(Pruned, rows)

}  // namespace tenure::reference
