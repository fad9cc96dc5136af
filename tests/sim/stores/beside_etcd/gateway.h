// What the machine and a real etcd are compared in: requests and answers as the server's JSON gateway has them, and the
// machine, on this machine's clock.
//
// Thread rule: as the machine.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/stores/etcd/etcd_store.h"
#include "tests/sim/stores/beside_etcd/etcd_server.h"

namespace tenure::etcd {

inline Instant clock_now() { return std::chrono::steady_clock::now(); }
inline StoreTime as_store(Instant time) {
  return StoreTime::from_ns(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

// ---- as the gateway writes it: bytes in base64, numbers as text, nothing for what is 0 -----------------------------

inline std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      bits = (bits << 8) | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= bytes.size() ? kDigits[(bits >> (18 - 6 * j)) & 63] : '=';
  }
  return text;
}

inline void add(Json& to, const char* name, std::int64_t number) {
  if (number != 0) to[name] = std::to_string(number);
}
inline void add(Json& to, const char* name, const std::string& bytes) {
  if (!bytes.empty()) to[name] = base64(bytes);
}
template <class T>
void add(Json& to, const char* name, const std::optional<T>& value) {
  if (value) add(to, name, *value);
}

struct Asking {
  Json operator()(const Get& it) const {
    Json body = Json::object();
    add(body, "key", it.key);
    add(body, "range_end", it.range_end);
    add(body, "max_create_revision", it.max_create_revision);
    if (it.serializable) body["serializable"] = true;
    return body;
  }
  Json operator()(const Put& it) const {
    Json body = Json::object();
    add(body, "key", it.key);
    add(body, "value", it.value);
    add(body, "lease", it.lease);
    return body;
  }
  Json operator()(const DeleteRange& it) const { return (*this)(Get{it.key, it.range_end, {}}); }
  Json operator()(const Compare& it) const {
    Json body = {{"result", it.result.value_or("EQUAL")}};
    add(body, "key", it.key);
    const auto target = [&body](const char* name, const char* field, const auto& value) {
      if (!value) return;
      body["target"] = name;
      add(body, field, *value);
    };
    target("VERSION", "version", it.version);
    target("CREATE", "create_revision", it.create_revision);
    target("MOD", "mod_revision", it.mod_revision);
    target("LEASE", "lease", it.lease);
    target("VALUE", "value", it.value);
    return body;
  }
  Json operator()(const Txn& it) const {
    Json body = {{"compare", Json::array()}, {"success", Json::array()}, {"failure", Json::array()}};
    for (const Compare& each : it.compare) body["compare"].push_back((*this)(each));
    const auto add_all = [this, &body](const char* name, const std::vector<Operation>& operations) {
      static constexpr const char* kNames[] = {"request_range", "request_put", "request_delete_range"};
      for (const Operation& each : operations)
        body[name].push_back({{kNames[each.index()], std::visit(*this, each)}});
    };
    add_all("success", it.success);
    add_all("failure", it.failure);
    return body;
  }
  Json operator()(const Compact& it) const { return {{"revision", std::to_string(it.revision)}}; }
  Json operator()(const Watch& it) const {
    Json body = (*this)(Get{it.key, it.range_end, {}});
    add(body, "start_revision", it.start_revision);
    return body;
  }
  Json operator()(const LeaseGrant& it) const {
    return {{"TTL", std::to_string(it.ttl)}, {"ID", std::to_string(it.id.value())}};
  }
  Json operator()(const LeaseRevoke& it) const { return {{"ID", std::to_string(it.id)}}; }
  Json operator()(const LeaseKeepAlive& it) const { return {{"ID", std::to_string(it.id)}}; }
  Json operator()(const LeaseTimeToLive& it) const { return {{"ID", std::to_string(it.id)}}; }
};

inline std::string path_of(const Request& request) {
  static const char* const kPaths[] = {"kv/range",        "kv/put",          "kv/deleterange", "kv/txn",
                                       "kv/compaction",   "watch",           "lease/grant",    "lease/revoke",
                                       "lease/keepalive", "lease/timetolive"};
  return std::string("/v3/") + kPaths[request.index()];
}

struct Answering {
  static Json headed(std::int64_t revision) {
    Json header = Json::object();
    add(header, "revision", revision);
    return {{"header", header}};
  }
  static Json written(const KeyValue& kv) {
    Json body = Json::object();
    add(body, "key", kv.key);
    add(body, "value", kv.value);
    add(body, "create_revision", kv.create_revision);
    add(body, "mod_revision", kv.mod_revision);
    add(body, "version", kv.version);
    add(body, "lease", kv.lease);
    return body;
  }
  Json operator()(const GetResponse& it) const {
    Json body = headed(it.revision);
    for (const KeyValue& kv : it.kvs) body["kvs"].push_back(written(kv));
    return body;
  }
  Json operator()(const PutResponse& it) const { return headed(it.revision); }
  Json operator()(const DeleteRangeResponse& it) const {
    Json body = headed(it.revision);
    add(body, "deleted", it.deleted);
    return body;
  }
  Json operator()(const TxnResponse& it) const {
    static constexpr const char* kNames[] = {"response_range", "response_put", "response_delete_range"};
    Json body = headed(it.revision);
    if (it.succeeded) body["succeeded"] = true;
    for (const OperationResponse& each : it.responses)
      body["responses"].push_back({{kNames[each.index()], std::visit(*this, each)}});
    return body;
  }
  Json operator()(const CompactionResponse& it) const { return headed(it.revision); }
  Json operator()(const WatchResponse& it) const {
    Json body = headed(it.revision);
    if (it.compact_revision != 0) body["canceled"] = true;
    add(body, "compact_revision", it.compact_revision);
    for (const KeyEvent& event : it.events) {
      Json one = {{"kv", written(event.kv)}};
      if (event.type != "PUT") one["type"] = event.type;
      body["events"].push_back(std::move(one));
    }
    return body;
  }
  Json of_lease(std::int64_t revision, std::int64_t id, std::int64_t ttl) const {
    Json body = headed(revision);
    add(body, "ID", id);
    add(body, "TTL", ttl);
    return body;
  }
  Json operator()(const LeaseGrantResponse& it) const { return of_lease(it.revision, it.id, it.ttl); }
  Json operator()(const LeaseRevokeResponse& it) const { return headed(it.revision); }
  Json operator()(const LeaseKeepAliveResponse& it) const { return of_lease(it.revision, it.id, it.ttl); }
  Json operator()(const LeaseTimeToLiveResponse& it) const {
    Json body = of_lease(it.revision, it.id, it.ttl);
    add(body, "grantedTTL", it.granted_ttl);
    return body;
  }
  Json operator()(const Failed& it) const { return {{"error", it.message}}; }
};

// What the server says without what the machine has not got: who it is, and counts.
inline Json plain(Json said) {
  if (said.is_object() && said.contains("error")) return {{"error", said["error"]}};
  if (said.is_object()) {
    said.erase("count");
    for (auto& [name, value] : said.items())
      if (name == "header")
        value = value.contains("revision") ? Json{{"revision", value["revision"]}} : Json::object();
      else
        value = plain(value);
  } else if (said.is_array()) {
    for (Json& each : said) each = plain(each);
  }
  return said;
}

// The machine, and what it has answered to those that waited.
class Machine {
 public:
  // None: it waits, or nobody can answer.
  std::optional<Json> begin(std::uint64_t ticket, const Request& request, Instant at, NodeId client = {}) {
    go_to(at);
    if (store_.loses(client, request, as_store(at))) return std::nullopt;
    const auto reply = store_.begin({{client, 1}, Part::elector, 0}, ticket, request, as_store(at));
    collect(at);
    if (!reply) return std::nullopt;
    return std::visit(Answering{}, *message_as<Reply>(*reply));
  }
  // What it does by itself until then.
  void go_to(Instant time) {
    while (store_.next_time_out() && *store_.next_time_out() <= as_store(time)) {
      const StoreTime at = *store_.next_time_out();
      store_.time_out(at);
      collect(Instant(std::chrono::nanoseconds(at.ns())));
    }
  }
  void restart(Instant at) {
    go_to(at);
    store_.restart(as_store(at));
  }
  // The servers behind it, at this time.
  ServerCluster& cluster(Instant at) {
    go_to(at);
    return store_;
  }
  struct Answer {
    Json said;
    Instant at;
  };
  const std::map<std::uint64_t, Answer>& completed() const { return completed_; }

 private:
  void collect(Instant at) {
    for (const auto& [ticket, reply] : store_.take_completed())
      completed_[ticket] = {std::visit(Answering{}, *message_as<Reply>(reply)), at};
  }
  EtcdStore store_;
  std::map<std::uint64_t, Answer> completed_;
};

}  // namespace tenure::etcd
