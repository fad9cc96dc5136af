// What a server of ours and the simulator share: one page of memory, mapped from a file by both.
//
// In C, for the library that is preloaded into the server.
//
// Thread rule: `now_us`, `connecting`, `process`, `may_run` are written by the simulator, and the rest by the backend
// that the entry belongs to.
#pragma once

#include <stdint.h>

enum { kTenureBackends = 96 };

struct TenureBackend {
  int32_t process;   // 0: the entry is free
  uint32_t may_run;  // 0: it stands still as soon as it wakes
  uint32_t sleeps;   // how often it has gone to sleep
  uint32_t asleep;   // 1: it sleeps, or has woken and may not run
  int64_t alarm_us;  // when its timer goes off; 0: it has none
  int64_t wakes_us;  // when its sleep is over by itself; 0: never
};

struct TenureClockPage {
  int64_t now_us;       // since the Unix epoch; 0: the machine's own clock
  uint64_t connecting;  // the connection that is being opened, by order of opening
  struct TenureBackend backends[kTenureBackends];
};
