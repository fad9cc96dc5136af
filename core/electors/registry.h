// The election protocols by name: an explicit table, one row each.
//
// To add one: a folder here with README.md (pseudo-code, weak points, claims), .h and .cc, and a row in
// registry.cc. docs/how-to-add.md walks through it.
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

struct ElectorKind {
  std::string_view name;
  std::string_view summary;
  std::string_view store;  // the store machine it needs, by name; empty for none
  bool has_tokens = false;
  std::span<const ParameterSpec> (*parameters)();
  std::vector<Complaint> (*validate)(const Parameters&);  // ranges are checked before
  std::vector<Claim> (*claims)();
  std::unique_ptr<Elector> (*make)(const ElectorSetup&);
};

std::span<const ElectorKind> elector_kinds();
const ElectorKind* find_elector_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure
