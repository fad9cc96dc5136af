#include "lab/explore/space.h"

#include <utility>

#include "core/base/check.h"

namespace tenure::lab::explore {
namespace {

constexpr std::uint64_t kFirstSeed = 0x243f6a8885a308d3ULL;  // digits of pi
constexpr std::uint64_t kSecondSeed = 0x13198a2e03707344ULL;

// What one number costs beside the tables: a rough figure, most of it the node and the shared requests.
constexpr std::uint64_t kBytesOfOne = 700;

constexpr std::uint64_t both(std::uint32_t a, std::uint32_t b) { return (std::uint64_t{a} << 32) | b; }

}  // namespace

std::uint32_t Space::number(NodeState&& local) {
  Hasher first(kFirstSeed);
  Hasher second(kSecondSeed);
  rules_.hash(local, first);
  rules_.hash(local, second);
  const std::uint32_t known = local_numbers_.find(first.value(), second.value());
  if (known != PairTable::kNone) return known;
  const auto fresh = static_cast<std::uint32_t>(locals_.size());
  local_numbers_.put(first.value(), second.value(), fresh);
  const Facts facts = rules_.facts(local);
  locals_.push_back({std::move(local), facts, {}, false});
  return fresh;
}

std::uint32_t Space::number(SharedState&& outside) {
  Hasher first(kFirstSeed);
  Hasher second(kSecondSeed);
  hash(rules_, outside, first);
  hash(rules_, outside, second);
  const std::uint32_t known = outside_numbers_.find(first.value(), second.value());
  if (known != PairTable::kNone) return known;
  const auto fresh = static_cast<std::uint32_t>(outsides_.size());
  outside_numbers_.put(first.value(), second.value(), fresh);
  outside_facts_.push_back({outside.newest.epoch, outside.newest_holder});
  outsides_.push_back(std::move(outside));
  return fresh;
}

Space::NextRange Space::moves(std::uint32_t local) {
  Known& known = locals_[local];
  if (known.listed) return known.moves;
  known.listed = true;
  known.moves.begin = static_cast<std::uint32_t>(nexts_.size());
  for (const Move& move : rules_.moves(known.local)) nexts_.push_back({move, false, Check::none, kUnknown});
  known.moves.end = static_cast<std::uint32_t>(nexts_.size());
  return known.moves;
}

Space::Next Space::next(std::uint32_t local, std::uint32_t place) {
  Next result = nexts_[place];
  const bool alone = result.move.kind != MoveKind::execute && result.move.kind != MoveKind::land;
  if (result.local != kUnknown || !alone) return result;
  NodeState copy = locals_[local].local;
  StepEffects seen;
  rules_.apply(copy, result.move, seen);
  if (seen.stepped) ++steps_;
  result.began = seen.began;
  result.broken = seen.broken;
  result.local = number(std::move(copy));
  nexts_[place] = result;
  return result;
}

Space::Joint Space::joint(std::uint32_t local, std::uint32_t outside, Move move) {
  const std::uint64_t what = pack(0, move);
  const std::uint32_t place = joint_places_.find(both(local, outside), what);
  if (place != PairTable::kNone) return joints_[place];
  NodeState here = locals_[local].local;
  SharedState there = outsides_[outside];
  const Visit visit = move.kind == MoveKind::execute ? execute(rules_, there, here, move.index, {})
                                                     : land(there, here, move.index, {});
  for (const Notification& notification : visit.notifications)
    CHECK(notification == Notification{}, "elections notify of nothing but a freed lease");
  const Joint joint{number(std::move(here)), number(std::move(there)), !visit.notifications.empty(),
                    visit.worked, visit.broken};
  joint_places_.put(both(local, outside), what, static_cast<std::uint32_t>(joints_.size()));
  joints_.push_back(joint);
  return joint;
}

std::uint32_t Space::told(std::uint32_t local, Told what) {
  const auto key = static_cast<std::uint64_t>(what);
  const std::uint32_t known = told_.find(local, key);
  if (known != PairTable::kNone) return known;
  NodeState copy = locals_[local].local;
  switch (what) {
    case Told::began: see_began(copy); break;
    case Told::worked: see_worked(copy); break;
    case Told::notified: see(copy, Notification{}); break;
  }
  const std::uint32_t result = number(std::move(copy));
  told_.put(local, key, result);
  return result;
}

std::uint32_t Space::later(std::uint32_t local, Duration by) {
  const auto key = static_cast<std::uint64_t>(by.ns());
  const std::uint32_t known = later_.find(local, key);
  if (known != PairTable::kNone) return known;
  NodeState copy = locals_[local].local;
  rules_.advance(copy, by);
  const std::uint32_t result = number(std::move(copy));
  later_.put(local, key, result);
  return result;
}

std::uint32_t Space::outside_later(std::uint32_t outside, Duration by) {
  const auto key = static_cast<std::uint64_t>(by.ns());
  const std::uint32_t known = outside_later_.find(outside, key);
  if (known != PairTable::kNone) return known;
  SharedState copy = outsides_[outside];
  copy.now += by;
  const std::uint32_t result = number(std::move(copy));
  outside_later_.put(outside, key, result);
  return result;
}

std::uint64_t Space::bytes() const {
  const std::uint64_t tables = local_numbers_.bytes() + outside_numbers_.bytes() + joint_places_.bytes() +
                               told_.bytes() + later_.bytes() + outside_later_.bytes();
  return tables + nexts_.capacity() * sizeof(Next) + joints_.capacity() * sizeof(Joint) +
         locals_.capacity() * sizeof(Known) + (locals_.size() + outsides_.size()) * kBytesOfOne;
}

}  // namespace tenure::lab::explore
