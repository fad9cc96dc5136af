// Preloaded into a program that is not ours: its wall clock is wrong by what the first eight bytes of a file say, in
// nanoseconds. That file is ClockSteps (adapters/runtime/machine_clock.h), mapped by both.
//
// Only what goes through the C library is wrong: time(), gettimeofday(), clock_gettime(). Sleeps and waits are as long
// as they were, but for those until a time of the wall clock. A program that asks the kernel itself, as Go's do, keeps
// its clock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t* steps;

__attribute__((constructor)) static void map_steps(void) {
  const char* path = getenv("TENURE_WALL_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;  // a program that it starts, after the run
  void* mapped = mmap(NULL, sizeof *steps, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) steps = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result != 0 || steps == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
    return result;
  const int64_t by = __atomic_load_n(steps, __ATOMIC_SEQ_CST);
  const int64_t nanos = now->tv_nsec + by % 1000000000;
  now->tv_sec += by / 1000000000;
  now->tv_sec += nanos < 0 ? -1 : nanos / 1000000000;
  now->tv_nsec = nanos < 0 ? nanos + 1000000000 : nanos % 1000000000;
  return 0;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* told) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (told != NULL) *told = now.tv_sec;
  return now.tv_sec;
}
