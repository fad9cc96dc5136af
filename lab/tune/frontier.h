// Where each checker starts to fail: bisection along a line, for each value of another parameter.
//
// A line is searched between the two ends of the range, on a lattice of `resolution`. A value is unsafe for a checker
// if the checker fails with any of the seeds, which are the same for all values. It is safe if the runs together are
// not inconclusive either, by the rules of sim/runner/judge.h: where the fault is no longer whole, nobody knows.
// Bisection assumes that safe values are below all others. The result of every try is kept for all checkers, and a try
// that contradicts the assumption is reported. Where both ends are safe, some values in between are tried, too.
//
// The next tries depend on the results of the last round, which are taken in order.
//
// Thread rule: one frontier belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/plans/tune_setting.h"
#include "lab/tune/outcome.h"
#include "lab/tune/setting.h"

namespace tenure::lab {

// One value on one line.
struct FrontierTry {
  std::size_t row = 0;
  std::int64_t value = 0;
};

// For one row and one checker.
struct FrontierCell {
  std::size_t row = 0;
  std::string checker;                 // that was asked for; where none is, the one that fails at `unsafe`
  std::optional<std::int64_t> safe;    // the largest value that was safe, below the first that is not
  std::optional<std::int64_t> unsafe;  // the smallest that is not
  std::uint64_t seed = 0;              // of `unsafe`: the first that fails; 0: the value makes no setting, or
  std::string unknown = {};            // why nobody knows whether it is safe
  std::size_t tried = 0;               // values that make a setting
  bool broken_order = false;           // a safe value was seen above an unsafe one
};

class Frontier {
 public:
  explicit Frontier(const format::TuneFrontier& frontier);

  // Empty when the search is over. REQUIRES: the results of the last round are taken.
  std::vector<FrontierTry> next_round();
  // `runs` of some seeds, of this scenario.
  void take(const FrontierTry& what, const sim::Scenario& scenario, const std::vector<RunNumbers>& runs);
  // The value makes no valid setting.
  void take_none(const FrontierTry& what, const std::string& why);

  std::vector<format::Override> overrides_of(const FrontierTry& what) const;
  std::size_t rows() const;
  std::vector<FrontierCell> cells() const;
  // Why values from some point on make no valid setting; empty: all do.
  const std::string& why_none() const { return why_none_; }
  const format::TuneFrontier& asked() const { return frontier_; }

 private:
  struct Seen {
    SettingOutcome outcome;
    std::map<std::string, std::string> unknown = {};  // of each of `checkers_`: why nobody knows, or nothing
    bool none = false;
  };
  FrontierCell cell(std::size_t row, const std::string& checker) const;
  void add_next(const FrontierCell& found, std::set<std::int64_t>& values) const;

  const format::TuneFrontier frontier_;
  const std::vector<std::string> checkers_;         // that cells are of; "" stands for all that is demanded
  const TuneQuestions nothing_ = {};                // is measured
  std::vector<std::map<std::int64_t, Seen>> seen_;  // by row, by value
  std::string why_none_;
};

}  // namespace tenure::lab
