// What a program says when it is asked what it is: a design's description, and what only a program has to say.
//
// Thread rule: values.
#pragma once

#include <string>
#include <string_view>

#include "adapters/design/description.h"

namespace tenure::process {

struct SelfDescription {
  design::Description design;
  bool copies_itself = false;
  bool validates = false;
  bool writes = false;  // to the outside resource, as an election

  // Returns what is wrong with the line, or nothing.
  std::string read(std::string_view line, design::MakeStore make_store);
};

}  // namespace tenure::process
