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

#include "tests/sim/stores/beside_etcd/etcd_server.h"
#include "tests/sim/stores/beside_etcd/gateway.h"

namespace tenure::etcd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string kAll(1, '\0');

// ---- whatever no clock decides -------------------------------------------------------------------------------------

class History {
 public:
  explicit History(unsigned number) : dice_(number) {}

  Request some_request() {
    switch (roll(14)) {
      case 0: return Get{"a", kAll, revision(), roll(2) == 0};
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
  for (const EtcdWatch::NarratedEvent& told : watch.told())
    for (const Json& event : told.response["events"])
      if (event.value("type", "") == "DELETE" && event["kv"]["key"] == base64(key)) return told.at;
  return {};
}
std::string revision_of_deletion(const EtcdWatch& watch, const std::string& key) {
  for (const EtcdWatch::NarratedEvent& told : watch.told())
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
  const Json gone = etcd.post("/v3/kv/range", Asking{}(Get{"lease-1-a", {}, {}}));
  EXPECT_FALSE(gone.contains("kvs")) << "and not before";

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
  const Request requests[] = {LeaseGrant{5, 1}, Put{"k", "a", 1}};
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
  const auto told = watch.first(seconds(20));
  machine.go_to(clock_now() + kLook);
  const auto own = machine.completed().find(1);
  ASSERT_NE(own, machine.completed().end());
  EXPECT_EQ(plain(told.value_or("nothing")), own->second.said);
  const auto anew = seconds(5) + seconds(1);  // and the time-out of an election
  for (const Instant deleted : {deleted_at(watch, "k"), own->second.at}) {
    EXPECT_GE(deleted, killed + anew);
    EXPECT_LE(deleted, up + anew + kLook + kPatience);
  }
}

}  // namespace
}  // namespace tenure::etcd
