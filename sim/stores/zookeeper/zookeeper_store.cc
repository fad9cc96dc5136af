#include "sim/stores/zookeeper/zookeeper_store.h"

#include <algorithm>
#include <utility>

#include "sim/stores/message_kind.h"

namespace tenure::zookeeper {
namespace {

constexpr Duration kTick = Duration::seconds(2);
constexpr Duration kShortest = kTick * 2;
constexpr Duration kLongest = kTick * 20;

// Ticks are in step with nothing that a client does, so any phase will do.
StoreTime end_of(Duration timeout, StoreTime now) {
  const std::int64_t ticks = (now + timeout - StoreTime{}).ns() / kTick.ns();
  return StoreTime{} + kTick * (ticks + 1);
}

}  // namespace

// ---- sessions -------------------------------------------------------------------------------------------------------

std::optional<Reply> ZookeeperStore::answer(const Connect& asked, const Caller& caller) {
  const Duration timeout = std::clamp(asked.session_timeout, kShortest, kLongest);
  const std::int64_t id = asked.session ? *asked.session : ++made_;
  if (asked.session && !sessions_.contains(id))
    return Failed{"SESSIONEXPIRED", "the session has ended, and its ephemeral nodes are gone"};
  if (!asked.session) ++zxid_;
  Session& session = sessions_[id];
  session.timeout = timeout;
  session.ends = end_of(timeout, caller.now);
  session.connection = caller.session;
  complete(waiting_, [&](const Waiting<NextEvent>& waiting) {
    return waiting.asked.session == id
               ? std::optional(Failed{"CONNECTIONLOSS", "the session has come back on another connection"})
               : std::nullopt;
  });
  return Connected{id, timeout};
}

std::optional<Failed> ZookeeperStore::touch(std::int64_t id, const Caller& caller) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || !found->second.connection)
    return Failed{"CONNECTIONLOSS", "the session has to be connected"};
  Session& session = found->second;
  if (*session.connection != caller.session) {
    const bool is_newer = session.connection->who == caller.session.who &&
                          session.connection->connection < caller.session.connection;
    if (is_newer) return Failed{"CONNECTIONLOSS", "the session has to be connected"};
    return Failed{"SESSIONMOVED", "the session is on another connection"};
  }
  session.ends = end_of(session.timeout, caller.now);
  return std::nullopt;
}

std::optional<Reply> ZookeeperStore::answer_in_session(const Ping&, const Caller&) { return Done{}; }

std::optional<Reply> ZookeeperStore::answer_in_session(const Close& asked, const Caller&) {
  end(asked.session);
  return Done{};
}

