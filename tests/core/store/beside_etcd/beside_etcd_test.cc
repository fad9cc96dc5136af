// The machine beside a real etcd, through its JSON gateway: drawn histories are applied to both, and every reply must
// be the same. Where time decides, the server's moments are only known to lie between a request and its answer, and its
// looks at the leases are its own: then what happens on both must lie within what these allow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/store/etcd/etcd_store.h"
#include "tests/core/store/beside_etcd/etcd_server.h"

namespace tenure::etcd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Instant clock_now() { return std::chrono::steady_clock::now(); }
StoreTime as_store(Instant time) {
  return StoreTime::from_ns(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

// ---- as the gateway writes it: bytes in base64, numbers as text, nothing for what is 0 -----------------------------

std::string base64(const std::string& bytes) {
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

void add(Json& to, const char* name, std::int64_t number) {
  if (number != 0) to[name] = std::to_string(number);
}
void add(Json& to, const char* name, const std::string& bytes) {
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

std::string path_of(const Request& request) {
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
Json plain(Json said) {
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
  std::optional<Json> begin(std::uint64_t ticket, const Request& request, Instant at) {
    go_to(at);
    const auto reply = store_.begin({}, ticket, request, as_store(at));
    collect(at);
    if (!reply) return std::nullopt;
    return std::visit(Answering{}, std::get<Reply>(*reply));
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
  struct Answer {
    Json said;
    Instant at;
  };
  const std::map<std::uint64_t, Answer>& completed() const { return completed_; }

 private:
  void collect(Instant at) {
    for (const auto& [ticket, reply] : store_.take_completed())
      completed_[ticket] = {std::visit(Answering{}, std::get<Reply>(reply)), at};
  }
  EtcdStore store_;
  std::map<std::uint64_t, Answer> completed_;
};

const std::string kAll(1, '\0');

// ---- whatever no clock decides -------------------------------------------------------------------------------------

class History {
 public:
  explicit History(unsigned number) : dice_(number) {}

  Request some_request() {
    switch (roll(14)) {
      case 0: return Get{"a", kAll, revision()};
      case 1: return DeleteRange{key(), roll(2) == 0 ? std::optional<std::string>("m") : std::nullopt};
      case 2: return LeaseGrant{100 + roll(3), 1 + roll(3)};
      case 3: return LeaseRevoke{1 + roll(3)};
      case 4: return LeaseKeepAlive{1 + roll(3)};
      case 5: return LeaseTimeToLive{1 + roll(3)};
      case 6: return Compact{*revision()};
      case 7: return Watch{key(), roll(2) == 0 ? std::optional<std::string>("z") : std::nullopt, start()};
      case 8:
      case 9:
      case 10: return Txn{{compare()}, operations(), operations()};
      default: return put();
    }
  }
  void seen(std::int64_t revision) { revision_ = revision; }
  void compacted(std::int64_t revision) { compacted_ = revision; }

 private:
  int roll(int n) { return static_cast<int>(dice_() % static_cast<unsigned>(n)); }
  std::string key() { return std::string(1, static_cast<char>('k' + roll(3))); }
  std::optional<std::int64_t> revision() { return std::max<std::int64_t>(1, revision_ + 1 - roll(10)); }
  // Of its own revision a compaction forgets deletions some time later.
  std::optional<std::int64_t> start() {
    const std::int64_t from = *revision();
    if (roll(3) == 0) return std::nullopt;
    return from == compacted_ ? from + 1 : from;
  }
  Put put() {
    return {key(), roll(2) == 0 ? "a" : "b",
            roll(2) == 0 ? std::optional<std::int64_t>(1 + roll(3)) : std::nullopt};
  }
  std::vector<Operation> operations() {
    std::vector<Operation> all;
    for (int i = roll(4); i > 0; --i) {
      switch (roll(3)) {
        case 0: all.push_back(Get{"a", kAll, {}}); break;
        case 1: all.push_back(DeleteRange{key(), {}}); break;
        default: all.push_back(put());
      }
    }
    return all;
  }
  Compare compare() {
    static constexpr const char* kResults[] = {"EQUAL", "NOT_EQUAL", "GREATER", "LESS"};
    Compare made;
    made.key = key();
    made.result = kResults[roll(4)];
    switch (roll(5)) {
      case 0: made.version = roll(3); break;
      case 1: made.create_revision = roll(2) == 0 ? 0 : *revision(); break;
      case 2: made.mod_revision = *revision(); break;
      case 3: made.lease = roll(4); break;
      default: made.value = roll(2) == 0 ? "a" : "b";
    }
    return made;
  }

  std::mt19937 dice_;
  std::int64_t revision_ = 1;
  std::int64_t compacted_ = 0;
};

// What is left of a lease, in whole seconds, may have changed on the way.
void forgive_a_second(Json& said, const Json& own) {
  if (!said.contains("grantedTTL") || !own.contains("TTL")) return;
  const int difference = std::stoi(said["TTL"].get<std::string>()) - std::stoi(own["TTL"].get<std::string>());
  if (difference == 1 || difference == -1) said["TTL"] = own["TTL"];
}

TEST(BesideEtcd, drawn_histories_get_the_same_replies) {
  const EtcdServer etcd;
  Machine machine;
  History history(1);
  std::map<std::uint64_t, std::unique_ptr<EtcdWatch>> watches;
  std::vector<std::string> differences;
  int errors = 0;
  int told = 0;
  const auto compare = [&](const Request& request, Json said, const Json& own) {
    said = plain(std::move(said));
    forgive_a_second(said, own);
    if (own.contains("error")) ++errors;
    if (said != own)
      differences.push_back(fmt::format("{} {}: etcd says {}, the machine {}", path_of(request),
                                        std::visit(Asking{}, request).dump(), said.dump(), own.dump()));
  };
  std::map<std::uint64_t, Request> waiting;
  for (std::uint64_t i = 0; i < 800 && differences.empty(); ++i) {
    const Request request = history.some_request();
    if (const auto* watch = std::get_if<Watch>(&request)) {
      auto real = std::make_unique<EtcdWatch>(etcd, Asking{}(*watch));
      const auto own = machine.begin(i, request, clock_now());
      if (own) {
        compare(request, real->first(seconds(10)).value_or("nothing"), *own);
      } else {
        watches.emplace(i, std::move(real));
        waiting.emplace(i, request);
      }
      continue;
    }
    const auto own = machine.begin(i, request, clock_now());
    const Json said = etcd.post(path_of(request), std::visit(Asking{}, request));
    ASSERT_TRUE(own.has_value());
    compare(request, said, *own);
    if (said.contains("header")) {
      history.seen(std::stoll(said["header"]["revision"].get<std::string>()));
      if (const auto* compact = std::get_if<Compact>(&request)) history.compacted(compact->revision);
    }
    std::erase_if(watches, [&](const auto& each) {
      const auto answer = machine.completed().find(each.first);
      if (answer == machine.completed().end()) return false;
      compare(waiting.at(each.first), each.second->first(seconds(10)).value_or("nothing"),
              answer->second.said);
      ++told;
      return true;
    });
  }
  EXPECT_EQ(differences, std::vector<std::string>{});
  EXPECT_GT(errors, 60);
  EXPECT_GT(told, 20) << "watches that had to wait";
  std::this_thread::sleep_for(milliseconds(300));
  for (const auto& [ticket, real] : watches) EXPECT_EQ(real->told().size(), 0U) << waiting.at(ticket).index();
}

// ---- the end of leases ---------------------------------------------------------------------------------------------

Instant deleted_at(const EtcdWatch& watch, const std::string& key) {
  for (const EtcdWatch::Told& told : watch.told())
    for (const Json& event : told.response["events"])
      if (event.value("type", "") == "DELETE" && event["kv"]["key"] == base64(key)) return told.at;
  return {};
}
std::string revision_of_deletion(const EtcdWatch& watch, const std::string& key) {
  for (const EtcdWatch::Told& told : watch.told())
    for (const Json& event : told.response["events"])
      if (event.value("type", "") == "DELETE" && event["kv"]["key"] == base64(key))
        return event["kv"]["mod_revision"];
  return "none";
}

constexpr milliseconds kLook{500};
constexpr milliseconds kPatience{4'000};  // of a busy machine
constexpr milliseconds kPrompt{250};      // what it takes mostly

// A lease with two keys, granted and renewed when its time comes.
struct DrawnLease {
  std::int64_t id = 0;
  std::int64_t ttl = 2;
  std::vector<Instant> acts;  // the grant, then renewals
  Instant earliest_end;
  Instant latest_end;
};

TEST(BesideEtcd, leases_end_when_the_machines_do) {
  const EtcdServer etcd;
  Machine machine;
  std::mt19937 dice(2);
  const auto roll = [&dice](int n) {
    return milliseconds(static_cast<int>(dice() % static_cast<unsigned>(n)));
  };
  const EtcdWatch watch(etcd, Asking{}(Watch{"a", kAll, {}}));
  std::vector<DrawnLease> leases(16);
  std::multimap<Instant, DrawnLease*> acts;
  const Instant begin = clock_now() + milliseconds(100);
  for (std::size_t i = 0; i < leases.size(); ++i) {
    DrawnLease& lease = leases[i];
    lease.id = static_cast<std::int64_t>(i + 1);
    lease.ttl = 2 + static_cast<std::int64_t>(i % 2);
    Instant at = begin + roll(1'500);
    acts.emplace(at, &lease);
    for (std::size_t renewals = i % 3; renewals > 0; --renewals)
      acts.emplace(at += milliseconds(300) + roll(1'200), &lease);
  }
  std::uint64_t ticket = 1'000;
  const auto both = [&](const Request& request) {
    const Instant before = clock_now();
    const auto own = machine.begin(++ticket, request, before);
    Json said = plain(etcd.post(path_of(request), std::visit(Asking{}, request)));
    said["header"] = own.value()["header"];  // other looks, other revisions
    EXPECT_EQ(said, *own);
    return before;
  };
  for (const auto& [at, lease] : acts) {
    std::this_thread::sleep_until(at);
    const bool first = lease->earliest_end == Instant{};
    const Instant before =
        both(first ? Request{LeaseGrant{lease->ttl, lease->id}} : LeaseKeepAlive{lease->id});
    lease->earliest_end = before + seconds(lease->ttl);
    lease->latest_end = clock_now() + seconds(lease->ttl);
    if (!first) continue;
    for (const char* part : {"a", "b"}) {
      const std::string key = fmt::format("lease-{}-{}", lease->id, part);
      both(Put{key, "x", lease->id});
      machine.begin(static_cast<std::uint64_t>(lease->id) * 10 + static_cast<std::uint64_t>(part[0] - 'a'),
                    Watch{key, {}, {}}, clock_now());
    }
  }
  // One that is renewed too late is answered when it has been revoked.
  const DrawnLease& late = leases.front();
  std::this_thread::sleep_until(late.latest_end + milliseconds(1));
  const Json answer = etcd.post("/v3/lease/keepalive", Asking{}(LeaseKeepAlive{late.id}));
  EXPECT_EQ(answer.value("TTL", "0"), "0");
  EXPECT_NE(deleted_at(watch, "lease-1-a"), Instant{}) << "and not before";

  Instant last;
  for (const DrawnLease& lease : leases) last = std::max(last, lease.latest_end);
  std::this_thread::sleep_until(last + kLook + kPrompt);
  const auto all_gone = [&] {
    return std::ranges::all_of(leases, [&](const DrawnLease& lease) {
      return deleted_at(watch, fmt::format("lease-{}-b", lease.id)) != Instant{};
    });
  };
  for (const Instant until = clock_now() + kPatience; !all_gone() && clock_now() < until;)
    std::this_thread::sleep_for(milliseconds(20));
  machine.go_to(clock_now());

  int prompt = 0;
  for (const DrawnLease& lease : leases) {
    const std::string key = fmt::format("lease-{}-a", lease.id);
    const Instant real = deleted_at(watch, key);
    EXPECT_GE(real, lease.earliest_end) << key;
    EXPECT_LE(real, lease.latest_end + kLook + kPatience) << key;
    if (real <= lease.latest_end + kLook + kPrompt) ++prompt;
    EXPECT_EQ(revision_of_deletion(watch, key),
              revision_of_deletion(watch, fmt::format("lease-{}-b", lease.id)))
        << "by one commit";
    const auto own = machine.completed().find(static_cast<std::uint64_t>(lease.id) * 10);
    ASSERT_NE(own, machine.completed().end()) << key;
    EXPECT_GE(own->second.at, lease.earliest_end) << key;
    EXPECT_LE(own->second.at, lease.earliest_end + kLook) << key;
  }
  EXPECT_GE(prompt, static_cast<int>(leases.size() / 2)) << "looks every half second";
}

// It is down for a while: the machine is told of the beginning and of the end of that.
TEST(BesideEtcd, a_server_that_is_started_again_begins_every_lease_anew) {
  EtcdServer etcd;
  Machine machine;
  const Request requests[] = {LeaseGrant{3, 1}, Put{"k", "a", 1}};
  for (const Request& request : requests) {
    const auto own = machine.begin(0, request, clock_now());
    EXPECT_EQ(plain(etcd.post(path_of(request), std::visit(Asking{}, request))), own.value());
  }
  std::this_thread::sleep_for(milliseconds(2'000));
  etcd.kill();
  const Instant killed = clock_now();
  machine.restart(killed);
  etcd.start();
  const Instant up = clock_now();
  machine.restart(up);
  const Watch asked{"k", {}, {}};
  EXPECT_FALSE(machine.begin(1, asked, up).has_value());
  EtcdWatch watch(etcd, Asking{}(asked));
  const auto told = watch.first(seconds(10));
  machine.go_to(clock_now() + kLook);
  const auto own = machine.completed().find(1);
  ASSERT_NE(own, machine.completed().end());
  EXPECT_EQ(plain(told.value_or("nothing")), own->second.said);
  const auto anew = seconds(3) + seconds(1);  // and the time-out of an election
  for (const Instant deleted : {deleted_at(watch, "k"), own->second.at}) {
    EXPECT_GE(deleted, killed + anew);
    EXPECT_LE(deleted, up + anew + kLook + kPatience);
  }
}

}  // namespace
}  // namespace tenure::etcd
