// What happens to stores, and to the connections between nodes and stores.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/check.h"
#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/store_outage.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

using enum FaultParameterSpec::Type;

// A store that does not do what it is asked, on all requests or a share of them, for as long as the fault lasts.
constexpr FaultKind lasting_fault(FaultKind kind) {
  kind.acts = FaultKind::Acts::on_store;
  kind.family = FaultFamily::store;
  kind.lasts = true;
  kind.needs_traffic = true;
  kind.end = [](World& world, const FaultInjection& strike) {
    for (const StoreId store : strike.stores) world.store(store).turn_back(strike.id);
  };
  return kind;
}

void turn_stores(World& world, const FaultInjection& strike, const StoreKnobs& knobs) {
  for (const StoreId store : strike.stores) world.store(store).turn(strike.id, knobs);
}

// FaultKind::begin: turns one knob of each store that is struck.
template <auto kKnob>
void turn_store(World& world, const FaultInjection& strike) {
  turn_stores(world, strike, turned(kKnob, strike));
}

constexpr FaultParameterSpec kShareRefused[] = {
    {.name = "rate", .type = fraction, .default_text = "1", .doc = "the share that is refused, 0 to 1"}};
constexpr FaultParameterSpec kShareLost[] = {
    {.name = "rate", .type = fraction, .default_text = "1", .doc = "the share that is lost, 0 to 1"}};

}  // namespace

// Its data stay, but for unlogged tables.
constinit const FaultKind kStoreDown =
    lasting_fault({.name = "store-down",
                   .summary = "the store refuses connections, and loses what it was executing",
                   .harm = {FaultCause::store, Manner::cuts},
                   .breaks = breaking<Assumption::prompt_store>,
                   .begin = turn_store<&StoreKnobs::down>});

constinit const FaultKind kStoreHang =
    lasting_fault({.name = "store-hang",
                   .summary = "the store accepts requests but stands still, and then executes them all",
                   .harm = {FaultCause::store, Manner::cuts},
                   .breaks = breaking<Assumption::prompt_store>,
                   .begin = turn_store<&StoreKnobs::hang>});

// It answers promptly, and not to the purpose: whoever has to renew cannot.
constinit const FaultKind kStoreReject = lasting_fault(
    {.name = "store-reject",
     .summary =
         "the store refuses requests as overloaded with probability `rate`, and executes none of those",
     .harm = {FaultCause::store, Manner::cuts},
     .parameters = kShareRefused,
     .breaks = breaking<Assumption::prompt_store>,
     .begin = turn_store<&StoreKnobs::rejected_ppm>});

// The classic unknown outcome.
constinit const FaultKind kStoreAckLost =
    lasting_fault({.name = "store-ack-lost",
                   .summary = "requests are executed, and their answers are lost with probability `rate`",
                   .harm = {FaultCause::store, Manner::cuts},
                   .parameters = kShareLost,
                   .breaks = breaking<Assumption::prompt_store>,
                   .begin = turn_store<&StoreKnobs::ack_lost_ppm>});

// Nobody is told.
constinit const FaultKind kStoreRequestLost =
    lasting_fault({.name = "store-request-lost",
                   .summary = "requests vanish before they are executed, with probability `rate`",
                   .harm = {FaultCause::store, Manner::cuts},
                   .parameters = kShareLost,
                   .breaks = breaking<Assumption::prompt_store>,
                   .begin = turn_store<&StoreKnobs::request_lost_ppm>});

namespace {

constexpr FaultParameterSpec kStoreSlowParameters[] = {
    {.name = "latency", .type = duration, .doc = "added to the execution of each request"}};

// Each of them holds its place, and the ones behind it wait: how many, nobody knows beforehand.
std::vector<Assumption> slow_breaks(const FaultSetting& fault, const Scenario&, const Bounds& bounds) {
  if (!may_be_noticed(bounds, longest_latency(fault))) return {};
  return {Assumption::prompt_store};
}

}  // namespace

constinit const FaultKind kStoreSlow = lasting_fault({.name = "store-slow",
                                                      .summary = "each execution takes `latency` longer",
                                                      .harm = {FaultCause::store, Manner::hinders},
                                                      .parameters = kStoreSlowParameters,
                                                      .breaks = slow_breaks,
                                                      .begin = turn_store<&StoreKnobs::slow>,
                                                      .lingers = longest_latency});

