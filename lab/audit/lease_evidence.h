// What answers about a lease show about participants without a journal, and about broken promises.
//
//   promise-kept  A grant is a promise until its end, by the store's clock. A holder that is refused before,
//                 though it has not given the lease back, was robbed: somebody else was granted it, or the
//                 store forgot. Where the store's clock went back, or another branch took over, nothing is
//                 promised.
//   lacking       Epochs that were granted to nobody here; a holder that a refusal speaks of and that has no
//                 journal; an end of a lease that no grant here explains. What a lost answer may explain is
//                 no lack.
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <set>

#include "lab/audit/findings.h"
#include "lab/audit/history.h"

namespace tenure::sim {

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

// `clock_went_back`: the resources for which the store's times have no order.
std::map<ResourceId, LeaseFacts> compare_leases(const JournalHistory& history,
                                                const std::vector<ResourceId>& clock_went_back,
                                                AuditFindings& findings);

}  // namespace tenure::sim
