// `tenure event …`: dead events of a running `tenured`, seen, replayed and discarded (docs/client.md). Ends as
// `tenure schedule` does.
//
// Thread rule: runs on the main thread.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/client/api_client.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

enum class EventAction { dead, replay, discard };

struct EventCommandOptions {
  EventAction action = EventAction::dead;
  ServerOptions server;
  Format format = Format::text;
  std::vector<std::string> keys;  // of replay and discard; empty: `all`
  bool all = false;               // those that are dead now
  std::string schedule;           // of dead, and with `all`: only those of this one; empty: any
  bool discarded = false;         // of dead: those that somebody has discarded
  std::size_t count = 100;        // of dead: so many at most
};

ExitCode event_command(const EventCommandOptions& options, Streams& streams);

}  // namespace tenure::cli
