// The strip that shows who led when: a line an instance, in equal columns.
//
// A column shows what the instance did for most of its time. Where that would show no leader although somebody led for
// a part of it, the one that led the longest shows: a column of dots alone means that nobody led.
//
// Thread rule: one book belongs to one run.
#pragma once

#include <array>
#include <vector>

#include "sim/checkers/leadership.h"
#include "sim/checkers/measures.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class StripBook {
 public:
  static constexpr std::int64_t kColumns = 60;

  explicit StripBook(const Scenario& scenario);
  // `book` has seen the record already.
  void see(TrueTime now, const Record& record, const LeadershipBook& book);
  void finish(TrueTime now, const LeadershipBook& book);
  std::vector<Strip> strips() const;

 private:
  static constexpr std::size_t kCells = 4;
  struct Row {
    Strip::Cell now = Strip::Cell::down;
    TrueTime since;
    std::vector<std::array<Duration, kCells>> columns;
  };
  // Unless the column shows one already, or nobody led in it.
  void show_a_leader(std::size_t column, std::vector<Strip>& strips) const;
  void follow(const LeadershipBook& book);
  void set(NodeId node, TrueTime at, Strip::Cell cell);
  static void spend(Row& row, TrueTime until, Duration width);

  Duration width_;
  std::vector<Row> rows_;  // by node
};

}  // namespace tenure::sim
