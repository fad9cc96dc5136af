// What this engine does not run, in words: it would be refused in silence or done differently nowhere.
//
// Thread rule: a plain value.
#pragma once

#include <string>

namespace tenure::sql {

struct Refusal {
  std::string what;    // "row locks: FOR UPDATE"
  std::string answer;  // what to do: "docs/designs.md lists what is"
  int line = 1;        // both from 1; columns in characters
  int column = 1;
  bool postgres_refuses = false;  // it, too

  // "line 3, column 7: row locks: FOR UPDATE; docs/designs.md lists what is"
  std::string message() const;
};

}  // namespace tenure::sql
