// A process of a program that copies itself: it has started and waits, and each life is a copy of it.
//
// A copy of an interpreter takes three milliseconds of a core: one for the copy, and the rest mostly for the pages of
// memory that a life then writes to. To start and to import takes it a hundred. docs/node-protocol.md says, under
// "Faster lives", what a program does for this.
//
// Thread rule: any thread. Outlives the copies.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "adapters/process/child.h"
#include "adapters/process/descriptor.h"

namespace tenure::process {

class ForkServer {
 public:
  ForkServer(std::unique_ptr<Child> process, Descriptor socket);

  // Throws HostFailure when it makes none.
  std::unique_ptr<Child> copy();

 private:
  std::string end(int process, int grace_ms);
  // Sends a request, with these descriptors, and returns the number in the answer.
  int ask(const std::string& request, const TheirEnds* ends);

  std::mutex mutex_;  // one question at a time
  std::unique_ptr<Child> process_;
  Descriptor socket_;
};

}  // namespace tenure::process
