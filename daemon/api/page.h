// The page `/`, and what it needs: daemon/page/README.md.
//
// Thread rule: immutable.
#pragma once

#include <optional>
#include <string_view>

#include "daemon/api/call.h"

namespace tenure::daemon {

struct PageFile {
  std::string_view type;
  std::string_view text;
};
// By its path: "/", "/app.css", "/app.js".
std::optional<PageFile> page_file(std::string_view path);

namespace handlers {

HttpResponse page(Call& call);

}  // namespace handlers

}  // namespace tenure::daemon
