// Designs by situations: the cells, and what an engineer who must choose one asks first.
//
// Every design meets the same environment: seeds are the same for all, and noise is keyed by its purpose
// (sim/kernel/keyed_rng.h). So differences come from the designs.
//
// Thread rule: one comparison belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/compare/candidate.h"
#include "lab/compare/cell.h"
#include "lab/compare/situation.h"

namespace tenure::lab {

// What is run of each design.
struct Column {
  std::size_t situation = 0;
  bool stretched = false;  // to the design's own failover time
  bool crowded = false;    // with 10 standbys
  bool in_matrix = true;   // false: run for the summary alone
};

// Which situations the summary is made from, by place; each design is run in them in any case.
struct SummarySituations {
  std::size_t crash = 0;   // the leader dies: the failover time
  std::size_t deploy = 0;  // every node is restarted in turn
  std::size_t quiet = 0;   // nothing happens: what the store is asked
  std::size_t calm = 0;    // nothing breaks, but answers have long tails: false failovers
};

// How many instances a crowded column has: a leader, and 10 standbys.
constexpr std::int64_t kCrowd = 11;

struct ComparedCell {
  std::optional<Cell> cell;         // none: not applicable, or nothing to stretch to
  std::string not_applicable = {};  // why
  std::optional<Duration> length;   // of what was stretched
  bool acts_through_loop = false;   // an election, which acts through kActingLoop here
  std::string proof = {};           // why two never lead here, by theory; empty: unknown
  std::string explored = {};        // what was explored in every order, without two leaders; empty: nothing
};

// Why theory says that two never lead in such runs, whatever the draw: "T1: belief ends by itself, …". Empty: it says
// nothing, or not of all that happens there. It is about pauses, at most as long as they are drawn, and exact clocks.
std::string why_two_never_lead(const sim::Scenario& scenario);

// How much of what a design assumes away may happen and two never lead all the same, by theory: "pauses of up to 5s",
// "clock rates off by up to 499 ppm". Empty: theory says nothing.
std::vector<std::string> bounds_by_theory(const sim::Scenario& scenario);

class Comparison {
 public:
  Comparison(std::vector<Candidate> candidates, std::vector<Situation> situations,
             std::vector<Column> columns, SummarySituations measured);

  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<Situation>& situations() const { return situations_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::string name_of_column(std::size_t column) const;

  const ComparedCell& at(std::size_t candidate, std::size_t column) const {
    return cells_[candidate * columns_.size() + column];
  }
  ComparedCell& at(std::size_t candidate, std::size_t column) {
    return cells_[candidate * columns_.size() + column];
  }

  std::size_t column_of_crash() const { return column_of(measured_.crash, false); }
  // The scenario of a cell, as its runs have it. REQUIRES: what is stretched is stretched to a time that is known.
  MadeCase make_case_of(std::size_t candidate, std::size_t column) const;
  // The median failover after a crash: what situations are stretched to. None: nobody took over in any run.
  std::optional<Duration> own_time(std::size_t candidate) const;

  struct Summary {
    // What the claim of one-believer rests on, by name; none: the design does not promise it.
    std::optional<std::vector<std::string_view>> assumes;
    std::vector<std::string> bounds;  // bounds_by_theory()
    std::uint64_t promised = 0;       // runs in which it does, and all that it assumes held
    // Claims that broke although all that they assume held, in which column first, with which seed. That of one leader
    // is the first.
    struct BrokenClaim {
      std::string checker;
      std::size_t column = 0;
      std::uint64_t seed = 0;
    };
    std::vector<BrokenClaim> broken;
    bool two_led_against_promise() const { return !broken.empty() && broken.front().checker == kOneLeader; }
    Duration two_lead;            // the longest time at once, in any column
    std::size_t two_lead_in = 0;  // that column, where it is not zero
    // The same if what they do goes to a resource that refuses old tokens: nothing, for a design with tokens that
    // checkers looked at, and in no run found wrong.
    Duration two_lead_fenced;
    // Until there is a leader that is of use, in ns.
    std::optional<Estimate> failover_p50;
    std::optional<Estimate> failover_p99;  // none: fewer than 100 failovers
    std::optional<Estimate> deploy;        // without one in one deploy, on average, in ns
    std::optional<Estimate> requests;      // of the store in an hour, in billionths
    std::optional<Estimate> requests_crowded;
    // In a month of 30 days, leaderships that were lost although their node was running and reachable.
    struct FalseFailovers {
      std::int64_t micro = 0;  // in millionths
      bool at_most = false;    // none was seen: so many there may be all the same (95 %)
      Estimate estimate = {};  // in billionths
    };
    std::optional<FalseFailovers> false_failovers;  // none: nobody led
    // Columns after which nobody led, though all was healed; or in which nobody ever did.
    std::vector<std::size_t> stuck_after;
  };
  Summary summary(std::size_t candidate) const;

  // Candidates by what costs most if it goes wrong: two leaders that a fence does not stop, a human who has to come,
  // two leaders at all, the slowest failover. As they were given where all that is equal.
  std::vector<std::size_t> order() const;

 private:
  std::size_t column_of(std::size_t situation, bool crowded) const;

  std::vector<Candidate> candidates_;
  std::vector<Situation> situations_;
  std::vector<Column> columns_;
  SummarySituations measured_;
  std::vector<ComparedCell> cells_;
};

}  // namespace tenure::lab
