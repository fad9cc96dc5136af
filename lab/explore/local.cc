#include "lab/explore/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"
#include "core/model/instance.h"
#include "lab/explore/acting.h"
#include "lab/explore/step_env.h"
#include "lab/explore/wire.h"

namespace tenure::sim::explore {
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

using Kind = Parcel::Kind;
using Stage = Parcel::Stage;

bool same_connection(const Parcel& a, const Parcel& b) {
  return a.kind == Kind::request && b.kind == Kind::request && a.id.incarnation == b.id.incarnation &&
         a.part == b.part && a.connection == b.connection;
}

// Nothing sent earlier on its connection is in the same stage.
bool is_next(const Local& local, std::size_t index) {
  const Parcel& parcel = local.parcels[index];
  for (std::size_t i = 0; i < index; ++i) {
    const Parcel& earlier = local.parcels[i];
    if (same_connection(earlier, parcel) && earlier.stage == parcel.stage) return false;
  }
  return true;
}

bool has_effects(const Local& local) {
  return std::any_of(local.parcels.begin(), local.parcels.end(),
                     [](const Parcel& parcel) { return parcel.stage == Stage::queued; });
}

// Connections matter only in so far as two parcels are, or are not, on the same one.
std::uint64_t connection_name(const Canon& canon, std::uint32_t life, Part part, std::uint32_t connection) {
  return canon.name((std::uint64_t{1} << 62) | (std::uint64_t{life} << 40) |
                    (std::uint64_t{connection} << 8) | static_cast<std::uint64_t>(part));
}

bool awaits_answer(const Parcel& parcel) {
  return parcel.kind == Kind::request && parcel.awaited && parcel.stage != Stage::queued;
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

MonoTime Rules::mono(TrueTime now) const { return MonoTime::from_ns(now.ns()); }
WallTime Rules::wall(NodeId node, TrueTime now) const {
  return WallTime::from_ns(settings_.start_ns + now.ns()) + settings_.instances[node.value].wall_offset;
}
StoreTime Rules::store_now(TrueTime now) const {
  return StoreTime::from_ns(settings_.start_ns + now.ns()) + settings_.store_offset;
}

bool Rules::believes(const Local& local) const {
  if (!local.belief) return false;
  if (const auto* until = std::get_if<MonoTime>(&local.belief->until)) return mono(local.now) < *until;
  if (const auto* until = std::get_if<WallTime>(&local.belief->until))
    return wall(local.node, local.now) < *until;
  return true;
}

std::vector<Move> Rules::moves(const Local& local) const {
  std::vector<Move> moves;
  const MonoTime now = mono(local.now);
  const auto add = [&](MoveKind kind, std::size_t index = 0) {
    CHECK(index < kParcelsMax, "a protocol bounds what it has under way");
    moves.push_back({kind, static_cast<std::uint8_t>(index), false});
    if (settings_.jitter_ends && draws(kind)) moves.push_back({kind, static_cast<std::uint8_t>(index), true});
  };
  if (local.process == nullptr) add(MoveKind::start);
  if (local.running()) {
    for (std::size_t i = 0; i < local.timers.size(); ++i) {
      if (local.timers[i].deadline <= now) add(MoveKind::timer, i);
    }
    if (has_effects(local)) add(MoveKind::leave);
  }
  for (std::size_t i = 0; i < local.parcels.size(); ++i) {
    const Parcel& parcel = local.parcels[i];
    const bool travels = parcel.stage == Stage::travelling;
    if (parcel.kind == Kind::request && travels && is_next(local, i)) add(MoveKind::execute, i);
    if (parcel.kind == Kind::work && travels) add(MoveKind::land, i);
    const bool arrives = parcel.stage == Stage::answered || (parcel.kind == Kind::notification && travels);
    if (arrives && local.running() && is_next(local, i)) add(MoveKind::hear, i);
    if (awaits_answer(parcel) && local.running() && parcel.deadline <= now) add(MoveKind::give_up, i);
    if (parcel.kind != Kind::work && (travels || parcel.stage == Stage::answered)) add(MoveKind::lose, i);
  }
  if (local.running() && !local.stopping && settings_.budgets.stops > 0) add(MoveKind::stop);
  if (local.running()) add(MoveKind::pause);
  if (local.paused) add(MoveKind::resume);
  if (local.process != nullptr) add(MoveKind::crash);
  return moves;
}

void Rules::apply(Local& local, Move move, Seen& seen) const {
  const std::size_t index = move.index;
  switch (move.kind) {
    case MoveKind::start: return start(local, move.high, seen);
    case MoveKind::timer: {
      const TimerId timer = local.timers[index].id;
      local.timers.erase(local.timers.begin() + move.index);
      return step(local, TimerFired{timer}, move.high, seen);
    }
    case MoveKind::leave: return leave(local, seen);
    case MoveKind::hear: return hear(local, index, move.high, seen);
    case MoveKind::give_up: return give_up(local, index, move.high, seen);
    case MoveKind::lose: return lose(local, index, seen);
    case MoveKind::stop: local.stopping = true; return step(local, StopAsked{}, move.high, seen);
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

void Rules::step(Local& local, const Input& input, bool high, Seen& seen) const {
  seen.stepped = true;
  tell(seen, [&] { return describe(input); });
  const std::shared_ptr<Node> copy = local.process->clone();
  StepEnv env(*this, local, high, seen);
  Env interfaces = env.interfaces();
  copy->step(input, interfaces);
  if (high && seen.chose) tell(seen, [] { return "its random waits come out longest"; });
  local.process = copy;
  end_if_finished(local, seen);
}

void Rules::start(Local& local, bool high, Seen& seen) const {
  ++local.life;
  const InstanceSettings& mine = settings_.instances[local.node.value];
  const auto cluster = static_cast<std::uint32_t>(settings_.instances.size());
  std::unique_ptr<Scheduler> acting;
  if (settings_.acting) acting = std::make_unique<Acting>(ResourceId{});
  local.process = std::make_shared<Instance>(
      settings_.protocol->make({local.node, cluster, StoreId{}, ResourceId{}, mine.election}),
      std::move(acting));
  step(local, Started{local.who(), cluster}, high, seen);
}

// What has left goes on; nobody waits for it.
void Rules::end_life(Local& local) const {
  local.process = nullptr;
  local.paused = local.stopping = local.finished = local.overtaken = false;
  local.timers.clear();
  local.belief.reset();
  local.requests = 0;
  local.connections = {};
  std::erase_if(local.parcels, [](const Parcel& parcel) {
    return parcel.stage != Stage::travelling || parcel.kind == Kind::notification;
  });
  for (Parcel& parcel : local.parcels) parcel.awaited = false;
}

void Rules::end_if_finished(Local& local, Seen& seen) const {
  if (!local.finished || has_effects(local)) return;
  end_life(local);
  tell(seen, [] { return "ends"; });
}

void Rules::leave(Local& local, Seen& seen) const {
  const auto first = std::find_if(local.parcels.begin(), local.parcels.end(),
                                  [](const Parcel& parcel) { return parcel.stage == Stage::queued; });
  first->stage = Stage::travelling;
  first->connection = local.connections[static_cast<std::size_t>(first->part)];
  tell(seen, [&] {
    return first->kind == Kind::work ? "its work leaves" : fmt::format("#{} leaves", first->id.counter);
  });
  end_if_finished(local, seen);
}

void Rules::hear(Local& local, std::size_t index, bool high, Seen& seen) const {
  const Parcel parcel = local.parcels[index];
  local.parcels.erase(local.parcels.begin() + static_cast<std::ptrdiff_t>(index));
  if (parcel.kind == Kind::notification)
    return step(local, ChangeNotified{parcel.store, parcel.notification}, high, seen);
  StoreReplied reply{.store = parcel.store,
                     .part = parcel.part,
                     .id = parcel.id,
                     .sent_at = parcel.sent_at,
                     .outcome = Outcome::applied,
                     .store_time = parcel.store_time,
                     .reply = *parcel.reply};
  step(local, reply, high, seen);
}

void Rules::give_up(Local& local, std::size_t index, bool high, Seen& seen) const {
  Parcel& parcel = local.parcels[index];
  const StoreReplied unknown{.store = parcel.store,
                             .part = parcel.part,
                             .id = parcel.id,
                             .sent_at = parcel.sent_at,
                             .store_time = {},
                             .reply = {}};
  parcel.awaited = false;
  ++local.connections[static_cast<std::size_t>(parcel.part)];
  if (parcel.stage != Stage::travelling)
    local.parcels.erase(local.parcels.begin() + static_cast<std::ptrdiff_t>(index));
  step(local, unknown, high, seen);
}

void Rules::lose(Local& local, std::size_t index, Seen& seen) const {
  Parcel& parcel = local.parcels[index];
  tell(seen, [&] {
    if (parcel.kind == Kind::notification) return std::string{"a notification is lost"};
    return fmt::format("{}#{} is lost", parcel.stage == Stage::answered ? "the answer to " : "",
                       parcel.id.counter);
  });
  if (parcel.awaited) {
    parcel.stage = Stage::lost;
  } else {
    local.parcels.erase(local.parcels.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

// When all are down or paused nothing is due, until one of them goes on. By then the store's leases may be over.
Duration Rules::to_next_instant(std::int64_t due_in) const {
  const Duration by = due_in == Facts::kNever ? rest_ : Duration::nanos(due_in);
  return settings_.tick > Duration{} ? std::min(by, settings_.tick) : by;
}

void Rules::advance(Local& local, Duration by) const {
  local.now += by;
  if (settings_.budgets.delays == kUnlimited) return;
  for (Parcel& parcel : local.parcels) {
    if (on_the_way(local, parcel)) parcel.delayed = true;
  }
}

Facts Rules::facts(const Local& local) const {
  Facts facts;
  const MonoTime now = mono(local.now);
  const auto due = [&](std::int64_t in) {
    if (in <= 0) facts.urgent = facts.urgent || local.running();
    if (in > 0) facts.due_in = std::min(facts.due_in, up_to_grain(in));
  };
  facts.life = local.life;
  facts.urgent = local.life == 0 || (local.running() && has_effects(local));
  for (const Timer& timer : local.timers) {
    if (timer.deadline != MonoTime::max()) due((timer.deadline - now).ns());
  }
  for (const Parcel& parcel : local.parcels) {
    if (awaits_answer(parcel)) due((parcel.deadline - now).ns());
    const bool counts = !parcel.delayed && settings_.budgets.delays != kUnlimited;
    if (counts && on_the_way(local, parcel)) ++facts.on_the_way;
  }
  facts.believes = believes(local);
  if (local.belief && local.belief->token) facts.epoch = local.belief->token->epoch;
  if (!facts.believes) return facts;
  if (const auto* until = std::get_if<MonoTime>(&local.belief->until)) due((*until - now).ns());
  if (const auto* until = std::get_if<WallTime>(&local.belief->until))
    due((*until - wall(local.node, local.now)).ns());
  return facts;
}

// What has left is in nobody's hands but the network's, unless it waits for a process that stands still.
bool Rules::on_the_way(const Local& local, const Parcel& parcel) const {
  if (parcel.stage == Stage::answered) return !local.paused;
  if (parcel.kind == Kind::notification) return !local.paused;
  return parcel.stage == Stage::travelling;
}

// Two Locals that hash alike go on alike: what is overdue is due, however long ago it was, and of a belief that has
// run out nothing is left but its token.
void Rules::hash(const Local& local, Hasher& hasher) const {
  const Canon canon(mono(local.now), wall(local.node, local.now));
  hasher.add(local.node).add(local.life).add(local.process != nullptr);
  if (local.process != nullptr) local.process->hash(hasher, canon);
  hasher.add(local.paused).add(local.stopping).add(local.finished).add(local.overtaken);
  hasher.add(local.timers.size());
  for (const Timer& timer : local.timers)
    hasher.add(timer.id.part).add(timer.id.name).add(std::max(std::int64_t{0}, canon.offset(timer.deadline)));
  for (std::uint8_t part = 0; part < 2 && local.process != nullptr; ++part)
    hasher.add(connection_name(canon, local.life, static_cast<Part>(part), local.connections[part]));
  hasher.add(local.parcels.size());
  for (const Parcel& parcel : local.parcels) hash(parcel, local, canon, hasher);
  hasher.add(local.belief.has_value());
  if (!local.belief) return;
  if (local.belief->token)
    hasher.add(local.belief->token->branch)
        .add(local.belief->token->epoch)
        .add(canon.name(local.belief->token->nonce));
  hasher.add(believes(local)).add(local.belief->until.index());
  if (!believes(local)) return;
  if (const auto* until = std::get_if<MonoTime>(&local.belief->until)) hasher.add(canon.offset(*until));
  if (const auto* until = std::get_if<WallTime>(&local.belief->until)) hasher.add(canon.offset(*until));
}

void Rules::hash(const Parcel& parcel, const Local& local, const Canon& canon, Hasher& hasher) const {
  hasher.add(parcel.kind).add(parcel.stage).add(parcel.delayed).add(parcel.id.incarnation);
  switch (parcel.kind) {
    case Kind::notification: hasher.add(parcel.notification.what).add(parcel.notification.resource); return;
    case Kind::work:
      hasher.add(parcel.overtaken).add(parcel.stale).add(parcel.item.token.has_value());
      if (parcel.item.token) hasher.add(parcel.item.token->branch).add(parcel.item.token->epoch);
      return;
    case Kind::request: break;
  }
  hasher.add(parcel.part).add(parcel.awaited);
  if (parcel.stage != Stage::queued)
    hasher.add(connection_name(canon, parcel.id.incarnation.number, parcel.part, parcel.connection));
  if (parcel.awaited) {
    hasher.add(canon.name(parcel.id.counter)).add(canon.offset(parcel.sent_at));
    hasher.add(std::max(std::int64_t{0}, canon.offset(parcel.deadline)));
  }
  if (parcel.stage == Stage::queued || parcel.stage == Stage::travelling)
    explore::hash(hasher, canon, *parcel.request);
  if (parcel.stage != Stage::answered) return;
  hasher.add(parcel.store_time - store_now(local.now));
  explore::hash(hasher, canon, store_now(local.now), *parcel.reply);
}

}  // namespace tenure::sim::explore
