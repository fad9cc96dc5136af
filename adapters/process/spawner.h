// Starts programs, from a thread that lives as long as we do.
//
// The kernel is asked to kill each child when its parent dies (PR_SET_PDEATHSIG). It takes the thread that forked for
// the parent, and threads that run scenarios end early.
//
// Thread rule: any thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/process/descriptor.h"

namespace tenure::process {

// What a program is started with.
struct Launch {
  std::vector<std::string> command;
  std::string folder;           // that it runs in
  bool own_environment = true;  // with what would let two processes differ fixed; false: ours as it is
};

// The ends that the new process gets: standard input, output and error, and number 3 if it is open.
struct TheirEnds {
  Descriptor in;
  Descriptor out;
  Descriptor err;
  Descriptor forks;
};

// The process's id, which is also that of a group of its own. 0: it cannot be started, and `problem` says why.
int spawn(const Launch& launch, const TheirEnds& ends, std::string& problem);

// How the process has ended: "exit status 1", "signal 9". Kills it and its group after `grace_ms`, if it still lives.
std::string end_process(int process, int grace_ms);
// The same of a number as Python gives it: below zero for a signal.
std::string ending_text(int code);

}  // namespace tenure::process
