// The id of an example's node, as its user types it: a number from 1 on, and no other process's on that store.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/base/ids.h"

// Ends the program with words, if it is none: two that are taken for 0 would be one node.
inline tenure::NodeId node_id_from(std::string_view text) {
  std::uint32_t id = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
  if (read.ec == std::errc{} && read.ptr == text.data() + text.size() && id > 0) return tenure::NodeId{id};
  std::fprintf(stderr, "%.*s is no id of a node: a number from 1 on is, another one for each process\n",
               static_cast<int>(text.size()), text.data());
  std::exit(64);
}
