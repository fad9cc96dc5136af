// States that hash alike behave alike, and what was worked out once for them is what happens.
//
// Random walks through a cluster whose parts are never looked up by number. Beside them goes a Space, which puts the
// same walk together from what it remembers. Whenever a part of the walk hashes like one met before, at another time,
// by another way, the two are given the same moves, one by one, and must go on alike.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>

#include "lab/explore/space.h"
#include "tests/lab/explore/cluster.h"

namespace tenure::lab::explore {
namespace {

using Digest = std::pair<std::uint64_t, std::uint64_t>;

Digest digest_of(const auto& add) {
  Hasher one(1);
  Hasher two(2);
  add(one);
  add(two);
  return {one.value(), two.value()};
}

bool concerns_the_outside(Move move) { return move.kind == MoveKind::execute || move.kind == MoveKind::land; }

class Walk {
 public:
  explicit Walk(const ExploreSettings& settings) : space_(settings), rules_(space_.rules()) {}

  void take(const std::vector<std::uint32_t>& choices) {
    begin();
    for (const std::uint32_t choice : choices) {
      std::vector<std::pair<std::uint32_t, Move>> options;
      for (std::uint32_t node = 0; node < locals_.size(); ++node) {
        for (const Move move : rules_.moves(locals_[node])) {
          // Rarely what ends things, so that walks get somewhere.
          const bool rare =
              move.kind == MoveKind::crash || move.kind == MoveKind::lose || move.kind == MoveKind::pause;
          if (!rare || choice % 11 == 0) options.emplace_back(node, move);
        }
      }
      const auto by = until_next_instant();
      if (by && (options.empty() || choice % 3 == 0)) {
        wait(*by);
      } else if (!options.empty()) {
        const auto& [node, move] = options[(choice / 33) % options.size()];
        make(node, move);
      }
      compare();
    }
  }

  std::uint64_t met_again() const { return met_again_; }

 private:
  void begin() {
    locals_.clear();
    numbers_.clear();
    for (std::uint32_t node = 0; node < rules_.settings().instances.size(); ++node) {
      locals_.push_back(rules_.make(NodeId{node}));
      numbers_.push_back(space_.number(NodeState{locals_.back()}));
    }
    outside_ = make_outside(rules_);
    outside_number_ = space_.number(SharedState{outside_});
  }

  std::optional<Duration> until_next_instant() const {
    std::int64_t due_in = Facts::kNever;
    for (const NodeState& local : locals_) {
      const Facts facts = rules_.facts(local);
      if (facts.urgent) return std::nullopt;
      due_in = std::min(due_in, facts.due_in);
    }
    return due_in == Facts::kNever ? std::nullopt : std::optional(Duration::nanos(due_in));
  }

  void wait(Duration by) {
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      rules_.advance(locals_[i], by);
      numbers_[i] = space_.later(numbers_[i], by);
    }
    outside_.now += by;
    outside_number_ = space_.outside_later(outside_number_, by);
  }

  void make(std::uint32_t node, Move move) {
    StepEffects seen;
    Visit visit;
    bool began = false;
    if (concerns_the_outside(move)) {
      visit = move.kind == MoveKind::execute ? execute(rules_, outside_, locals_[node], move.index, seen)
                                             : land(outside_, locals_[node], move.index, seen);
      const Space::Joint joint = space_.joint(numbers_[node], outside_number_, move);
      numbers_[node] = joint.local;
      outside_number_ = joint.outside;
      RC_ASSERT(joint.worked == visit.worked);
      RC_ASSERT(joint.notifies == !visit.notifications.empty());
    } else {
      rules_.apply(locals_[node], move, seen);
      const Space::NextRange range = space_.moves(numbers_[node]);
      std::uint32_t place = range.begin;
      while (place < range.end && space_.move(place) != move) ++place;
      RC_ASSERT(place < range.end);
      const Space::Next next = space_.next(numbers_[node], place);
      RC_ASSERT(next.began == seen.began);
      numbers_[node] = next.local;
      began = seen.began;
    }
    for (std::uint32_t other = 0; other < locals_.size(); ++other) {
      for (const Notification& notification : visit.notifications) {
        see(locals_[other], notification);
        numbers_[other] = space_.told(numbers_[other], Space::Told::notified);
      }
      if (other == node) continue;
      if (visit.worked) {
        see_worked(locals_[other]);
        numbers_[other] = space_.told(numbers_[other], Space::Told::worked);
      }
      if (began) {
        see_began(locals_[other]);
        numbers_[other] = space_.told(numbers_[other], Space::Told::began);
      }
    }
  }

