#include "adapters/process/shared_core.h"

#include <sched.h>

#include <mutex>
#include <set>

namespace tenure::process {
namespace {

// The cores that threads of ours keep to.
std::mutex taken_mutex;
std::set<int> taken;

struct Kept {
  int runs = 0;  // that keep this thread where it is
  int core = -1;
  cpu_set_t before{};
};
thread_local Kept kept;

// Where this thread is, unless another one has that core already.
int free_core(const cpu_set_t& allowed) {
  const std::lock_guard lock(taken_mutex);
  const auto free = [&allowed](int core) { return CPU_ISSET(core, &allowed) && !taken.contains(core); };
  int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE || !free(core))
    for (core = 0; core < CPU_SETSIZE && !free(core);) ++core;
  if (core == CPU_SETSIZE) return -1;
  taken.insert(core);
  return core;
}

}  // namespace

SharedCore::SharedCore() {
  if (kept.runs++ > 0) return;
  sched_getaffinity(0, sizeof kept.before, &kept.before);
  kept.core = free_core(kept.before);
  if (kept.core < 0) return;  // more threads than cores: the kernel knows best
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(kept.core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

SharedCore::~SharedCore() {
  if (--kept.runs > 0 || kept.core < 0) return;
  sched_setaffinity(0, sizeof kept.before, &kept.before);
  const std::lock_guard lock(taken_mutex);
  taken.erase(kept.core);
}

void SharedCore::take_in(int process) {
  if (kept.core < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(kept.core, &one);
  sched_setaffinity(process, sizeof one, &one);
}

}  // namespace tenure::process
