// What a program says of itself when it is asked: its name, parameters, schema and claims, as JSON.
//
// Thread rule: values.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/parameters.h"

namespace tenure::process {

struct Description {
  std::string name;
  std::string summary;
  bool tokens = false;
  bool copies_itself = false;
  std::string schema;  // empty: it has none
  std::vector<ParameterSpec> parameters;
  std::vector<Claim> claims;
  std::deque<std::string> names;  // what the string_views of both are of

  // Returns what is wrong with the line, or nothing.
  std::string read(std::string_view line);
};

}  // namespace tenure::process