namespace {

constexpr std::string_view kModes[] = {"share", "exclusive"};
constexpr FaultParameterSpec kStoreLockHeldParameters[] = {
    {.name = "mode",
     .type = choice,
     .default_text = "exclusive",
     .choices = kModes,
     .doc = "share: as a stalled commit of fires (FOR KEY SHARE), stops what changes the holder, but neither "
            "renewals "
            "nor commits; exclusive: as a stalled acquire (FOR UPDATE), stops all that touches the row"}};

RowLock lock_of(std::string_view mode) { return mode == "share" ? RowLock::key_share : RowLock::update; }

std::vector<Assumption> lock_held_breaks(const FaultSetting& fault, const Scenario& scenario,
                                         const Bounds& bounds) {
  if (fault.duration && !may_outlast_a_request(scenario, bounds, fault.duration->high)) return {};
  return {Assumption::prompt_store};
}

}  // namespace

// A transaction stalled half way, and whoever needs the row waits at the server, holding a place as a connection does.
// When the lock goes, what waited is executed, at the store's time then. Which request locks the row, and how, each
// store machine says (core/store/row_lock.h). A transaction dies with its server: when that fails over or goes down,
// its lock is gone.
constinit const FaultKind kStoreLockHeld = lasting_fault(
    {.name = "store-lock-held",
     .summary =
         "a stalled transaction holds the lease row: what needs it waits at the store until the lock goes",
     .harm = {FaultCause::store, Manner::hinders},
     .parameters = kStoreLockHeldParameters,
     .breaks = lock_held_breaks,
     .begin =
         [](World& world, const FaultInjection& strike) {
           StoreKnobs knobs;
           knobs.lease_lock = lock_of(strike.choice("mode"));
           turn_stores(world, strike, knobs);
         },
     .in_vain = [](const World& world, const FaultInjection& strike, NodeId) -> const char* {
       const bool somebody_waits = world.waits_for(lock_of(strike.choice("mode")));
       return somebody_waits ? nullptr : "no request of its protocol waits for such a lock";
     }});

namespace {

// The parts of a store's service that can fail alone, in the order of OutageOf.
constexpr std::array<std::string_view, 8> kOutageWords = {
    "elector", "scheduler", "commits", "acknowledgements", "reads", "due", "outbox", "changes"};
constexpr std::array<std::string_view, 2> kAnswers = {"rejected", "none"};
constexpr FaultParameterSpec kStorePartialParameters[] = {
    {.name = "of",
     .type = choice,
     .default_text = "scheduler",
     .choices = kOutageWords,
     .doc = "what fails: a connection (elector, scheduler), or a kind of request"},
    {.name = "answer",
     .type = choice,
     .default_text = "rejected",
     .choices = kAnswers,
     .doc = "what is answered; either way it is not executed"},
    {.name = "rate", .type = fraction, .default_text = "1", .doc = "the share that fails, 0 to 1"}};
constexpr FaultParameterSpec kRightsLostParameters[] = {{.name = "of",
                                                         .type = choice,
                                                         .default_text = "commits",
                                                         .choices = kOutageWords,
                                                         .doc = "what is refused"}};

// What fails, and for whom.
StoreOutage outage_of(const FaultInjection& strike) {
  const auto* const found = std::ranges::find(kOutageWords, strike.choice("of"));
  CHECK(found != kOutageWords.end(), "a choice is one of its words");
  return {.of = static_cast<OutageOf>(found - kOutageWords.begin()), .nodes = strike.nodes};
}

void break_stores(World& world, const FaultInjection& strike, const StoreOutage& outage) {
  for (const StoreId store : strike.stores) world.store(store).break_part(strike.id, outage);
}

void fail_in_part(World& world, const FaultInjection& strike) {
  StoreOutage outage = outage_of(strike);
  outage.ppm = strike.number("rate");
  outage.silent = strike.choice("answer") == "none";
  break_stores(world, strike, outage);
}

void take_rights(World& world, const FaultInjection& strike) {
  StoreOutage outage = outage_of(strike);
  outage.why = Rejection::not_permitted;
  break_stores(world, strike, outage);
}

constexpr FaultKind lasting_fault_of_nodes(FaultKind kind) {
  kind = lasting_fault(kind);
  kind.acts = FaultKind::Acts::on_nodes;
  kind.needs_store = true;
  return kind;
}

}  // namespace

