// Keeps a thread on one core while processes of its run live, and has these on the same core.
//
// Only one of them runs at a time: a program waits while we think, and we wait while it thinks. On one core each wakes
// the other at once; across two cores a step takes ten times as long.
//
// Thread rule: belongs to the thread that makes it.
#pragma once

namespace tenure::process {

class SharedCore {
 public:
  SharedCore();
  ~SharedCore();
  SharedCore(const SharedCore&) = delete;
  SharedCore& operator=(const SharedCore&) = delete;

  // Brings a process here.
  static void take_in(int process);
};

}  // namespace tenure::process
