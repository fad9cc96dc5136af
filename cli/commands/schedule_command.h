// `tenure schedule …` and `tenure leader`: a client of a running `tenured` (docs/daemon.md).
//
// They end with 0 if what was asked for is done, 1 if the server refuses it (no such schedule, no permission, changed
// by somebody else), 65 if the input is wrong, and 74 if the server does not answer or cannot.
//
// Thread rule: runs on the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/client/api_client.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

enum class ScheduleAction { list, get, apply, remove, trigger, backfill, pause, resume, next, fires };

struct ScheduleCommandOptions {
  ScheduleAction action = ScheduleAction::list;
  ServerOptions server;
  Format format = Format::text;
  std::vector<std::string> names;
  std::string file;                  // of apply; "-" is standard input
  bool dry_run = false;              // of apply and backfill
  std::string why;                   // of pause and resume
  std::string key;                   // of trigger and backfill: the Idempotency-Key; empty: none
  std::string prefix;                // of list
  std::string state;                 // likewise
  std::vector<std::string> labels;   // likewise
  std::optional<std::string> order;  // likewise
  std::string from;                  // of next: a time in RFC 3339; empty: now; and of backfill
  std::string to;                    // of backfill, likewise: slots before it
  std::vector<std::string> slots;    // of backfill, instead of from and to
  std::size_t count = 10;            // of next and fires
  std::string outcome;               // of fires; empty: any
};

ExitCode schedule_command(const ScheduleCommandOptions& options, Streams& streams);

struct LeaderCommandOptions {
  ServerOptions server;
  Format format = Format::text;
};

// 1 if nobody leads.
ExitCode leader_command(const LeaderCommandOptions& options, Streams& streams);

}  // namespace tenure::cli
