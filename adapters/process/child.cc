#include "adapters/process/child.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

namespace tenure::process {
namespace {

constexpr std::size_t kMostSaid = 10'000;

// A write to a process that is dead is an error here, and no signal to us.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    if (raised_) {
      const timespec at_once{};
      sigtimedwait(&pipe_, nullptr, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  void was_raised() { raised_ = true; }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool raised_ = false;
};

// How much of it could be written at once. A process that hears nothing more is found dead by what follows.
std::size_t write_some(int fd, std::string_view text) {
  WithoutPipeSignal guard;
  const ssize_t count = write(fd, text.data(), text.size());
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EPIPE) {
    guard.was_raised();
    return text.size();
  }
  return 0;
}

}  // namespace

Standard make_standard() {
  Ends in = pipe_to_them();
  Ends out = pipe_to_us();
  Ends err = pipe_to_us();
  for (const Descriptor* each : {&in.ours, &out.ours, &err.ours}) never_blocks(*each);
  return {{std::move(in.ours), std::move(out.ours), std::move(err.ours)},
          {std::move(in.theirs), std::move(out.theirs), std::move(err.theirs), Descriptor()}};
}

Child::Child(OurEnds ends, int process, End end)
    : ends_(std::move(ends)), process_(process), end_(std::move(end)) {}

Child::~Child() { end(0); }

std::unique_ptr<Child> Child::start(const Launch& launch, std::string& problem) {
  Standard standard = make_standard();
  const int process = spawn(launch, standard.theirs, problem);
  if (process == 0) return nullptr;
  return std::make_unique<Child>(std::move(standard.ours), process,
                                 [process](int grace_ms) { return end_process(process, grace_ms); });
}

std::string Child::end(int grace_ms) {
  if (!end_) return {};
  ends_.in.close();
  const std::string how = std::exchange(end_, nullptr)(grace_ms);
  overhear();
  return how;
}

bool Child::hear() {
  std::array<char, 16'384> buffer;
  const ssize_t count = read(ends_.out.get(), buffer.data(), buffer.size());
  if (count > 0) answer_.append(buffer.data(), static_cast<std::size_t>(count));
  return count == 0;
}

void Child::overhear() {
  std::array<char, 4'096> buffer;
  while (ends_.err.open()) {
    const ssize_t count = read(ends_.err.get(), buffer.data(), buffer.size());
    if (count == 0) ends_.err.close();
    if (count <= 0) return;
    const std::size_t room = kMostSaid - said_.size();
    said_.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
  }
}

Child::Result Child::ask(std::string_view line, std::chrono::milliseconds patience,
                         bool busy_while_it_talks) {
  answer_.clear();
  std::string_view unsent = line;
  unsent.remove_prefix(write_some(ends_.in.get(), unsent));
  const auto begin = std::chrono::steady_clock::now();
  const auto latest = begin + kMostPatience * patience;
  auto last = begin + patience;
  while (true) {
    std::array<pollfd, 3> waiting{pollfd{ends_.out.get(), POLLIN, 0}, pollfd{ends_.err.get(), POLLIN, 0},
                                  pollfd{unsent.empty() ? -1 : ends_.in.get(), POLLOUT, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(last - std::chrono::steady_clock::now());
    const int ready =
        poll(waiting.data(), waiting.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready == 0) return Result::silence;
    if (waiting[1].revents != 0) {
      overhear();
      if (busy_while_it_talks) last = std::min(latest, std::chrono::steady_clock::now() + patience);
    }
    if (waiting[2].revents != 0) unsent.remove_prefix(write_some(ends_.in.get(), unsent));
    if (waiting[0].revents == 0) continue;
    if (hear()) return Result::end;
    const std::size_t newline = answer_.find('\n');
    if (std::min(newline, answer_.size()) > kLongestAnswer) return Result::too_long;
    if (newline == std::string::npos) continue;
    if (newline + 1 != answer_.size()) return Result::too_much;
    answer_.pop_back();
    overhear();  // what it said before it answered is there by now
    return Result::line;
  }
}

std::string Child::take_said() { return std::exchange(said_, {}); }

}  // namespace tenure::process
