// Which checkers journals can feed, and with what; and why they cannot feed the others.
//
// Thread rule: a feed belongs to one audit.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/audit/definitions.h"
#include "lab/audit/event_order.h"
#include "lab/audit/evidence.h"
#include "sim/checkers/checker.h"

namespace tenure::lab {

// Why journals cannot tell what this checker needs; nullptr when they can. docs/reference/journal.md names each.
const char* cannot_be_judged(std::string_view checker);
// Of a checker that is not fed, because the audit has a rule of its own: why that may have had nothing to look at; else
// nullptr.
const char* judged_here(std::string_view checker);
// What it is not shown, although it would judge it; nullptr: nothing.
const char* not_shown(std::string_view checker);
// Whether it judges only fires.
bool is_about_fires(std::string_view checker);
// Whether it follows events through the outbox, which journals tell only from their beginning on, and on one branch.
bool follows_events(std::string_view checker);

// One checker, and the events that it is shown.
class Feed {
 public:
  virtual ~Feed() = default;
  virtual void see(sim::TrueTime now, const Moment& moment) = 0;
  // A record that belongs to no moment: of the clocks.
  virtual void see(sim::TrueTime now, const sim::Record& record) = 0;
  virtual void finish(sim::TrueTime now) = 0;
  // The checkers that have judged; several if knowledge begins anew.
  virtual std::vector<const sim::Checker*> checkers() const = 0;
};

// What feeds are made of. All of it must outlive them.
struct FeedSources {
  const JournalHistory& history;
  const Moments& moments;
  const Definitions& definitions;
  const BegunAgain& again;
};

// REQUIRES: neither cannot_be_judged(kind.name) nor judged_here(kind.name).
std::unique_ptr<Feed> make_feed(const sim::CheckerKind& kind, const sim::CheckerSetup& setup,
                                const FeedSources& sources);

}  // namespace tenure::lab
