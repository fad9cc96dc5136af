#include "lab/explore/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/model/describe.h"

namespace tenure::lab::explore {
namespace {

class Retelling {
 public:
  explicit Retelling(const ExploreSettings& settings) : rules_(settings), outside_(make_outside(rules_)) {
    for (std::uint32_t node = 0; node < settings.instances.size(); ++node) {
      locals_.push_back(rules_.make(NodeId{node}));
    }
  }

  void make(std::uint32_t packed) {
    const Move move = move_in(packed);
    if (move.kind == MoveKind::wait) return wait();
    NodeState& local = locals_[node_in(packed)];
    std::vector<std::string> story;
    StepEffects seen;
    seen.story = &story;
    Visit visit;
    if (move.kind == MoveKind::execute) {
      visit = execute(rules_, outside_, local, move.index, seen);
    } else if (move.kind == MoveKind::land) {
      visit = land(outside_, local, move.index, seen);
    } else {
      rules_.apply(local, move, seen);
      visit.broken = seen.broken;
    }
    for (NodeState& other : locals_) {
      for (const Notification& notification : visit.notifications) see(other, notification);
      if (&other != &local && visit.worked) see_worked(other);
      if (&other != &local && seen.began && rules_.settings().acting) see_began(other);
    }
    broken_ = visit.broken;
    add(local.node(), fmt::format("{}", fmt::join(story, "; ")));
  }

  ExploreViolation violation(Check check) {
    return {std::string{name_of(check)}, what(check), outside_.now, std::move(lines_)};
  }
  Check broken() const { return broken_; }
  bool two_believe() const {
    return std::count_if(locals_.begin(), locals_.end(),
                         [&](const NodeState& l) { return rules_.believes(l); }) > 1;
  }

 private:
  void wait() {
    std::int64_t due_in = Facts::kNever;
    for (const NodeState& local : locals_) due_in = std::min(due_in, rules_.facts(local).due_in);
    const Duration by = rules_.to_next_instant(due_in);
    for (NodeState& local : locals_) rules_.advance(local, by);
    outside_.now += by;
    broken_ = Check::none;
    lines_.push_back(
        fmt::format("{:>3}. {:>11}  time moves on by {}", lines_.size() + 1, time(), describe(by)));
  }

  void add(NodeId node, const std::string& words) {
    lines_.push_back(fmt::format("{:>3}. {:>11}  {}: {}", lines_.size() + 1, time(), describe(node), words));
  }
  std::string time() const { return describe(outside_.now - sim::TrueTime{}); }

  std::string what(Check check) const {
    switch (check) {
      case Check::one_holder_per_epoch:
        return "an epoch has two holders, or a holder to whom it was never granted";
      case Check::epochs_increase: return "a grant is not greater than one before it";
      case Check::acts_within_belief:
        return "a leader's act was decided outside the belief that was declared";
      case Check::no_stale_act: return "work was accepted from a leader after the work of a later one";
      case Check::one_believer:
      case Check::none: break;
    }
    return believers();
  }
  std::string believers() const {
    std::vector<std::string> who;
    for (const NodeState& local : locals_) {
      if (rules_.believes(local))
        who.push_back(describe(local.who()) + (local.paused ? " (paused)" : "") + left(local));
    }
    return fmt::format("{} believe at once that they lead", fmt::join(who, " and "));
  }
  std::string left(const NodeState& local) const {
    if (const auto* until = std::get_if<MonoTime>(&local.driver.belief()->until))
      return ", for another " + describe(*until - rules_.mono(local.now));
    if (const auto* until = std::get_if<WallTime>(&local.driver.belief()->until))
      return ", for another " + describe(*until - rules_.wall(local.node(), local.now));
    return ", with no end of its own,";
  }

  Rules rules_;
  std::vector<NodeState> locals_;
  SharedState outside_;
  Check broken_ = Check::none;  // by the last move
  std::vector<std::string> lines_;
};

}  // namespace

ExploreViolation retell(const ExploreSettings& settings, const SearchFinding& found) {
  Retelling retelling(settings);
  for (const std::uint32_t move : found.moves) retelling.make(move);
  if (found.check == Check::one_believer) CHECK(retelling.two_believe(), "a counterexample happens again");
  ExploreViolation violation = retelling.violation(found.check);
  CHECK(violation.at == found.at, "a counterexample takes as long again");
  return violation;
}

}  // namespace tenure::lab::explore