// A pool that is exhausted, a statement that always meets its timeout, a table that is locked or damaged.
constinit const FaultKind kStorePartial = lasting_fault_of_nodes(
    {.name = "store-partial",
     .summary = "`of` fails with probability `rate`, for the target or for all, and all else works",
     .harm = {FaultCause::store, Manner::cuts},
     .needs_target = false,
     .parameters = kStorePartialParameters,
     .breaks = breaking<Assumption::prompt_store>,
     .begin = fail_in_part});

// As after a REVOKE: what the account may not do is refused at once, and all else goes on. A leader that may renew and
// may not commit is the worst of them: nobody takes over.
constinit const FaultKind kRightsLost = lasting_fault_of_nodes(
    {.name = "rights-lost",
     .summary = "the target's account may not do `of` any more: the store refuses that, and answers all else",
     .harm = {FaultCause::store, Manner::cuts},
     .parameters = kRightsLostParameters,
     .breaks = breaking<Assumption::prompt_store>,
     .begin = take_rights});

// The driver sees at once that the connections break, and answers all that was under way; the store may still execute
// what had arrived, or was on the wire.
const FaultKind kStoreSessionLoss = {
    .name = "store-session-loss",
    .summary =
        "the target's connections to the store break, and what was under way is answered `unknown` at once",
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::takes_away},
    .needs_target = false,
    .needs_store = true,
    // An acknowledgement that was to come does not.
    .breaks = breaking<Assumption::prompt_store>,
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes) world.process(node).lose_sessions();
        },
    .in_vain = [](const World& world, const FaultInjection&, NodeId node) -> const char* {
      return world.process(node).awaits_store() ? nullptr : "its target awaited no answer from the store";
    }};

// A queue promises to deliver at least once. Real queues deliver once more when a server that keeps a copy missed the
// receipt.
const FaultKind kStoreRedelivery = {
    .name = "store-redelivery",
    .summary = "the queue delivers each message that is hidden to one receiver more",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::takes_away},
    .needs_redelivery = true,
    .breaks = breaking<>,  // it is what the queue promises
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const StoreId store : strike.stores) world.store(store).deliver_again();
        },
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId) -> const char* {
      const bool any = std::ranges::any_of(
          strike.stores, [&world](StoreId store) { return world.store(store).can_deliver_again(); });
      return any ? nullptr : "no message was hidden";
    }};

namespace {

constexpr FaultParameterSpec kStoreFailoverParameters[] = {
    {.name = "lag",
     .type = duration,
     .default_text = "2s",
     .doc = "from the last commit that the replica has to its promotion, at the latest at the heal"}};

void fail_over(World& world, const FaultInjection& strike) {
  const TrueTime phase_ends = TrueTime{} + world.scenario().duration;
  const TrueTime fails_over = std::min(world.now() + strike.length("lag"), phase_ends);
  for (const StoreId store : strike.stores) {
    world.store(store).stall_replica();
    world.at(fails_over, [&world, store] { world.fail_over(store); });
  }
}

}  // namespace

// Replication stands still from the strike on; after `lag` the primary is gone for good, and the replica is promoted
// with what it had: all that was committed meanwhile is lost, although it was acknowledged.
// docs/adr/0009-what-a-failover-takes-back.md says what that means for those who judge.
const FaultKind kStoreFailover = {
    .name = "store-failover",
    .summary =
        "the store fails over, after `lag`, to a replica that has nothing of what is committed from now on",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::failover,
    .harm = {FaultCause::store, Manner::fails_over},
    .parameters = kStoreFailoverParameters,
    // What was under way at the old primary is never answered.
    .breaks = breaking<Assumption::no_lost_commits, Assumption::prompt_store>,
    .begin = fail_over,
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId) -> const char* {
      const bool again = std::ranges::any_of(
          strike.stores, [&world](StoreId store) { return world.store(store).replica_stalled(); });
      return again ? "a failover is under way already" : nullptr;
    }};

