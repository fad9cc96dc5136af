#include "lab/explore/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tenure::lab::explore {
namespace {

// Where each budget is kept in State::spent.
struct Field {
  std::uint32_t shift;
  std::uint32_t bits;
};
constexpr Field kCrashes{0, 4};
constexpr Field kPauses{4, 4};
constexpr Field kLosses{8, 4};
constexpr Field kDelays{12, 4};
constexpr Field kStops{16, 4};
constexpr Field kRequests{20, 12};

constexpr std::uint64_t kAskEvery = 4'096;  // states, a few milliseconds

// False when there is not as much left. What is unlimited is not counted.
bool take(std::uint32_t& spent, Field field, std::uint32_t budget, std::uint32_t amount) {
  if (budget == kUnlimited || amount == 0) return true;
  const std::uint32_t so_far = (spent >> field.shift) & ((1u << field.bits) - 1);
  if (so_far + amount > budget) return false;
  spent += amount << field.shift;
  return true;
}

}  // namespace

Search::Search(const ExploreSettings& settings)
    : space_(settings),
      nodes_(static_cast<std::uint32_t>(settings.instances.size())),
      judges_tokens_(settings.protocol->has_tokens &&
                     offers(settings.protocol->store, &StoreKind::issues_tokens)) {}

std::optional<SearchFinding> Search::run(ExploreResult& result, const GoOn& go_on) {
  State first;
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    first.locals[node] = space_.number(space_.rules().make(NodeId{node}));
  }
  first.outside = space_.number(make_outside(space_.rules()));
  aside_[When{sim::TrueTime{}, 0}].push_back({first, Visited::kNone, 0});

  std::vector<std::uint32_t> level;
  while (!is_over() && (!fresh_.empty() || !aside_.empty())) {
    // The level after this one in this instant, together with what was put aside for it; or the next instant.
    const bool goes_on = !fresh_.empty();
    const When when = goes_on ? When{now_, depth_ + 1} : aside_.begin()->first;
    now_ = when.first;
    depth_ = when.second;
    level.swap(fresh_);
    fresh_.clear();
    if (!aside_.empty() && aside_.begin()->first <= when) {
      const std::vector<Aside> waiting = std::move(aside_.begin()->second);
      aside_.erase(aside_.begin());
      aside_count_ -= waiting.size();
      for (const Aside& one : waiting) visit(one.state, one.parent, one.move);
      level.insert(level.end(), fresh_.begin(), fresh_.end());
      fresh_.clear();
    }
    result.depth = std::max(result.depth, depth_);
    for (const std::uint32_t place : level) {
      if (is_over()) break;
      expand(place);
      if (++expanded_ % kAskEvery != 0) continue;
      given_up_ = !go_on(visited_.size());
      too_big_ = bytes() > space_.rules().settings().bytes_max;
    }
  }

  result.states = visited_.size();
  result.transitions = transitions_;
  result.reached = now_;
  result.instance_states = space_.locals();
  result.store_states = space_.outsides();
  result.steps = space_.steps();
  result.bytes = bytes();
  result.led_in_turn = led_in_turn_;
  if (found_) {
    result.why_not = "a violation was found";
  } else if (given_up_) {
    result.why_not = "interrupted";
  } else if (too_big_) {
    result.why_not = fmt::format("more than {} MiB of memory", space_.rules().settings().bytes_max >> 20);
    result.out_of_states = true;
  } else if (is_over()) {
    result.why_not = fmt::format("more than {} states", space_.rules().settings().states_max);
    result.out_of_states = true;
  } else {
    result.finished = true;
    result.endless = !cut_;
  }
  return found_;
}

bool Search::is_over() const {
  return found_ || given_up_ || too_big_ || visited_.size() >= space_.rules().settings().states_max;
}

void Search::visit(State state, std::uint32_t parent, std::uint32_t move) {
  state.led |= believers(state);
  const bool in_turn = std::popcount(state.led) > 1;
  if (in_turn) state.led = (1u << nodes_) - 1;
  led_in_turn_ = led_in_turn_ || in_turn;
  const std::uint32_t place = visited_.add(state, parent, move);
  if (place == Visited::kNone) return;
  fresh_.push_back(place);
  if (const Check broken = judge(state); broken != Check::none) found(broken, place);
}

void Search::expand(std::uint32_t place) {
  const State state = visited_[place].state;
  for (std::uint32_t node = 0; node < nodes_; ++node) move_instance(place, state, node);
  move_time(place, state);
}

void Search::move_instance(std::uint32_t place, const State& state, std::uint32_t node) {
  const std::uint32_t local = state.locals[node];
  const Space::NextRange range = space_.moves(local);
  for (std::uint32_t i = range.begin; i < range.end && !found_; ++i) {
    State after = state;
    // Looked at before it is made, so that states beyond the budgets are not worked out.
    if (!spend(after, space_.move(i).kind)) continue;
    const Space::Next next = space_.next(local, i);
    ++transitions_;
    const std::uint32_t packed = pack(node, next.move);
    Check broken = next.broken;
    Space::Joint joint{next.local, state.outside, false, false, Check::none};
    if (next.local == Space::kUnknown) {
      joint = space_.joint(local, state.outside, next.move);
      broken = joint.broken;
    }
    after.locals[node] = joint.local;
    after.outside = joint.outside;
    const bool acting = space_.rules().settings().acting;
    for (std::uint32_t other = 0; other < nodes_; ++other) {
      std::uint32_t& its = after.locals[other];
      if (joint.notifies) its = space_.told(its, Space::Told::notified);
      if (other != node && joint.worked) its = space_.told(its, Space::Told::worked);
      if (other != node && acting && next.began) its = space_.told(its, Space::Told::began);
    }
    if (broken != Check::none) return found(broken, place, packed);
    visit(after, place, packed);
  }
}

void Search::move_time(std::uint32_t place, const State& state) {
  if (found_) return;
  const ExploreSettings& settings = space_.rules().settings();
  std::int64_t due_in = Facts::kNever;
  std::uint32_t on_the_way = 0;
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    const Facts& facts = space_.facts(state.locals[node]);
    if (facts.urgent) return;
    due_in = std::min(due_in, facts.due_in);
    on_the_way += facts.on_the_way;
  }
  State after = state;
  if (!take(after.spent, kDelays, settings.budgets.delays, on_the_way)) return;
  const Duration by = space_.rules().to_next_instant(due_in);
  if (now_ + by > sim::TrueTime{} + settings.horizon) {
    cut_ = true;
    return;
  }
  ++transitions_;
  for (std::uint32_t node = 0; node < nodes_; ++node)
    after.locals[node] = space_.later(after.locals[node], by);
  after.outside = space_.outside_later(after.outside, by);
  aside_[When{now_ + by, depth_ + 1}].push_back({after, place, pack(0, Move{})});
  aside_most_ = std::max(aside_most_, ++aside_count_);
}

bool Search::spend(State& state, MoveKind kind) const {
  const Budgets& budgets = space_.rules().settings().budgets;
  switch (kind) {
    case MoveKind::crash: return take(state.spent, kCrashes, budgets.crashes, 1);
    case MoveKind::stop: return take(state.spent, kStops, budgets.stops, 1);
    case MoveKind::pause: return take(state.spent, kPauses, budgets.pauses, 1);
    case MoveKind::lose: return take(state.spent, kLosses, budgets.losses, 1);
    case MoveKind::execute: return take(state.spent, kRequests, budgets.requests, 1);
    default: return true;
  }
}

std::uint64_t Search::bytes() const {
  return visited_.bytes() + space_.bytes() + aside_most_ * sizeof(Aside);
}

std::uint32_t Search::believers(const State& state) const {
  std::uint32_t all = 0;
  for (std::uint32_t node = 0; node < nodes_; ++node)
    if (space_.facts(state.locals[node]).believes) all |= 1u << node;
  return all;
}

Check Search::judge(const State& state) const {
  const Space::OutsideFacts& store = space_.outside_facts(state.outside);
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    const Facts& facts = space_.facts(state.locals[node]);
    if (!judges_tokens_ || facts.epoch == 0 || facts.epoch < store.epoch) continue;
    if (facts.epoch > store.epoch || store.holder != Incarnation{NodeId{node}, facts.life})
      return Check::one_holder_per_epoch;
  }
  return std::popcount(believers(state)) > 1 ? Check::one_believer : Check::none;
}

void Search::found(Check check, std::uint32_t place) {
  if (found_) return;
  found_ = SearchFinding{check, now_, {}};
  for (std::uint32_t at = place; visited_[at].parent != Visited::kNone; at = visited_[at].parent)
    found_->moves.push_back(visited_[at].move);
  std::reverse(found_->moves.begin(), found_->moves.end());
}

void Search::found(Check check, std::uint32_t place, std::uint32_t move) {
  found(check, place);
  found_->moves.push_back(move);
}

}  // namespace tenure::lab::explore
