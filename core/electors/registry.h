// The election protocols by name: an explicit table, one row each.
//
// To add one: a folder here with README.md (pseudo-code, weak points, claims), .h and .cc, and a row in registry.cc.
// docs/how-to-add.md walks through it. A user's own protocol has no row: the user hands its ElectorKind to the scenario
// (docs/property-tests.md).
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
#include "core/model/instance.h"
#include "core/model/parameters.h"
#include "core/store/registry.h"

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

// A protocol that somebody brought in a file, in a language of its own. Its program can fail, and cannot be copied.
struct DesignFile {
  std::string path;        // as it was opened; of a command, the folder that it is run in
  std::uint64_t hash = 0;  // of its text; of a command, its words and the files among them
};

struct ElectorKind {
  std::string_view name;
  std::string_view summary;
  const StoreKind* store = nullptr;    // whose machine it needs; null for none
  const DesignFile* design = nullptr;  // the file that it was brought in; null: it is C++ of this program
  bool has_tokens = false;
  bool goes_round = false;  // leadership is handed on although nothing is wrong: it breaks `steady_leader`
  FunctionRef<std::span<const ParameterSpec>()> parameters = no_parameters;
  FunctionRef<std::vector<Complaint>(const Parameters&)> validate =
      no_complaints;  // ranges are checked before
  FunctionRef<std::vector<Claim>()> claims = no_claims;
  FunctionRef<std::unique_ptr<Elector>(const ElectorSetup&)> make = {};
  // In place of `make`: makes the whole node, for a design that is not an Instance of an elector and a scheduler. Only
  // its notes tell what it believes. It runs without a scheduler.
  FunctionRef<std::unique_ptr<Node>(const ElectorSetup&)> make_node = {};
};

std::span<const ElectorKind> elector_kinds();
const ElectorKind* find_elector_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure
