// Requests to ZooKeeper: sessions, nodes in a tree, watches. The names are those of its clients, in lower case.
//
// `session` is the id that connect() gave. A session belongs to the connection that connected it last.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/store/message.h"

namespace tenure::zookeeper {

// Opens a session, or comes back to one on a new connection.
struct Connect {
  Duration session_timeout;             // asked for; the server answers with what it takes
  std::optional<std::int64_t> session;  // absent: a new one
};
struct Ping {
  std::int64_t session = 0;
};
// Ends the session, and its ephemeral nodes with it.
struct Close {
  std::int64_t session = 0;
};

struct Create {
  std::int64_t session = 0;
  std::string path;
  std::string data;
  std::optional<bool> ephemeral;   // it goes with the session
  std::optional<bool> sequential;  // ten digits are added to its name, which count up
};
struct Delete {
  std::int64_t session = 0;
  std::string path;
  std::optional<std::int64_t> version;  // only this one; absent: any
};
struct SetData {
  std::int64_t session = 0;
  std::string path;
  std::string data;
  std::optional<std::int64_t> version;  // only this one; absent: any
};

// With `watch` the session is told once of the next change: of the node, or of which children it has.
struct Exists {
  std::int64_t session = 0;
  std::string path;
  std::optional<bool> watch;
};
struct GetData {
  std::int64_t session = 0;
  std::string path;
  std::optional<bool> watch;
};
struct GetChildren {
  std::int64_t session = 0;
  std::string path;
  std::optional<bool> watch;
};
// Waits for what the session's watches have to tell.
struct NextEvent {
  std::int64_t session = 0;
};

struct Connected {
  std::int64_t session = 0;
  Duration session_timeout;  // negotiated
};
struct Done {};
struct Created {
  std::string path;  // with the digits
};
struct Stat {
  std::int64_t czxid = 0;  // of the transaction that created it
  std::int64_t mzxid = 0;  // and of the one that wrote it last
  std::int64_t version = 0;
  std::int64_t cversion = 0;         // counts its children's comings and goings
  std::int64_t ephemeral_owner = 0;  // its session; 0: it stays
  std::int64_t num_children = 0;
};
struct Existing {
  std::optional<Stat> stat;  // none: it is not there
};
struct Data {
  std::string data;
  Stat stat;
};
struct Children {
  std::vector<std::string> children;  // names, sorted; ZooKeeper sorts nothing
};
struct WatchedEvent {
  std::string type;  // "NodeCreated", "NodeDeleted", "NodeDataChanged", "NodeChildrenChanged"
  std::string path;
};
// Nothing was changed.
struct Failed {
  std::string
      code;  // "NONODE", "NODEEXISTS", "BADVERSION", "SESSIONEXPIRED", "SESSIONMOVED", "CONNECTIONLOSS", …
  std::string message;
};

using Request =
    std::variant<Connect, Ping, Close, Create, Delete, SetData, Exists, GetData, GetChildren, NextEvent>;
using Reply = std::variant<Connected, Done, Created, Stat, Existing, Data, Children, WatchedEvent, Failed>;

// Their fields (core/base/fields.h).
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

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::zookeeper
