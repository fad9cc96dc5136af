// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/zookeeper/requests.h"

namespace tenure::zookeeper {

TENURE_FIELDS(Connect, session_timeout, session)
TENURE_FIELDS(Ping, session)
TENURE_FIELDS(Close, session)
TENURE_FIELDS(Create, session, path, data, ephemeral, sequential)
TENURE_FIELDS(Delete, session, path, version)
TENURE_FIELDS(SetData, session, path, data, version)
TENURE_FIELDS(Exists, session, path, watch)
TENURE_FIELDS(GetData, session, path, watch)
TENURE_FIELDS(GetChildren, session, path, watch)
TENURE_FIELDS(NextEvent, session)
TENURE_FIELDS(Connected, session, session_timeout)
TENURE_NO_FIELDS(Done)
TENURE_FIELDS(Created, path)
TENURE_FIELDS(Stat, czxid, mzxid, version, cversion, ephemeral_owner, num_children)
TENURE_FIELDS(Existing, stat)
TENURE_FIELDS(Data, data, stat)
TENURE_FIELDS(Children, children)
TENURE_FIELDS(WatchedEvent, type, path)
TENURE_FIELDS(Failed, code, message)

}  // namespace tenure::zookeeper
