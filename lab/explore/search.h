// The search: states in order of true time, then of the number of moves.
//
// Because of that order, time is not part of a state: the first visit leaves the most time, so it can reach everything
// before the horizon that a later visit could. Within an instant it is a breadth-first search. Moves of time put states
// aside until their instant comes; only then are they looked up.
//
// Thread rule: one Search belongs to one exploration.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lab/explore/space.h"
#include "lab/explore/visited.h"

namespace tenure::lab::explore {

// A violation, and the packed moves that lead to it.
struct SearchFinding {
  Check check = Check::none;
  sim::TrueTime at;
  std::vector<std::uint32_t> moves;
};

class Search {
 public:
  explicit Search(const ExploreSettings& settings);

  // Fills in everything except the violation, which it returns.
  std::optional<SearchFinding> run(ExploreResult& result, const GoOn& go_on);

 private:
  struct Aside {
    State state;
    std::uint32_t parent = 0;
    std::uint32_t move = 0;
  };
  using When = std::pair<sim::TrueTime, std::uint32_t>;  // and the number of moves

  void visit(State state, std::uint32_t parent, std::uint32_t move);
  // The search ends here, whatever is left.
  bool is_over() const;
  void expand(std::uint32_t place);
  void move_instance(std::uint32_t place, const State& state, std::uint32_t node);
  void move_time(std::uint32_t place, const State& state);
  bool spend(State& state, MoveKind kind) const;
  std::uint64_t bytes() const;
  // A bit for each instance.
  std::uint32_t believers(const State& state) const;
  Check judge(const State& state) const;
  void found(Check check, std::uint32_t place);
  void found(Check check, std::uint32_t place, std::uint32_t move);

  Space space_;
  std::uint32_t nodes_;
  bool judges_tokens_;
  Visited visited_;
  sim::TrueTime now_;
  std::vector<std::uint32_t> fresh_;  // found in this instant, one move further
  std::map<When, std::vector<Aside>> aside_;
  std::uint64_t aside_most_ = 0;
  std::uint64_t aside_count_ = 0;
  std::uint32_t depth_ = 0;
  std::uint64_t transitions_ = 0;
  bool cut_ = false;       // the horizon cut something off
  bool given_up_ = false;  // as it was told to
  bool too_big_ = false;   // the bound on memory was reached
  bool led_in_turn_ = false;
  std::uint64_t expanded_ = 0;
  std::optional<SearchFinding> found_;
};

}  // namespace tenure::lab::explore
