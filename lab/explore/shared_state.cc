#include "lab/explore/shared_state.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"
#include "core/store/store_kind.h"
#include "lab/explore/wire.h"

namespace tenure::lab::explore {
namespace {

using Kind = Packet::Kind;
using Stage = Packet::Stage;

// A grant is an extension of the greatest one, or greater.
Check judge(SharedState& outside, Incarnation who, const Reply& reply) {
  const auto* family = std::get_if<reference::Reply>(&reply);
  const auto* granted = family != nullptr ? std::get_if<reference::Granted>(family) : nullptr;
  if (granted == nullptr) return Check::none;
  const Token& token = granted->token;
  const bool same_term = token.branch == outside.newest.branch && token.epoch == outside.newest.epoch;
  if (same_term && token == outside.newest && who == outside.newest_holder) return Check::none;
  Check broken = Check::none;
  if (same_term && outside.newest.epoch != 0) {
    broken = Check::one_holder_per_epoch;
  } else if (!outside.newest.older_than(token)) {
    broken = Check::epochs_increase;
  }
  outside.newest = token;
  outside.newest_holder = who;
  return broken;
}

}  // namespace

SharedState make_outside(const Rules& rules) {
  const StoreKind* kind = rules.settings().protocol->store;
  CHECK(kind != nullptr, "why_not_explorable() refuses protocols without a store");
  SharedState outside;
  outside.machine = kind->make();
  return outside;
}

Visit execute(const Rules& rules, SharedState& outside, NodeState& local, std::size_t index,
              const StepEffects& seen) {
  Visit visit;
  Packet& packet = local.packets[index];
  const std::shared_ptr<StoreMachine> copy = outside.machine->clone();
  // The two may be remembered from different times.
  const Duration ahead = local.now - outside.now;
  const Reply reply =
      copy->apply(shifted(*packet.request, -ahead), rules.store_now(outside.now), visit.notifications);
  outside.machine = copy;
  visit.broken = judge(outside, packet.id.incarnation, reply);
  tell(seen, [&] { return fmt::format("#{} is executed: {}", packet.id.counter, describe(reply)); });
  if (local.driver.pending(packet.id) == nullptr) {
    local.packets.erase(local.packets.begin() + static_cast<std::ptrdiff_t>(index));
    return visit;
  }
  packet.stage = Stage::answered;
  packet.store_time = rules.store_now(local.now);
  packet.reply = std::make_shared<const Reply>(shifted(reply, ahead));
  return visit;
}

Visit land(SharedState& outside, NodeState& local, std::size_t index, const StepEffects& seen) {
  Visit visit;
  const Packet packet = local.packets[index];
  local.packets.erase(local.packets.begin() + static_cast<std::ptrdiff_t>(index));
  const auto& token = packet.item.token;
  if (token && outside.landed && token->older_than(*outside.landed)) {
    tell(seen, [] { return "its work lands, and is refused: the resource has seen a newer token"; });
    return visit;
  }
  if (token) outside.landed = token;
  tell(seen, [] { return "its work lands, and is done"; });
  visit.worked = !packet.overtaken;
  if (packet.stale) visit.broken = Check::no_stale_act;
  return visit;
}

void see_began(NodeState& local) {
  local.overtaken = local.driver.alive();
  for (Packet& packet : local.packets) packet.overtaken = packet.kind == Kind::work;
}

void see_worked(NodeState& local) {
  for (Packet& packet : local.packets) packet.stale = packet.stale || packet.overtaken;
}

void see(NodeState& local, const Notification& notification) {
  if (!local.driver.alive()) return;
  for (const Packet& packet : local.packets) {
    if (packet.kind == Kind::notification && packet.notification == notification) return;
  }
  Packet packet;
  packet.kind = Kind::notification;
  packet.stage = Stage::travelling;
  packet.id = {local.who(), 0};
  packet.notification = notification;
  local.packets.push_back(std::move(packet));
}

void hash(const Rules& rules, const SharedState& outside, Hasher& hasher) {
  outside.machine->hash(hasher, rules.store_now(outside.now));
  hasher.add(outside.newest.branch).add(outside.newest.epoch).add(outside.newest_holder);
  hasher.add(outside.landed.has_value());
  if (outside.landed) hasher.add(outside.landed->branch).add(outside.landed->epoch);
}

}  // namespace tenure::lab::explore