void ZookeeperStore::end(std::int64_t id) {
  ++zxid_;
  sessions_.erase(id);
  for (const std::string& path : nodes_.ephemerals_of(id)) {
    nodes_.erase({id, path, {}});
    has_gone(path);
  }
  complete(waiting_, [&](const Waiting<NextEvent>& waiting) {
    return waiting.asked.session == id ? std::optional(Failed{"CONNECTIONLOSS", "the session has ended"})
                                       : std::nullopt;
  });
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

std::optional<Reply> ZookeeperStore::answer_in_session(const Create& asked, const Caller&) {
  std::variant<Created, Failed> done = nodes_.create(asked, ++zxid_);
  if (auto* failed = std::get_if<Failed>(&done)) return *std::move(failed);
  Created& created = std::get<Created>(done);
  has_come(created.path);
  return std::move(created);
}

std::optional<Reply> ZookeeperStore::answer_in_session(const Delete& asked, const Caller&) {
  ++zxid_;
  if (std::optional<Failed> failed = nodes_.erase(asked)) return *std::move(failed);
  has_gone(asked.path);
  return Done{};
}

std::optional<Reply> ZookeeperStore::answer_in_session(const SetData& asked, const Caller&) {
  std::variant<Stat, Failed> done = nodes_.set(asked, ++zxid_);
  if (auto* failed = std::get_if<Failed>(&done)) return *std::move(failed);
  tell_of_node(asked.path, "NodeDataChanged");
  return std::get<Stat>(done);
}

// It may watch for a node that is not there yet; the other two may not.
std::optional<Reply> ZookeeperStore::answer_in_session(const Exists& asked, const Caller&) {
  if (asked.watch.value_or(false)) sessions_.at(asked.session).watched_nodes.insert(asked.path);
  return Existing{nodes_.stat(asked.path)};
}

std::optional<Reply> ZookeeperStore::answer_in_session(const GetData& asked, const Caller&) {
  std::optional<Data> data = nodes_.data(asked.path);
  if (!data) return Failed{"NONODE", "there is no such node"};
  if (asked.watch.value_or(false)) sessions_.at(asked.session).watched_nodes.insert(asked.path);
  return *std::move(data);
}

std::optional<Reply> ZookeeperStore::answer_in_session(const GetChildren& asked, const Caller&) {
  if (!nodes_.contains(asked.path)) return Failed{"NONODE", "there is no such node"};
  if (asked.watch.value_or(false)) sessions_.at(asked.session).watched_children.insert(asked.path);
  return nodes_.children(asked.path);
}

// ---- watches --------------------------------------------------------------------------------------------------------

void ZookeeperStore::has_come(const std::string& path) {
  tell_of_node(path, "NodeCreated");
  tell_of_children(parent_of(path));
}

// Who watches for both, the node and its children, is told once.
void ZookeeperStore::has_gone(const std::string& path) {
  for (auto& [id, session] : sessions_) {
    const bool of_node = session.watched_nodes.erase(path) > 0;
    const bool of_children = session.watched_children.erase(path) > 0;
    if (of_node || of_children) session.events.push_back({"NodeDeleted", path});
  }
  tell_of_children(parent_of(path));
}

void ZookeeperStore::tell_of_node(const std::string& path, const char* type) {
  for (auto& [id, session] : sessions_)
    if (session.watched_nodes.erase(path) > 0) session.events.push_back({type, path});
}

void ZookeeperStore::tell_of_children(const std::string& path) {
  for (auto& [id, session] : sessions_)
    if (session.watched_children.erase(path) > 0) session.events.push_back({"NodeChildrenChanged", path});
}

std::optional<Reply> ZookeeperStore::answer_in_session(const NextEvent& asked, const Caller& caller) {
  waiting_.push_back({caller, asked});
  return std::nullopt;
}

void ZookeeperStore::answered(StoreTime) {
  complete(waiting_, [this](const Waiting<NextEvent>& waiting) {
    const auto session = sessions_.find(waiting.asked.session);
    std::optional<WatchedEvent> event;
    if (session == sessions_.end() || session->second.events.empty()) return event;
    event = std::move(session->second.events.front());
    session->second.events.pop_front();
    return event;
  });
}

// ---- time -----------------------------------------------------------------------------------------------------------

std::optional<StoreTime> ZookeeperStore::next_time_out() const {
  if (sessions_.empty()) return std::nullopt;
  const auto first =
      std::ranges::min_element(sessions_, {}, [](const auto& each) { return each.second.ends; });
  return first->second.ends;
}

void ZookeeperStore::time_out(StoreTime now) {
  std::vector<std::pair<StoreTime, std::int64_t>> over;
  for (const auto& [id, session] : sessions_)
    if (session.ends <= now) over.emplace_back(session.ends, id);
  std::ranges::sort(over);
  for (const auto& [ends, id] : over) end(id);
  if (!over.empty()) answered(now);
}

// Its sessions live on without a connection, and their watches with them: a client sets them again when it comes back.
void ZookeeperStore::client_is_gone(Incarnation who, StoreTime) { forget(waiting_, who); }

void ZookeeperStore::restart(StoreTime now) {
  waiting_.clear();
  forget_completed();
  for (auto& [id, session] : sessions_) {
    session.connection.reset();
    session.ends = end_of(session.timeout, now);
  }
}

void ZookeeperStore::hash(Hasher& hasher, StoreTime now) const {
  nodes_.hash(hasher);
  hasher.add(made_).add(zxid_).add(sessions_.size());
  for (const auto& [id, session] : sessions_) {
    hasher.add(id).add(session.timeout).add(session.ends - now).add(session.connection.has_value());
    if (session.connection)
      hasher.add(session.connection->who).add(session.connection->connection).add(session.connection->lane);
    for (const std::string& path : session.watched_nodes) hasher.add(path);
    hasher.add(session.watched_children.size());
    for (const std::string& path : session.watched_children) hasher.add(path);
    hasher.add(session.events.size());
    for (const WatchedEvent& event : session.events) hasher.add(event.type).add(event.path);
  }
  for (const Waiting<NextEvent>& waiting : waiting_)
    hasher.add(waiting.caller.ticket).add(waiting.asked.session);
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 11>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 11>; }

}  // namespace tenure::zookeeper
