// What a design says of itself: its name, role, parameters, schema and claims. One set of rules for every language:
// docs/designs.md has them, under "The file".
//
// Thread rule: values.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/design/json.h"
#include "core/lease/elector_kind.h"
#include "core/model/parameters.h"
#include "core/store/store_kind.h"

namespace tenure::design {

// What a program is: an election, a scheduler on somebody's election, or both in one.
enum class Role : std::uint8_t { elector, scheduler, both };

// Makes the kind of store that statements are for, from the text of `schema`. Null: it is refused, and `problem` says
// why. The kind has to live as long as the program.
using MakeStore = const StoreKind* (*)(const std::string& schema, std::string& problem);

class Description {
 public:
  Description() = default;
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  // As the design has it. `also`: the keys that its language reads by itself. `make_store` may be null: then a schema
  // is an error. Throws Nonsense.
  void read(const Json& json, std::span<const std::string_view> also, MakeStore make_store);

  Role role() const { return role_; }
  bool elects() const { return role_ != Role::scheduler; }
  bool schedules() const { return role_ != Role::elector; }
  std::span<const ParameterSpec> parameters() const { return parameters_; }
  const std::vector<Claim>& claims() const { return claims_; }
  // An election with its name, its tokens, its store. What calls the design is the caller's to fill in.
  ElectorKind kind() const;

 private:
  class Reader;

  std::string name_;
  std::string summary_;
  Role role_ = Role::elector;
  bool tokens_ = false;
  bool goes_round_ = false;
  const StoreKind* store_ = nullptr;
  std::vector<ParameterSpec> parameters_;
  std::vector<Claim> claims_;
  std::deque<std::string> names_;                      // what the string_views of both are of
  std::deque<std::vector<std::string_view>> choices_;  // of parameters
};

// "did you mean", for the name of a parameter that is none.
std::string nearest_parameter(std::string_view name, const Parameters& values);
// What `validate` says of a parameter. Throws Nonsense when `values` has none of this name.
Complaint complaint_about(std::string_view parameter, std::string_view text, const Parameters& values);
// What takes the place of its complaints when `validate` itself fails.
std::vector<Complaint> failed_validation(const Parameters& values, std::string_view problem);

}  // namespace tenure::design
