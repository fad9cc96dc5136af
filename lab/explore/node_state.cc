#include "lab/explore/node_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"
#include "core/model/instance.h"
#include "lab/explore/explore_env.h"
#include "lab/explore/probe_scheduler.h"
#include "lab/explore/wire.h"

namespace tenure::lab::explore {
namespace {

// Instants are in whole microseconds, as stores' times are, so that every clock moves by whole ones.
constexpr std::int64_t kGrain = 1'000;
std::int64_t up_to_grain(std::int64_t ns) { return (ns + kGrain - 1) / kGrain * kGrain; }

// More than any protocol has under way: fenced-lease, which has the most, keeps 16 requests.
constexpr std::size_t kParcelsMax = 256;

// Moves in which a node is stepped, and so may draw.
bool draws(MoveKind kind) {
  return kind == MoveKind::start || kind == MoveKind::timer || kind == MoveKind::hear ||
         kind == MoveKind::give_up || kind == MoveKind::stop;
}

using Kind = Packet::Kind;
using Stage = Packet::Stage;

bool same_connection(const Packet& a, const Packet& b) {
  return a.kind == Kind::request && b.kind == Kind::request && a.id.incarnation == b.id.incarnation &&
         a.part == b.part && a.connection == b.connection;
}

// Nothing sent earlier on its connection is in the same stage.
bool is_next(const NodeState& local, std::size_t index) {
  const Packet& packet = local.packets[index];
  for (std::size_t i = 0; i < index; ++i) {
    const Packet& earlier = local.packets[i];
    if (same_connection(earlier, packet) && earlier.stage == packet.stage) return false;
  }
  return true;
}

// The driver's record of a request that is not answered.
const Driver::Pending* awaited(const NodeState& local, const Packet& packet) {
  return packet.kind == Kind::request ? local.driver.pending(packet.id) : nullptr;
}

// By then everything that an instance asked for is over: a microsecond more than its longest duration.
Duration everything_is_over(const ExploreSettings& settings) {
  std::int64_t longest = 0;
  for (const InstanceSettings& instance : settings.instances) {
    const std::span<const ParameterSpec> specs = instance.election.specs();
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (specs[i].type == ParameterSpec::Type::duration)
        longest = std::max(longest, instance.election.value(static_cast<int>(i)));
  }
  return Duration::nanos(up_to_grain(longest + 1));
}

}  // namespace

Rules::Rules(const ExploreSettings& settings) : settings_(settings), rest_(everything_is_over(settings)) {}

MonoTime Rules::mono(sim::TrueTime now) const { return MonoTime::from_ns(now.ns()); }
WallTime Rules::wall(NodeId node, sim::TrueTime now) const {
  return WallTime::from_ns(settings_.start_ns + now.ns()) + settings_.instances[node.value].wall_offset;
}
StoreTime Rules::store_now(sim::TrueTime now) const {
  return StoreTime::from_ns(settings_.start_ns + now.ns()) + settings_.store_offset;
}

NodeState Rules::make(NodeId node) const {
  NodeState local;
  local.driver = Driver(node, static_cast<std::uint32_t>(settings_.instances.size()));
  return local;
}

std::vector<Move> Rules::moves(const NodeState& local) const {
  std::vector<Move> moves;
  const MonoTime now = mono(local.now);
  const auto add = [&](MoveKind kind, std::size_t index = 0) {
    CHECK(index < kParcelsMax, "a protocol bounds what it has under way");
    moves.push_back({kind, static_cast<std::uint8_t>(index), false});
    if (settings_.jitter_ends && draws(kind)) moves.push_back({kind, static_cast<std::uint8_t>(index), true});
  };
  if (!local.driver.alive()) add(MoveKind::start);
  if (local.running()) {
    const std::vector<Driver::Timer>& timers = local.driver.timers();
    for (std::size_t i = 0; i < timers.size(); ++i) {
      if (timers[i].deadline <= now) add(MoveKind::timer, i);
    }
    if (local.driver.has_effects()) add(MoveKind::leave);
  }
  for (std::size_t i = 0; i < local.packets.size(); ++i) {
    const Packet& packet = local.packets[i];
    const bool travels = packet.stage == Stage::travelling;
    if (packet.kind == Kind::request && travels && is_next(local, i)) add(MoveKind::execute, i);
    if (packet.kind == Kind::work && travels) add(MoveKind::land, i);
    const bool arrives = packet.stage == Stage::answered || (packet.kind == Kind::notification && travels);
    if (arrives && local.running() && is_next(local, i)) add(MoveKind::hear, i);
    const Driver::Pending* pending = awaited(local, packet);
    if (pending != nullptr && local.running() && pending->deadline <= now) add(MoveKind::give_up, i);
    if (packet.kind != Kind::work && (travels || packet.stage == Stage::answered)) add(MoveKind::lose, i);
  }
  if (local.running() && !local.driver.stop_asked() && settings_.budgets.stops > 0) add(MoveKind::stop);
  if (local.running()) add(MoveKind::pause);
  if (local.paused) add(MoveKind::resume);
  if (local.driver.alive()) add(MoveKind::crash);
  return moves;
}

void Rules::apply(NodeState& local, Move move, StepEffects& seen) const {
  const std::size_t index = move.index;
  switch (move.kind) {
    case MoveKind::start: return start(local, move.high, seen);
    case MoveKind::timer: {
      ExploreEnv env(*this, local, move.high, seen);
      local.driver.fire(local.driver.timers()[index].id, readings(local), env);
      return settle(local, move.high, seen);
    }
    case MoveKind::leave: return leave(local, seen);
    case MoveKind::hear: return hear(local, index, move.high, seen);
    case MoveKind::give_up: return give_up(local, index, move.high, seen);
    case MoveKind::lose: return lose(local, index, seen);
    case MoveKind::stop: {
      ExploreEnv env(*this, local, move.high, seen);
      local.driver.deliver(local.who(), StopAsked{}, readings(local), env);
      return settle(local, move.high, seen);
    }
    case MoveKind::pause:
      local.paused = true;
      tell(seen, [] { return "is paused"; });
      return;
    case MoveKind::resume:
      local.paused = false;
      tell(seen, [] { return "goes on"; });
      return;
    case MoveKind::crash:
      end_life(local);
      tell(seen, [] { return "is killed"; });
      return;
    case MoveKind::execute:
    case MoveKind::land:
    case MoveKind::wait: break;
  }
  CHECK(false, "moves that concern others are made elsewhere");
}

void Rules::settle(NodeState& local, bool high, StepEffects& seen) const {
  if (high && seen.chose) tell(seen, [] { return "its random waits come out longest"; });
  if (local.driver.alive()) return;
  end_life(local);
  tell(seen, [] { return "ends"; });
}

void Rules::start(NodeState& local, bool high, StepEffects& seen) const {
  const InstanceSettings& mine = settings_.instances[local.node().value];
  const auto cluster = static_cast<std::uint32_t>(settings_.instances.size());
  std::unique_ptr<Scheduler> acting;
  if (settings_.acting) acting = std::make_unique<ProbeScheduler>(ResourceId{});
  auto instance = std::make_unique<Instance>(
      settings_.protocol->make({local.node(), cluster, StoreId{}, ResourceId{}, mine.election}),
      std::move(acting));
  ExploreEnv env(*this, local, high, seen);
  local.driver.start(std::move(instance), readings(local), env);
  settle(local, high, seen);
}

// What has left goes on; nobody waits for it.
void Rules::end_life(NodeState& local) const {
  local.driver.terminate();
  local.paused = local.overtaken = false;
  std::erase_if(local.packets, [](const Packet& packet) {
    return packet.stage != Stage::travelling || packet.kind == Kind::notification;
  });
}

void Rules::leave(NodeState& local, StepEffects& seen) const {
  const auto first = std::find_if(local.packets.begin(), local.packets.end(),
                                  [](const Packet& packet) { return packet.stage == Stage::queued; });
  CHECK(first != local.packets.end(), "each effect that waits has its packet");
  Effect effect = local.driver.leave();
  first->stage = Stage::travelling;
  if (auto* submit = std::get_if<SubmitEffect>(&effect)) {
    first->connection = submit->connection;
    first->request = std::make_shared<const Request>(std::move(submit->submission.request));
    tell(seen, [&] { return fmt::format("#{} leaves", submit->id.counter); });
  } else {
    first->item = std::get<WorkEffect>(effect).item;
    tell(seen, [] { return "its work leaves"; });
  }
  settle(local, false, seen);
}

void Rules::hear(NodeState& local, std::size_t index, bool high, StepEffects& seen) const {
  const Packet packet = local.packets[index];
  local.packets.erase(local.packets.begin() + static_cast<std::ptrdiff_t>(index));
  Input input = ChangeNotified{packet.store, packet.notification};
  if (packet.kind != Kind::notification) {
    StoreReplied reply;
    reply.id = packet.id;
    reply.outcome = RequestOutcome::applied;
    reply.store_time = packet.store_time;
    reply.reply = *packet.reply;
    input = std::move(reply);
  }
  ExploreEnv env(*this, local, high, seen);
  CHECK(local.driver.deliver(local.who(), std::move(input), readings(local), env),
        "an answer that nobody awaits does not travel");
  settle(local, high, seen);
}

void Rules::give_up(NodeState& local, std::size_t index, bool high, StepEffects& seen) const {
  const RequestId id = local.packets[index].id;
  const Stage stage = local.packets[index].stage;
  if (stage == Stage::answered || stage == Stage::lost)
    local.packets.erase(local.packets.begin() + static_cast<std::ptrdiff_t>(index));
  ExploreEnv env(*this, local, high, seen);
  local.driver.give_up(id, readings(local), env);
  settle(local, high, seen);
}

void Rules::lose(NodeState& local, std::size_t index, StepEffects& seen) const {
  Packet& packet = local.packets[index];
  tell(seen, [&] {
    if (packet.kind == Kind::notification) return std::string{"a notification is lost"};
    return fmt::format("{}#{} is lost", packet.stage == Stage::answered ? "the answer to " : "",
                       packet.id.counter);
  });
  if (awaited(local, packet) != nullptr) {
    packet.stage = Stage::lost;
  } else {
    local.packets.erase(local.packets.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

// When all are down or paused nothing is due, until one of them goes on. By then the store's leases may be over.
Duration Rules::to_next_instant(std::int64_t due_in) const {
  const Duration by = due_in == Facts::kNever ? rest_ : Duration::nanos(due_in);
  return settings_.tick > Duration{} ? std::min(by, settings_.tick) : by;
}

void Rules::advance(NodeState& local, Duration by) const {
  local.now += by;
  if (settings_.budgets.delays == kUnlimited) return;
  for (Packet& packet : local.packets) {
    if (on_the_way(local, packet)) packet.delayed = true;
  }
}

Facts Rules::facts(const NodeState& local) const {
  Facts facts;
  const MonoTime now = mono(local.now);
  const auto due = [&](std::int64_t in) {
    if (in <= 0) facts.urgent = facts.urgent || local.running();
    if (in > 0) facts.due_in = std::min(facts.due_in, up_to_grain(in));
  };
  facts.life = local.who().number;
  facts.urgent = facts.life == 0 || (local.running() && local.driver.has_effects());
  for (const Driver::Timer& timer : local.driver.timers()) {
    if (timer.deadline != MonoTime::max()) due((timer.deadline - now).ns());
  }
  for (const Driver::Pending& pending : local.driver.pending()) due((pending.deadline - now).ns());
  for (const Packet& packet : local.packets) {
    const bool counts = !packet.delayed && settings_.budgets.delays != kUnlimited;
    if (counts && on_the_way(local, packet)) ++facts.on_the_way;
  }
  facts.believes = believes(local);
  const std::optional<Believes>& belief = local.driver.belief();
  if (belief && belief->token) facts.epoch = belief->token->epoch;
  if (!facts.believes) return facts;
  if (const auto* until = std::get_if<MonoTime>(&belief->until)) due((*until - now).ns());
  if (const auto* until = std::get_if<WallTime>(&belief->until))
    due((*until - wall(local.node(), local.now)).ns());
  return facts;
}

// What has left is in nobody's hands but the network's, unless it waits for a process that stands still.
bool Rules::on_the_way(const NodeState& local, const Packet& packet) const {
  if (packet.stage == Stage::answered) return !local.paused;
  if (packet.kind == Kind::notification) return !local.paused;
  return packet.stage == Stage::travelling;
}

// Two NodeStates that hash alike go on alike. Packets that are queued stand for effects of the driver, in the same
// order.
void Rules::hash(const NodeState& local, Hasher& hasher) const {
  const Canon canon(mono(local.now), wall(local.node(), local.now));
  local.driver.hash(hasher, canon, explore::hash);
  hasher.add(local.paused).add(local.overtaken);
  hasher.add(local.packets.size());
  for (const Packet& packet : local.packets) hash(packet, local, canon, hasher);
}

void Rules::hash(const Packet& packet, const NodeState& local, const Canon& canon, Hasher& hasher) const {
  hasher.add(packet.kind).add(packet.stage).add(packet.delayed).add(packet.id.incarnation);
  if (packet.kind == Kind::notification) {
    hasher.add(packet.notification.what).add(packet.notification.resource);
    return;
  }
  if (packet.kind == Kind::work) hasher.add(packet.overtaken).add(packet.stale);
  if (packet.stage == Stage::queued) return;
  if (packet.kind == Kind::work) {
    hasher.add(packet.item.token.has_value());
    if (packet.item.token) hasher.add(packet.item.token->branch).add(packet.item.token->epoch);
    return;
  }
  hasher.add(Driver::connection_name(canon, packet.id.incarnation.number, packet.part, packet.connection));
  const bool is_awaited = awaited(local, packet) != nullptr;
  hasher.add(packet.part).add(is_awaited ? canon.name(packet.id.counter) : 0);
  if (packet.stage == Stage::travelling) explore::hash(hasher, canon, *packet.request);
  if (packet.stage != Stage::answered) return;
  hasher.add(packet.store_time - store_now(local.now));
  explore::hash(hasher, canon, store_now(local.now), *packet.reply);
}

}  // namespace tenure::lab::explore
