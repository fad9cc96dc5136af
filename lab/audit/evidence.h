// What the audit finds by comparing what journals tell, in addition to the simulator's checkers.
//
// In each life alone, by the node's own clock (leadership_evidence.cc). Acts are compared with beliefs by the
// simulator's acts-within-belief:
//   belief-within-grant  A belief is covered by grants of its token, which that life had been answered before: it ends
//                        no later than the latest of them allows. A grant allows its lease from when it was asked for,
//                        less the drift and the guard of the life's settings (core/lease/fenced_lease). After a
//                        step-down only later grants count. A token that was given back, was refused a renewal, or
//                        was followed by a later one covers nothing. A life does not stop, or give a lease back, while
//                        it believes in it. A life that says that it is elected by something else, and asks for no
//                        lease, has beliefs without a token, which are not judged.
//   granted-as-asked     A grant is for no longer than was asked for, and a renewal's is of the token that it showed.
//                        An acquire's is under the next epoch. A release is of a token that it was granted. A
//                        refusal has the reason of the holder that it names.
//                        No answer is of a branch of the store before the one that it has told.
// A life whose journal begins late may have been granted something before that. A belief that ends within the longest
// lease after the beginning is not judged then.
//
//   acts-say-so          A request that only a leader may make says so.
//   held-after-alarm     A leader asks for no commit while its answers show that the store's clock has jumped, or after
//                        it has said so, unless the clock came back, or a hold was set and lifted (clock_evidence.cc).
//
//   answers-agree        What a node asks is answered by what answers that. A commit changes the store if it covers
//                        something, and only then; a row is not due only if its time had not come (answer_evidence.cc).
//
// Of the lease (lease_evidence.cc):
//   promise-kept  A grant is a promise until its end, by the store's clock. A holder that is refused before, though it
//                 has not given the lease back, was robbed: somebody else was granted it, or the store forgot. Where
//                 the store's clock went back, or another branch took over, nothing is promised.
//   lacking       Epochs that were granted to nobody here; a holder that a refusal speaks of and that has no journal;
//                 an end of a lease that no grant here explains. What a lost answer may explain is no lack.
//
// Commits and work, without a schedule's definition (fire_evidence.cc):
//   work-was-committed  The work of a slot begins after somebody committed that slot. Who committed it may have no
//                       journal here: then it is said. Manual runs are asked for by clients (runs-were-asked-for).
//   fires-begin         A leader does not commit again before it has begun what it committed, and what it found in the
//                       outbox. So what is committed has begun somewhere once the same leader, or a later one, commits
//                       again; or has looked through the outbox twice with nothing else to do.
//   commits-follow      In a version, each row begins where the one before it ended, and the first one at its cursor.
//   overlaps-an-event   The store suppresses a slot only beside an event of its schedule. It fires none beside pushed
//                       events of it that are not over, where its overlap forbids that.
//   none-while-held     The store commits nothing between a hold and its end (clock_evidence.cc).
// A commit without an answer explains the slots that it asked for. A life without an end may have written more than its
// journal has: what depends on that is lacking, and no failure.
//
// Acknowledgements and work (delivery_evidence.cc):
//   work-was-done   A process acknowledges an event as delivered only after its work came back to it as over: done,
//                   stopped, or refused because it had been done before. What it gives up as dead has failed there as
//                   often as it says, and as often as its schedule allows, or has become too old.
//
// The slots of every known definition (owed_evidence.cc):
//   no-lost-fire  A slot is owed if it was due while a leader was free to commit it (leading_time.h) for 10 s, and the
//                 leader passed it over: it committed what was due later, or committed nothing for as long. It is lost
//                 if that lasted for `stall_timeout` more, and lacking otherwise: the leader states that time itself.
//                 For a schedule that queues behind its work, time with work in hand does not count. What a delete
//                 closed is owed until then. After a failover only what the newest branch tells is judged, from
//                 its first commit of each version on. A version that was due and has no commit at all since then is
//                 lacking.
//
// The store's positions (position_evidence.cc):
//   positions-once  Each change of a resource has the next number, so a change that no journal tells leaves a gap, no
//                   number is given to two changes, and nobody is told an earlier one than before. Postgres counts
//                   leases apart from the rest, SQLite counts everything together. Apart, the counts meet: an acquire,
//                   a release and a write under a token follow the greater of both, so that a change that is missing
//                   below that does not show. The audit does not ask which store it was: a gap counts only if it is a
//                   gap in both ways. Each request without an answer explains one position after it was sent; under a
//                   token, or an epoch that it saw, only until the next one is granted.
//                   Clients write no journals. The process that asks for them may tell what they changed (version 5),
//                   and what of it is not known explains one position, as a node's. What else they did, these journals
//                   may show: the change feed tells of edits, and leaders begin manual runs. Each of these explains one
//                   position, unless a client's line tells the same.
//   runs-were-asked-for
//                   A manual run that begins and that no client's line tells has a position that no line tells, from
//                   when its leader could have found it (manual_runs.h). No run is made twice.
//
// Lines that are missing, by the other lines of a life (missing_lines.cc): a pass would not be one.
//   1. A leader has definitions from the change feed alone, in the same life. So it commits no version that no answer
//      told it.
//   2. The requests of a life are numbered. Each is answered by its deadline, which the settings tell; and a leader
//      that stops waits for the answer to its release. Work is over before it begins again under the same token.
//   3. A life says that it begins. If it is stopped, its work was over before, and it says that it has stopped.
//   4. Work that is refused as done before has begun in some journal; else one is missing, or it began nowhere. Work of
//      a leader's own that is refused as stale: somebody was granted a later token.
//   5. A leader sends what waits for a destination as soon as that has room. If it has committed events that no journal
//      sends, and goes on without sending anything there, and without anything under way there, lines are missing.
//      Work of its own that failed begins again when its back-off is over, while it has workers left (work_left.cc).
//   Clients may have acknowledged events: where any did, 4 and 5 say nothing.
//
// Thread rule: pure functions and values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/audit/definitions.h"
#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "sim/checkers/names.h"

