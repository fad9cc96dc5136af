#include "adapters/process/shared_core.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>
#include <utility>

namespace tenure::process {
namespace {

cpu_set_t cores_of(int process) {
  cpu_set_t cores;
  sched_getaffinity(process, sizeof cores, &cores);
  return cores;
}

TEST(SharedCore, holds_a_thread_and_whom_it_takes_in_and_lets_the_thread_go) {
  const cpu_set_t before = cores_of(0);
  {
    const SharedCore one;
    std::optional<SharedCore> other(std::in_place);
    const cpu_set_t held = cores_of(0);
    EXPECT_EQ(CPU_COUNT(&held), 1);
    other.reset();
    const cpu_set_t still = cores_of(0);
    EXPECT_TRUE(CPU_EQUAL(&still, &held)) << "a run goes on";

    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    cpu_set_t all = before;
    sched_setaffinity(child, sizeof all, &all);
    SharedCore::take_in(child);
    const cpu_set_t theirs = cores_of(child);
    EXPECT_TRUE(CPU_EQUAL(&theirs, &held));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  const cpu_set_t after = cores_of(0);
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
}

TEST(SharedCore, is_another_one_for_each_thread_as_long_as_there_are_some) {
  const cpu_set_t before = cores_of(0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "this machine has one core";
  const SharedCore ours;
  const cpu_set_t held = cores_of(0);
  std::thread([&] {
    sched_setaffinity(0, sizeof before, &before);  // a new thread begins with its maker's
    const SharedCore theirs;
    const cpu_set_t other = cores_of(0);
    EXPECT_EQ(CPU_COUNT(&other), 1);
    EXPECT_FALSE(CPU_EQUAL(&other, &held));
  }).join();
}

}  // namespace
}  // namespace tenure::process
