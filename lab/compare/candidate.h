// A design as it is compared: who elects, who schedules, and with which settings.
//
//   fenced-lease                             an election alone, with its defaults
//   client-go:60/40/5                        durations of its parameters, in their order, in seconds unless they say
//   my-lease.lua:lock_duration=10s           parameters by name; a file of the user's
//   …:scheduling.request_timeout=1s          of this part, where both have it
//   fenced-lease+fenced-outbox:15/5,batch=10 an election, and a scheduler on it
//   "python3 shim my_node.py:ttl=8s"         the command of a program that speaks the node protocol: more than one word
//   advisory-lock.lua:engine=postgres        the engine that its statements run on
//   client-go:on_loss=exit,startup=15s       the program around it: on_loss, startup and warmup of [work]
//
// Thread rule: pure functions, except that a design's file may be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "format/syntax/document.h"
#include "sim/scenario/design_files.h"

namespace tenure::lab {

struct Candidate {
  std::string name;  // as it was written, without the folders of files
  std::string protocol;
  std::vector<std::string>
      command;            // of a program, which `protocol` has as it was written; empty: no program
  std::string scheduler;  // empty: none
  std::vector<format::Override> settings;  // of [election] and [scheduling], and what is around them
  const ElectorKind* kind = nullptr;
  const SchedulerKind* scheduler_kind = nullptr;  // null: none
  // What it was brought to, to be compared at one price (price.h).
  struct Tuned {
    std::vector<format::Override> settings;
    std::int64_t cost = 0;  // in the price's unit
  };
  std::optional<Tuned> tuned = {};  // none: it is compared as it was written
};

struct ReadCandidate {
  std::optional<Candidate> candidate;
  std::string problem = {};  // why there is none, for people
  std::string hint = {};
};

// Whether there is a file of this path.
using IsFile = bool(std::string_view path);

// `designs`: files and programs of users, by their paths from the folder that we are in; null: there are none. Values
// of settings are checked with the situation, not here. `is_file`: so that paths can have `:` and `+` in them; null:
// they have none.
ReadCandidate read_candidate(std::string_view text, const sim::DesignFiles* designs,
                             IsFile* is_file = nullptr);

}  // namespace tenure::lab
