// What checkers derive from: class NoDrift final : public CheckerOf<NoDrift>.
//
// It has a public function on(now, record) for each kind of record that it wants. RunHistory has seen the record by
// then. If it has a function before(now, record), that is called first. One that wants other records only for that says
// so in wants(). If it has a function on(change) for changes of beliefs, or of leadership, it is shown each, no later
// than the record that showed it; at the end of the run if its finish() calls show_changes().
//
// Its file ends with TENURE_MADE_AS(fenced_writes, FencedWrites), which defines the make() of kinds.h, or with
// TENURE_MADE_UNLESS(lacks_fires, no_drift, NoDrift), which defines its not_applicable() as well.
//
// Thread rule: as Checker.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sim/checkers/checker.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/record_kinds.h"
#include "sim/checkers/trackers/run_history.h"

namespace tenure::sim {

template <class Self>
class CheckerOf : public Checker {
 public:
  explicit CheckerOf(const CheckerSetup& setup)
      : own_(setup.history == nullptr ? std::make_unique<RunHistory>(setup.scenario, setup.view, setup.nodes,
                                                                     RunHistory::Scope::journals)
                                      : nullptr),
        run_(own_ != nullptr ? *own_ : *setup.history),
        names_(run_.names()),
        view_(setup.view) {}

  std::uint32_t wants() const override {
    return kinds_read_by<Self>() |
           (reads<BeliefChange>() || reads<LeadershipChange>() ? BeliefTracker::kReads : 0);
  }
  void see(TrueTime now, const Record& record) final {
    if (own_ != nullptr) own_->see(now, record);
    Self& self = static_cast<Self&>(*this);
    if constexpr (requires { self.before(now, record); }) self.before(now, record);
    show_changes();
    show_to(self, now, record);
    if (own_ != nullptr) own_->after().see(now, record);
  }

 private:
  std::unique_ptr<RunHistory> own_;

 protected:
  void show_changes() {
    if constexpr (reads<BeliefChange>())
      for (const BeliefChange& change : run_.beliefs().changes_since(read_))
        static_cast<Self*>(this)->on(change);
    if constexpr (reads<LeadershipChange>())
      for (const LeadershipChange& change : run_.leadership().changes_since(read_))
        static_cast<Self*>(this)->on(change);
  }
  const RunHistory& run_;
  const Names& names_;
  const View& view_;

 private:
  template <class Change, class Reader = Self>
  static constexpr bool reads() {
    return requires(Reader & reader, const Change& change) { reader.on(change); };
  }
  std::uint64_t read_ = 0;  // of the changes that it is shown
};

#define TENURE_MADE_AS(checker, Class) \
  std::unique_ptr<Checker> checker::make(const CheckerSetup& setup) { return std::make_unique<Class>(setup); }
// The same of one that does not apply where `lacks` says why.
#define TENURE_MADE_UNLESS(lacks, checker, Class)                                           \
  const char* checker::not_applicable(const Scenario& scenario) { return lacks(scenario); } \
  TENURE_MADE_AS(checker, Class)

}  // namespace tenure::sim
