#include "core/schedule/definition.h"

#include <algorithm>

namespace tenure {

namespace {

bool may_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

}  // namespace

std::optional<StoreTime> slot_at_or_after(const Definition& definition, StoreTime from) {
  const auto slot = slot_at_or_after(definition.recurrence, std::max(from, definition.not_before));
  return slot && *slot < definition.until ? slot : std::nullopt;
}

std::optional<StoreTime> slot_after(const Definition& definition, StoreTime slot) {
  return slot_at_or_after(definition, slot + kStoreResolution);
}

std::optional<StoreTime> slot_before(const Definition& definition, StoreTime to) {
  const auto slot = slot_before(definition.recurrence, std::min(to, definition.until));
  return slot && *slot >= definition.not_before ? slot : std::nullopt;
}

std::int64_t count_slots(const Definition& definition, StoreTime from, StoreTime to) {
  return count_slots(definition.recurrence, std::max(from, definition.not_before),
                     std::min(to, definition.until));
}

std::optional<StoreTime> nth_slot_before(const Definition& definition, std::int64_t n, StoreTime from,
                                         StoreTime to) {
  const StoreTime earliest = std::max(definition.not_before, from);
  if (count_slots(definition, earliest, to) < n) return std::nullopt;
  // The greatest time with n slots between it and `to` is the slot itself.
  std::int64_t low = earliest.ns() / kStoreResolution.ns();
  std::int64_t high = to.ns() / kStoreResolution.ns();
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    const StoreTime time = StoreTime::from_ns(middle * kStoreResolution.ns());
    if (count_slots(definition, time, to) >= n)
      low = middle;
    else
      high = middle - 1;
  }
  return StoreTime::from_ns(low * kStoreResolution.ns());
}

StoreTime due_time(const Definition& definition, ScheduleId schedule, StoreTime slot) {
  const Jitter& jitter = definition.jitter;
  if (jitter.max <= Duration{}) return slot;
  // Bounds do not matter to the spread, so that closing a schedule does not move its last slot.
  const auto next = slot_after(definition.recurrence, slot);
  const Duration most = next ? std::min(jitter.max, *next - slot) : jitter.max;
  Hasher hasher(jitter.seed);
  hasher.add(jitter.drawn_for.value_or(schedule));
  if (jitter.per == Jitter::Per::slot) hasher.add(slot);
  const std::uint64_t share = reduce(hasher.value(), static_cast<std::uint64_t>(most.ns()));
  return slot + Duration::nanos(static_cast<std::int64_t>(share));
}

Duration back_off_after(const Delivery& delivery, std::uint32_t failed) {
  Duration wait = delivery.back_off;
  for (std::uint32_t n = 1; n < failed && wait < delivery.longest_back_off; ++n) wait = wait * 2;
  return std::min(wait, delivery.longest_back_off);
}

std::string problem_of_delivery(const Definition& definition) {
  const auto& [kind, destination, strict_order, attempts, back_off, longest_back_off] = definition.delivery;
  if (kind == Delivery::Kind::push && destination.empty())
    return "delivery: to push events, name the destination that they go to";
  if (kind != Delivery::Kind::push && !destination.empty())
    return "delivery: it names a destination, and only pushed events go to one";
  if (destination.size() > kDestinationBytes ||
      !std::all_of(destination.begin(), destination.end(), may_name))
    return "delivery: the name of a destination has up to " + std::to_string(kDestinationBytes) +
           " letters (A to Z, a to z), digits, `.`, `_` and `-`";
  if (kind == Delivery::Kind::work && definition.delivery != Delivery{})
    return "delivery: order, attempts and back-off are for events that are pulled or pushed; for work of the "
           "leader's "
           "own process they are settings of the scheduler";
  if (attempts == 0 || attempts > kMostAttempts)
    return "delivery: there are 1 to " + std::to_string(kMostAttempts) + " attempts, and not " +
           std::to_string(attempts);
  const auto whole = [](Duration wait) { return wait.ns() % kStoreResolution.ns() == 0; };
  if (back_off < kStoreResolution || longest_back_off < back_off || longest_back_off > kLongestBackOff ||
      !whole(back_off) || !whole(longest_back_off))
    return "delivery: the back-off is positive and the longest one is no shorter, up to 30 days; both are "
           "whole "
           "microseconds";
  if (definition.overlap == Overlap::replace && kind != Delivery::Kind::pull)
    return "overlap = \"replace\" is for events that are pulled: neither work of the leader's own process "
           "nor a message "
           "that was sent can be asked to stop";
  return {};
}

void add(Hasher& hasher, const Definition& definition) {
  const auto& [recurrence, not_before, until, jitter, misfire, overlap, paused, delivery] = definition;
  add(hasher, recurrence);
  hasher.add(not_before).add(until).add(jitter.max).add(jitter.per).add(jitter.seed);
  hasher.add(misfire.policy).add(misfire.once).add(misfire.grace).add(misfire.catchup_window);
  hasher.add(misfire.max_catchup).add(overlap).add(paused);
  if (delivery == Delivery{}) return;  // as before there was a choice
  delivery.hash(hasher);
}

}  // namespace tenure
