// The election protocols by name: an explicit table, one row each.
//
// To add one: a folder here with README.md (pseudo-code, weak points, claims), .h and .cc, and a row in registry.cc.
// docs/how-to-add.md walks through it. A user's own protocol has no row: the user hands its ElectorKind to the scenario
// (docs/property-tests.md).
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/instance.h"
#include "core/model/parameters.h"

namespace tenure {

struct ElectorSetup {
  NodeId self;
  std::uint32_t cluster_size = 1;
  StoreId store;
  ResourceId resource;
  Parameters parameters;  // valid: no ill-formed value
};

// The defaults for a protocol that declares nothing.
inline std::span<const ParameterSpec> no_parameters() { return {}; }
inline std::vector<Complaint> no_complaints(const Parameters&) { return {}; }
inline std::vector<Claim> no_claims() { return {}; }

struct ElectorKind {
  std::string_view name;
  std::string_view summary;
  std::string_view store;  // the store machine it needs, by name; empty for none
  bool has_tokens = false;
  bool goes_round = false;  // leadership is handed on although nothing is wrong: it breaks `steady_leader`
  std::span<const ParameterSpec> (*parameters)() = no_parameters;
  std::vector<Complaint> (*validate)(const Parameters&) = no_complaints;  // ranges are checked before
  std::vector<Claim> (*claims)() = no_claims;
  std::unique_ptr<Elector> (*make)(const ElectorSetup&) = nullptr;
  // In place of `make`: makes the whole node, for a design that is not an Instance of an elector and a scheduler. Only
  // its notes tell what it believes. It runs without a scheduler.
  std::unique_ptr<Node> (*make_node)(const ElectorSetup&) = nullptr;
};

std::span<const ElectorKind> elector_kinds();
const ElectorKind* find_elector_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure
