// Preloaded into a `tenured` on SQLite: its wall clock, which is the store's clock, is so many seconds ahead as the
// file at the path in TENURE_CLOCK says. No file: it is right.
//
// Thread rule: any thread.
#include <dlfcn.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

long seconds_ahead() {
  static const char* const path = std::getenv("TENURE_CLOCK");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32] = {};
  const bool said = read(file, text, sizeof text - 1) > 0;
  close(file);
  return said ? std::atol(text) : 0;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto read_clock =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = read_clock(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += seconds_ahead();
  return result;
}
