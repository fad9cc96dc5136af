// Protocols and schedulers that somebody brought in a file, in a language of its own. Their programs can fail, and
// cannot be copied.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>

namespace tenure {

struct DesignFile {
  std::string path;        // as it was opened; of a command, the folder that it is run in
  std::uint64_t hash = 0;  // of its text; of a command, its words and the files among them
};

}  // namespace tenure
