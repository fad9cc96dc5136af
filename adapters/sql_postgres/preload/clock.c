// Preloaded into a Postgres of ours: its time, its timers and its random bytes are the simulator's.
//
// A process of the server reads the time from the page (page.h). A timer that it sets is noted there, and never goes
// off: the simulator sends SIGALRM when the time has come. A backend that wakes, because somebody gave it a lock, goes
// on once it may. So one backend at a time runs, and what they do is in one order.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "adapters/sql_postgres/preload/page.h"

static struct TenureClockPage* page;
static struct TenureBackend* entry;  // of this process, once the simulator has made it
static int64_t alarm_us;
static uint64_t stream, drawn;
static pid_t server;

static void forked(void) {
  server = getppid();
  entry = NULL;
  alarm_us = 0;
  stream = __atomic_load_n(&page->connecting, __ATOMIC_SEQ_CST);
  drawn = 0;
}

__attribute__((constructor)) static void map_page(void) {
  const char* path = getenv("TENURE_CLOCK_PAGE");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) _exit(78);
  page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) _exit(78);
  close(file);
  pthread_atfork(NULL, NULL, forked);
}

static struct TenureBackend* backend(void) {
  const int32_t process = entry == NULL ? getpid() : 0;
  for (int i = 0; entry == NULL && i < kTenureBackends; ++i) {
    if (__atomic_load_n(&page->backends[i].process, __ATOMIC_SEQ_CST) != process) continue;
    entry = &page->backends[i];
    entry->alarm_us = alarm_us;
  }
  return entry;
}

static int64_t now_us(void) {
  int64_t now = __atomic_load_n(&page->now_us, __ATOMIC_SEQ_CST);
  if (now != 0) return now;
  struct timespec real;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
  return real.tv_sec * 1000000LL + real.tv_nsec / 1000;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  int64_t now = now_us();
  time->tv_sec = now / 1000000;
  time->tv_usec = now % 1000000;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  (void)clock;
  int64_t now = now_us();
  time->tv_sec = now / 1000000;
  time->tv_nsec = now % 1000000 * 1000;
  return 0;
}

int setitimer(__itimer_which_t which, const struct itimerval* restrict timer,
              struct itimerval* restrict old) {
  (void)which, (void)old;
  int64_t after = timer->it_value.tv_sec * 1000000LL + timer->it_value.tv_usec;
  alarm_us = after == 0 ? 0 : now_us() + after;
  if (backend() != NULL) __atomic_store_n(&entry->alarm_us, alarm_us, __ATOMIC_SEQ_CST);
  return 0;
}

static void wait_until_it_may_run(void) {
  struct timespec second = {1, 0};  // after which it looks whether its server still lives
  while (__atomic_load_n(&entry->may_run, __ATOMIC_SEQ_CST) == 0) {
    if (getppid() != server) _exit(1);
    syscall(SYS_futex, &entry->may_run, FUTEX_WAIT, 0, &second, NULL, 0);
  }
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout_ms) {
  if (backend() == NULL || timeout_ms == 0) {
    int heard = (int)syscall(SYS_epoll_pwait, epoll, events, most, timeout_ms, NULL, 8);
    if (timeout_ms == 0 || backend() == NULL) return heard;
    int why = errno;
    wait_until_it_may_run();
    errno = why;
    return heard;
  }
  int64_t until = timeout_ms < 0 ? 0 : now_us() + timeout_ms * 1000LL;
  __atomic_store_n(&entry->wakes_us, until, __ATOMIC_SEQ_CST);
  __atomic_store_n(&entry->asleep, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&entry->sleeps, 1, __ATOMIC_SEQ_CST);
  int heard = (int)syscall(SYS_epoll_pwait, epoll, events, most, -1, NULL, 8);
  int why = errno;
  wait_until_it_may_run();
  __atomic_store_n(&entry->asleep, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&entry->wakes_us, 0, __ATOMIC_SEQ_CST);
  if (heard < 0 && why == EINTR && until != 0 && now_us() >= until) return 0;
  errno = why;
  return heard;
}

// From OpenSSL: what gen_random_uuid() and random() begin with.
int RAND_bytes(unsigned char* bytes, int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t mixed = (stream << 32) + ++drawn * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    bytes[i] = (unsigned char)(mixed ^ (mixed >> 31));
  }
  return 1;
}

int RAND_status(void) { return 1; }