  Digest digest(const NodeState& local) const {
    return digest_of([&](Hasher& hasher) { rules_.hash(local, hasher); });
  }
  Digest digest(const SharedState& outside) const {
    return digest_of([&](Hasher& hasher) { hash(rules_, outside, hasher); });
  }

  void compare() {
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      RC_ASSERT(space_.number(NodeState{locals_[i]}) == numbers_[i]);
      const auto [it, fresh] = met_.try_emplace(digest(locals_[i]), locals_[i]);
      if (!fresh) compare(locals_[i], it->second);
    }
    RC_ASSERT(space_.number(SharedState{outside_}) == outside_number_);
  }

  // Two that hash alike: the same moves, and after each of them they hash alike again.
  void compare(const NodeState& one, const NodeState& other) {
    if (one.now != other.now) ++met_again_;
    const std::vector<Move> moves = rules_.moves(one);
    RC_ASSERT(moves == rules_.moves(other));
    const Facts a = rules_.facts(one);
    const Facts b = rules_.facts(other);
    RC_ASSERT(a.due_in == b.due_in && a.urgent == b.urgent && a.believes == b.believes &&
              a.epoch == b.epoch && a.life == b.life && a.on_the_way == b.on_the_way);
    for (const Move move : moves) {
      NodeState here = one;
      NodeState there = other;
      if (concerns_the_outside(move)) {
        SharedState for_here = outside_;
        SharedState for_there = outside_;
        const bool request = move.kind == MoveKind::execute;
        request ? execute(rules_, for_here, here, move.index, {}) : land(for_here, here, move.index, {});
        request ? execute(rules_, for_there, there, move.index, {}) : land(for_there, there, move.index, {});
        RC_ASSERT(digest(for_here) == digest(for_there));
      } else {
        StepEffects seen_here;
        StepEffects seen_there;
        rules_.apply(here, move, seen_here);
        rules_.apply(there, move, seen_there);
        RC_ASSERT(seen_here.began == seen_there.began && seen_here.chose == seen_there.chose &&
                  seen_here.broken == seen_there.broken);
      }
      RC_ASSERT(digest(here) == digest(there));
    }
    NodeState later_here = one;
    NodeState later_there = other;
    rules_.advance(later_here, Duration::millis(700));
    rules_.advance(later_there, Duration::millis(700));
    RC_ASSERT(digest(later_here) == digest(later_there));
  }

  Space space_;
  const Rules& rules_;
  std::vector<NodeState> locals_;
  std::vector<std::uint32_t> numbers_;
  SharedState outside_;
  std::uint32_t outside_number_ = 0;
  std::map<Digest, NodeState> met_;
  std::uint64_t met_again_ = 0;
};

ExploreSettings settings(const char* protocol, bool acting) {
  Budgets budgets;
  budgets.stops = 1;
  ExploreSettings settings = lab::explore::testing::cluster(protocol, 2, budgets, Duration::hours(1));
  settings.instances[1].wall_offset = -Duration::seconds(2);
  settings.store_offset = Duration::millis(300);
  settings.start_ns = 1'700'000'000'000'000'000;
  settings.acting = acting;
  settings.jitter_ends = true;
  return settings;
}

class EqualStates : public ::testing::TestWithParam<const char*> {};

TEST_P(EqualStates, go_on_alike) {
  for (const bool acting : {false, true}) {
    Walk walk(settings(GetParam(), acting));
    rc::detail::checkGTest([&walk] {
      const auto choices = *rc::gen::container<std::vector<std::uint32_t>>(
          150, rc::gen::resize(100, rc::gen::inRange<std::uint32_t>(0, 1'000'000)));
      walk.take(choices);
    });
    EXPECT_GT(walk.met_again(), 500u);
  }
}

INSTANTIATE_TEST_SUITE_P(Electors, EqualStates,
                         ::testing::Values("fenced-lease", "db-lease", "client-go", "heartbeat-lock"),
                         [](const auto& protocol) {
                           std::string name = protocol.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace tenure::lab::explore
