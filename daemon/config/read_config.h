// tenured.toml and the flags as a configuration, or everything that is wrong with them.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/config.h"
#include "format/syntax/document.h"

namespace tenure::daemon {

struct ConfigRead {
  std::optional<DaemonConfig> config;  // none: there are errors
  std::vector<format::Diagnostic> errors;
  std::vector<std::string> warnings;  // unsafe settings that run all the same
};

// `path` is for the errors. `sets`: what flags say, `http.listen` and its value.
ConfigRead read_config(std::string_view text, std::string_view path, std::span<const format::Override> sets);

}  // namespace tenure::daemon
