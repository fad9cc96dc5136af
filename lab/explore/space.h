// The moves of single instances and of the store, each computed once.
//
// A state of the world is a tuple of numbers, one for each instance and one for the outside, which are made here:
// states of one part with the same hash get one number (as COLLAPSE does in SPIN; Holzmann, "State Compression in
// SPIN", 1997), and the result of a move is remembered by number (as LTSmin's transition caching does; Blom, van de
// Pol, Weber, 2010). The production core is stepped only the first time that a part makes a move; after that it is a
// look-up. Nothing is lost, because a step is a function of one instance's state and its input.
//
// Parts are identified by two 64-bit hashes; the tuples are compared in full. docs/exhaustive.md says how reliable that
// is.
//
// Thread rule: one Space belongs to one exploration.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/explore/node_state.h"
#include "lab/explore/pair_table.h"
#include "lab/explore/shared_state.h"

namespace tenure::lab::explore {

class Space {
 public:
  static constexpr std::uint32_t kUnknown = 0xffffffff;

  explicit Space(const ExploreSettings& settings) : rules_(settings) {}

  const Rules& rules() const { return rules_; }
  std::uint32_t number(NodeState&& local);
  std::uint32_t number(SharedState&& outside);

  struct OutsideFacts {
    std::uint64_t epoch = 0;  // of the newest grant
    Incarnation holder;
  };
  const Facts& facts(std::uint32_t local) const { return locals_[local].facts; }
  const OutsideFacts& outside_facts(std::uint32_t outside) const { return outside_facts_[outside]; }

  // A move of an instance, and what it leads to; kUnknown: not made yet, or it depends on the outside too.
  struct Next {
    Move move;
    bool began = false;
    Check broken = Check::none;
    std::uint32_t local = kUnknown;
  };
  // Moves are kept one after another: those of a state at [begin, end).
  struct NextRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  NextRange moves(std::uint32_t local);
  const Move& move(std::uint32_t place) const { return nexts_[place].move; }
  // Made now if it was not before.
  Next next(std::uint32_t local, std::uint32_t place);

  struct Joint {
    std::uint32_t local = 0;
    std::uint32_t outside = 0;
    bool notifies = false;
    bool worked = false;
    Check broken = Check::none;
  };
  // REQUIRES: `move` is execute or land.
  Joint joint(std::uint32_t local, std::uint32_t outside, Move move);

  enum class Told : std::uint8_t { began, worked, notified };
  std::uint32_t told(std::uint32_t local, Told what);

  std::uint32_t later(std::uint32_t local, Duration by);
  std::uint32_t outside_later(std::uint32_t outside, Duration by);

  std::uint64_t locals() const { return locals_.size(); }
  std::uint64_t outsides() const { return outsides_.size(); }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t bytes() const;

 private:
  struct Known {
    NodeState local;
    Facts facts;
    NextRange moves;
    bool listed = false;
  };

  const Rules rules_;
  std::vector<Known> locals_;
  std::vector<SharedState> outsides_;
  std::vector<OutsideFacts> outside_facts_;
  PairTable local_numbers_;
  PairTable outside_numbers_;
  std::vector<Next> nexts_;
  std::vector<Joint> joints_;
  PairTable joint_places_;
  PairTable told_;
  PairTable later_;
  PairTable outside_later_;
  std::uint64_t steps_ = 0;
};

}  // namespace tenure::lab::explore
