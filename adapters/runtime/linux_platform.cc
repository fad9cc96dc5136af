#include "adapters/runtime/linux_platform.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "core/base/check.h"

namespace tenure {
namespace {

// CLOCK_BOOTTIME may run slower than the clock of the nodes, by as much as a time daemon slews it. So the loop sleeps
// for a part of a long wait, and looks again.
Duration nap(Duration left) { return left > Duration::millis(10) ? left - left / 8 : left; }

}  // namespace

LinuxPlatform::LinuxPlatform(ClockError clock_error)
    : clock_(clock_error),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      alarm_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  CHECK(wake_ >= 0 && alarm_ >= 0, "the system has file descriptors left");
}

LinuxPlatform::~LinuxPlatform() {
  ::close(wake_);
  ::close(alarm_);
}

void LinuxPlatform::wake() {
  const std::uint64_t one = 1;
  CHECK(::write(wake_, &one, sizeof one) == sizeof one || errno == EAGAIN, "an eventfd can be written to");
}

void LinuxPlatform::wait(std::optional<MonoTime> alarm) {
  itimerspec set{};  // all zeros: no alarm
  if (alarm && *alarm != MonoTime::max()) {
    const std::int64_t left = std::max<std::int64_t>(nap(*alarm - clock_.mono()).ns(), 1);
    set.it_value = {.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
  }
  CHECK(timerfd_settime(alarm_, 0, &set, nullptr) == 0, "a timer can be set");
  pollfd fds[] = {{.fd = wake_, .events = POLLIN, .revents = 0},
                  {.fd = alarm_, .events = POLLIN, .revents = 0}};
  ::poll(fds, 2, -1);  // interrupted or not: whoever wakes looks at everything
  std::uint64_t count = 0;
  for (const pollfd& fd : fds)
    if ((fd.revents & POLLIN) != 0) CHECK(::read(fd.fd, &count, sizeof count) >= 0 || errno == EAGAIN);
}

std::unique_ptr<StoreChannel> LinuxPlatform::open(const Connect& connect) {
  return std::make_unique<StoreWorker>(connect, clock_);
}

}  // namespace tenure
