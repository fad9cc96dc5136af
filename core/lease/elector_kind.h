// What kind of election an election is: its name, its parameters, its claims, and how it is made. That of production
// is kFencedLease; sim/protocols has the others, and the table of all. A user's own protocol is in no table: the user
// hands its ElectorKind to the scenario (docs/property-tests.md).
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/function_ref.h"
#include "core/model/design_file.h"
#include "core/model/instance.h"
#include "core/model/parameters.h"
#include "core/model/timing_names.h"
#include "core/store/store_kind.h"

namespace tenure {

// sim/protocols/failover_form.h
struct SaidFailover;
struct FailoverTerms;

struct ElectorSetup {
  NodeId self;
  std::uint32_t cluster_size = 1;
  StoreId store;
  ResourceId resource;
  Parameters parameters;  // valid: no ill-formed value
  std::uint32_t schedules =
      0;  // of a program that is its own scheduler: those that there may be have ids below this
};

struct ElectorKind {
  std::string_view name;
  std::string_view summary;
  const StoreKind* store = nullptr;  // whose machine it needs; null for none
  std::uint32_t stores = 1;  // on so many servers, which know nothing of each other; StoreId 0 is the first
  const DesignFile* design = nullptr;  // the file that it was brought in; null: it is C++ of this program
  bool has_tokens = false;
  bool writes =
      false;  // its leader writes to the outside resource by itself, whether or not there is a scheduler
  bool goes_round = false;  // leadership is handed on although nothing is wrong: it breaks `steady_leader`
  FunctionRef<std::span<const ParameterSpec>()> parameters = no_parameters;
  FunctionRef<std::vector<Complaint>(const Parameters&)> validate =
      no_complaints;  // ranges are checked before
  FunctionRef<const std::vector<Claim>&()> claims = no_claims;
  TimingNames timing = {};
  // How many requests a renewal makes, one after the other, within a `renew_deadline`. null: one.
  std::int64_t (*requests_to_renew)(const Parameters&) = nullptr;
  // How long a failover takes after a crash, as the design itself says. null: it says nothing.
  FunctionRef<SaidFailover(const Parameters&, const FailoverTerms&)> failover = {};
  FunctionRef<std::unique_ptr<Elector>(const ElectorSetup&)> make = {};
  // In place of `make`: makes the whole node, for a design that is not an Instance of an elector and a scheduler. Only
  // its notes tell what it believes. It runs without a scheduler, or is its own: a design that is named for both.
  FunctionRef<std::unique_ptr<Node>(const ElectorSetup&)> make_node = {};
};

extern const ElectorKind kFencedLease;

}  // namespace tenure