namespace tenure::lab {

inline constexpr std::string_view kNoLostFire = "no-lost-fire";
inline constexpr std::string_view kBeliefWithinGrant = "belief-within-grant";

// A life whose journal may have lost its last lines: it has no end, and the store granted the lease to somebody else
// after it.
//
// A journal without an end is that of a process that was killed, or one that was copied too early, cut off by a full
// disk or lost with its machine. The lines that are missing may have given the lease back. Nothing is missing if a line
// of the life comes after the other's grant, or if that grant has the position after a change that is known and that no
// release can follow unseen: a killed process stays guilty.
struct LostEnd {
  Incarnation who;
  ResourceId resource;
  sim::TrueTime since;  // its last line
  StoreTime lease_end;  // of its last grant that is known
  Incarnation next;     // to whom the lease was granted then
  StoreTime granted;    // by the store's clock
  sim::TrueTime heard;
  bool contradicts() const { return granted < lease_end; }
};
std::vector<LostEnd> lost_ends(const JournalHistory& history);
// For `lacking`, of one that contradicts.
std::string text_of(const LostEnd& lost);

// A beginning of work: its node, its event, its time.
struct BegunWork {
  Incarnation who;
  reference::EventId event;
  sim::TrueTime at;
  auto operator<=>(const BegunWork&) const = default;
};
using BegunAgain = std::set<BegunWork>;
// The repeated beginnings of work that "at least once" allows: if the store had not heard that it was done when its
// life ended or lost the lease, the next leader begins it again, and that is no duplicate.
BegunAgain begun_again(const JournalHistory& history);

// What is known about one resource's lease after its answers were compared.
struct LeaseFacts {
  // From its first epoch on, every grant is in some journal, and so is what was done under it.
  bool complete = false;
  struct Term {
    Incarnation who;
    Token token;
    StoreTime from;
    StoreTime end;  // as far as known
  };
  std::vector<Term> terms;  // in the store's order
};

// What is compared, and where it is found. Comparisons derive from it.
struct Evidence {
  const JournalHistory& history_;
  const Definitions& definitions_;
  const std::vector<ResourceId>& clock_went_back_;  // resources for which the store's times have no order
  const sim::Names& names_;
  AuditFindings& findings_;
  std::map<ResourceId, LeaseFacts> leases_ = {};  // after compare_leases()
};

// Whether only a leader may ask this, whatever it says of itself.
bool is_a_leaders(const Request& request);

void compare_leases(Evidence& evidence);
void compare_leadership(const Evidence& evidence);
// By what lives are elected whose beliefs rest on no grant that a journal tells; empty: there are none.
std::string elections_elsewhere(const Evidence& evidence);
void compare_answers(const Evidence& evidence);
void compare_holds(const Evidence& evidence);
void compare_fires(const Evidence& evidence, const std::vector<LostEnd>& lost);
void compare_deliveries(const Evidence& evidence);
void compare_positions(const Evidence& evidence);
void find_missing_lines(const Evidence& evidence);
void find_work_left(const Evidence& evidence);  // called by find_missing_lines()
// Why these journals do not tell what is owed; nullptr: they do.
const char* cannot_tell_what_is_owed(const Definitions& definitions);
// Returns what is not judged. REQUIRES: the journals can tell.
std::vector<std::string> compare_owed(const Evidence& evidence);

}  // namespace tenure::lab
