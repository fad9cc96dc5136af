// The story of a violation: who believed what, when, and which fault came between.
//
// A passing run keeps no story. When a checker finds a violation, the same run is made again, with the same history,
// and the teller notes what matters for the nodes that the violation names.
//
// Thread rule: one teller belongs to one run.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/names.h"
#include "sim/runner/result.h"
#include "sim/world/record.h"

namespace tenure::sim {

class StoryTeller final : public Observer {
 public:
  StoryTeller(const Scenario& scenario, const Violation& violation);
  void see(TrueTime now, const Record& record) override;
  Story tell(const std::string& checker) const;

 private:
  struct Event {
    StoryLine line;
    NodeId node;
    bool about_node = false;
    bool begins_leadership = false;
    bool is_check = false;  // only the last one of several in a row matters
  };
  void add(Event event);
  void add_about(TrueTime now, Incarnation who, std::string text);
  void see_note(TrueTime now, const Noted& noted);
  void see_applied(TrueTime now, const Applied& applied);
  void see_landing(TrueTime now, const WorkLanded& landed);
  bool concerns(const Event& event) const;

  const Violation violation_;
  Names names_;
  std::deque<Event> events_;
  std::vector<std::pair<Incarnation, bool>> believing_;
  Incarnation holder_;
  Incarnation replica_holder_;
};

}  // namespace tenure::sim
