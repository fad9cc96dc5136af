#include "adapters/process/spawner.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <future>
#include <mutex>
#include <queue>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/host_failure.h"

namespace tenure::process {
namespace {

constexpr int kForks = 3;  // the number that TENURE_FORKS names

// All that the new process needs, made before the fork: after it, nothing may be allocated.
struct Prepared {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder = nullptr;
  const TheirEnds* ends = nullptr;
  int failed = -1;  // where the new process writes why it cannot run the program
};

// In the new process.
[[noreturn]] void become(const Prepared& prepared, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  // What is open, and was not made to be closed, is none of its business.
  close_range(kForks, UINT32_MAX, CLOSE_RANGE_CLOEXEC);
  dup2(prepared.ends->in.get(), STDIN_FILENO);
  dup2(prepared.ends->out.get(), STDOUT_FILENO);
  dup2(prepared.ends->err.get(), STDERR_FILENO);
  if (prepared.ends->forks.open()) dup2(prepared.ends->forks.get(), kForks);
  if (chdir(prepared.folder) == 0)
    execvpe(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
  const int why = errno;
  static_cast<void>(!write(prepared.failed, &why, sizeof why));
  _exit(127);
}

struct Job {
  const Prepared* prepared = nullptr;
  std::promise<pid_t> made;
};

class Spawner {
 public:
  // Lives as long as the program: what it has started dies with its thread.
  static Spawner& only() {
    static Spawner* const spawner = new Spawner;
    return *spawner;
  }
  pid_t fork_for(const Prepared& prepared) {
    Job job{&prepared, {}};
    std::future<pid_t> made = job.made.get_future();
    {
      const std::lock_guard lock(mutex_);
      jobs_.push(std::move(job));
    }
    some_.notify_one();
    return made.get();
  }

 private:
  Spawner() : thread_([this] { serve(); }) { thread_.detach(); }
  void serve() {
    const pid_t parent = getpid();
    while (true) {
      std::unique_lock lock(mutex_);
      some_.wait(lock, [this] { return !jobs_.empty(); });
      Job job = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      const pid_t child = fork();
      if (child == 0) become(*job.prepared, parent);
      const int why = errno;
      if (child > 0) setpgid(child, child);  // as the child does, whoever comes first
      job.made.set_value(child > 0 ? child : -why);
    }
  }

  std::mutex mutex_;
  std::condition_variable some_;
  std::queue<Job> jobs_;
  std::thread thread_;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_for(const Launch& launch, const TheirEnds& ends) {
  std::vector<std::string> environment;
  if (launch.own_environment) environment = {"PYTHONHASHSEED=0", "TZ=UTC"};
  if (ends.forks.open()) environment.push_back(fmt::format("TENURE_FORKS={}", kForks));
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const auto same_name = [text](const std::string& one) {
      return text.starts_with(one.substr(0, one.find('=') + 1));
    };
    if (std::none_of(environment.begin(), environment.end(), same_name)) environment.emplace_back(text);
  }
  return environment;
}

}  // namespace

int spawn(const Launch& launch, const TheirEnds& ends, std::string& problem) {
  std::vector<std::string> command = launch.command;
  std::vector<std::string> environment = environment_for(launch, ends);
  Ends failed = pipe_to_us();
  Prepared prepared{.arguments = pointers_to(command),
                    .environment = pointers_to(environment),
                    .folder = launch.folder.c_str(),
                    .ends = &ends,
                    .failed = failed.theirs.get()};
  const pid_t child = Spawner::only().fork_for(prepared);
  if (child < 0) throw HostFailure(fmt::format("cannot fork: {}", std::strerror(-child)));
  failed.theirs.close();
  int why = 0;
  if (read(failed.ours.get(), &why, sizeof why) <= 0) return child;
  end_process(child, 0);
  problem = std::strerror(why);
  return 0;
}

std::string ending_text(int code) {
  return code < 0 ? fmt::format("signal {}", -code) : fmt::format("exit status {}", code);
}

std::string end_process(int process, int grace_ms) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
  const auto id = static_cast<id_t>(process);
  siginfo_t info{};
  // It is left a zombie for now, so that its number stays its own, and its group's.
  while (std::chrono::steady_clock::now() < last) {
    waitid(P_PID, id, &info, WEXITED | WNOWAIT | WNOHANG);
    if (info.si_pid == process) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(-process, SIGKILL);
  int status = 0;
  waitpid(process, &status, 0);
  return ending_text(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
}

}  // namespace tenure::process
