#include "cli/live/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "adapters/process/spawner.h"
#include "core/base/host_failure.h"

namespace tenure::cli {
namespace {

// So many at a time; a run has far fewer.
constexpr std::size_t kGuarded = 1024;

// In the guard, which has forked from a program of one thread: it hears of each process, and kills those that are left
// when nobody can tell it of any more.
[[noreturn]] void guard(int told) {
  setpgid(0, 0);
  for (const int stop : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(stop, SIG_IGN);
  static int known[kGuarded];
  std::size_t count = 0;
  int process = 0;
  while (read(told, &process, sizeof process) == sizeof process) {
    if (process > 0 && count < kGuarded) known[count++] = process;
    for (std::size_t i = 0; process < 0 && i < count; ++i)
      if (known[i] == -process) known[i--] = known[--count];
  }
  for (std::size_t i = 0; i < count; ++i) kill(-known[i], SIGKILL);
  _exit(0);
}

bool has_ended(int process) {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT | WNOHANG);
  return info.si_pid == process;
}

}  // namespace

Processes::Processes() {
  process::Ends pipe = process::pipe_to_them();
  guarded_ = std::move(pipe.ours);
  guard_ = fork();
  if (guard_ < 0) throw HostFailure(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (guard_ == 0) {
    guarded_.close();
    guard(pipe.theirs.get());
  }
}

Processes::~Processes() {
  end_all();
  guarded_.close();
  waitpid(guard_, nullptr, 0);
}

void Processes::tell_guard(int process, bool begins) {
  const int word = begins ? process : -process;
  static_cast<void>(!write(guarded_.get(), &word, sizeof word));
}

int Processes::start(const std::vector<std::string>& command, const std::string& log,
                     process::Descriptor socket, std::string& problem) {
  process::TheirEnds ends;
  ends.in = process::Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ends.out = process::Descriptor(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!ends.in.open() || !ends.out.open()) {
    problem = fmt::format("cannot write {}: {}", log, std::strerror(errno));
    return 0;
  }
  ends.err = process::Descriptor(fcntl(ends.out.get(), F_DUPFD_CLOEXEC, 0));
  ends.forks = std::move(socket);
  const int process = process::spawn(
      {.command = command, .folder = std::filesystem::current_path().string(), .own_environment = false},
      ends, problem);
  if (process == 0) return 0;
  running_.push_back(process);
  tell_guard(process, true);
  return process;
}

void Processes::signal(int process, int signal) {
  if (std::count(running_.begin(), running_.end(), process) > 0) kill(-process, signal);
}

void Processes::freeze(int process) {
  signal(process, SIGSTOP);
  // A signal is taken by one thread, which tells the others: until then they run.
  for (int tries = 0; tries < 10'000; ++tries) {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(process), &info, WSTOPPED | WNOHANG);
    if (info.si_pid == process || has_ended(process)) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

std::vector<std::pair<int, std::string>> Processes::ended() {
  std::vector<std::pair<int, std::string>> all;
  for (const int process : std::vector<int>(running_)) {
    if (!has_ended(process)) continue;
    std::erase(running_, process);
    tell_guard(process, false);
    all.emplace_back(process, process::end_process(process, 0));
  }
  return all;
}

void Processes::end_all() {
  for (const int process : std::exchange(running_, {})) {
    tell_guard(process, false);
    process::end_process(process, 0);
  }
}

}  // namespace tenure::cli
