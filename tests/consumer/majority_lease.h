// A protocol that Tenure does not know: a lease of a majority's promises, without a store.
//
// A node that wants to lead asks every node for a promise not to promise anybody else for lease_duration. With the
// promises of a majority, its own among them, it leads until lease_duration after it ASKED. It asks again every
// renew_period. Nobody leads while a promise to somebody else may still count, so a node that has just started waits
// for lease_duration: it may have forgotten one.
//
// kTrustingLease has a mistake in it: it says that it leads, without saying until when, and trusts its timer to tell it
// in time.
//
// Thread rule: as tenure::Node.
#pragma once

#include "core/lease/elector_kind.h"

extern const tenure::ElectorKind kMajorityLease;
extern const tenure::ElectorKind kTrustingLease;