namespace {

constexpr std::array<std::string_view, 3> kLeaders = {"cut-off", "stalled", "elsewhere"};
constexpr std::array<std::string_view, 3> kConfirms = {"never", "stalled", "always"};
constexpr FaultParameterSpec kStoreMinorityParameters[] = {
    {.name = "leader",
     .type = choice,
     .default_text = "cut-off",
     .choices = kLeaders,
     .doc = "the store's leader is cut off with the target, and `notices`; or it is one whose disk stands "
            "still, does not notice before the end, and then revokes what it has not seen renewed; or it is "
            "elsewhere"},
    {.name = "elects",
     .type = duration,
     .default_text = "1s..2s",
     .doc = "until the majority has a new leader, if it needs one"},
    {.name = "notices",
     .type = duration,
     .default_text = "1s..2s",
     .doc = "for how long a leader that is cut off answers renewals"},
    {.name = "confirms",
     .type = choice,
     .default_text = "never",
     .choices = kConfirms,
     .doc = "which leader asks a majority before it renews or revokes a lease: none (etcd before 3.4.31, "
            "3.5.13 and 3.6.0), one that has stood still (from 3.4.34, 3.5.16 and 3.6.0 on), or each (in "
            "between)"}};

// What a new leader adds to each lease makes up for the renewals that the old one answered meanwhile, if the old one
// notices early enough. Otherwise what was acknowledged is lost.
constexpr Duration kExtension = Duration::seconds(1);

bool confirms(std::string_view leader, std::string_view which) {
  return which == "always" || (which == "stalled" && leader == "stalled");
}

std::vector<Assumption> minority_breaks(const FaultSetting& fault, const Scenario&, const Bounds&) {
  const Duration elects = value_of<Range<Duration>>(fault, "elects").low;
  const bool notices_early = longest(fault, "notices") <= elects + kExtension;
  const auto& leader = value_of<std::string>(fault, "leader");
  if (leader == "elsewhere" || (leader == "cut-off" && notices_early) ||
      confirms(leader, value_of<std::string>(fault, "confirms")))
    return {Assumption::prompt_store};
  return {Assumption::prompt_store, Assumption::no_lost_commits};
}

void part_servers(World& world, const FaultInjection& strike) {
  const std::string_view leader = strike.choice("leader");
  for (const StoreId store : strike.stores) {
    world.store(store).part_servers(
        strike.id, {strike.nodes, leader != "elsewhere", confirms(leader, strike.choice("confirms"))});
    if (leader == "elsewhere") continue;
    world.at(world.now() + strike.length("elects"),
             [&world, store, id = strike.id] { world.store(store).elect(id); });
    if (leader == "stalled") continue;
    world.at(world.now() + strike.length("notices"),
             [&world, store, id = strike.id] { world.store(store).depose_old_leader(id); });
  }
}

void rejoin_servers(World& world, const FaultInjection& strike) {
  const std::string_view leader = strike.choice("leader");
  const bool revokes = leader == "stalled" && !confirms(leader, strike.choice("confirms"));
  for (const StoreId store : strike.stores) world.store(store).rejoin_servers(strike.id, revokes);
}

}  // namespace

// Where the old leader is decides what the minority still answers: sim/stores/etcd/README.md.
const FaultKind kStoreMinority = {
    .name = "store-minority",
    .summary = "the store's servers cannot reach each other, and the target reaches a minority of them only",
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::cuts},
    .lasts = true,
    .needs_store = true,
    .needs_cluster = true,
    .parameters = kStoreMinorityParameters,
    .breaks = minority_breaks,
    .begin = part_servers,
    .end = rejoin_servers,
    .in_vain = [](const World& world, const FaultInjection& strike, NodeId) -> const char* {
      const bool again = std::ranges::any_of(
          strike.stores, [&world](StoreId store) { return world.store(store).servers_parted(); });
      return again ? "the servers are parted already" : nullptr;
    }};

}  // namespace tenure::sim
