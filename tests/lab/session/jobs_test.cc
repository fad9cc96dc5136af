#include "lab/session/jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tenure::lab {
namespace {

TEST(Jobs, are_taken_in_order_whatever_is_done_first) {
  for (const unsigned threads : {1U, 3U, 16U}) {
    std::vector<std::atomic<int>> done(100);
    std::vector<std::size_t> taken;
    const JobsEnd end = run_jobs(
        100, threads,
        [&](std::size_t job) {
          if (job % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          ++done[job];
        },
        [&](std::size_t job) {
          EXPECT_EQ(done[job], 1);
          taken.push_back(job);
          return true;
        });
    EXPECT_EQ(end, JobsEnd::done);
    ASSERT_EQ(taken.size(), 100u);
    for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], i);
  }
}

TEST(Jobs, of_none_are_done_at_once) {
  EXPECT_EQ(run_jobs(
                0, 4, [](std::size_t) { FAIL(); },
                [](std::size_t) {
                  ADD_FAILURE();
                  return true;
                }),
            JobsEnd::done);
}

TEST(Jobs, never_run_far_ahead_of_what_is_taken) {
  std::atomic<std::size_t> begun = 0;
  std::size_t taken = 0;
  std::size_t most = 0;
  run_jobs(
      500, 2, [&](std::size_t) { ++begun; },
      [&](std::size_t) {
        most = std::max(most, begun - taken);
        ++taken;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        return true;
      });
  EXPECT_LE(most, 2u * 8 + 2);
}

TEST(Jobs, stop_when_the_one_who_takes_has_enough) {
  std::atomic<std::size_t> begun = 0;
  std::vector<std::size_t> taken;
  const JobsEnd end = run_jobs(
      1'000, 2, [&](std::size_t) { ++begun; },
      [&](std::size_t job) {
        taken.push_back(job);
        return job < 9;
      });
  EXPECT_EQ(end, JobsEnd::stopped);
  EXPECT_EQ(taken.size(), 10u);
  EXPECT_LE(begun, 10u + 2 * 8 + 2);
}

TEST(Jobs, that_throw_end_it_after_those_before_them_and_are_thrown_to_the_caller) {
  for (const unsigned threads : {1U, 4U}) {
    std::vector<std::size_t> taken;
    try {
      run_jobs(
          1'000, threads,
          [&](std::size_t job) {
            if (job == 9 || job == 11) throw std::runtime_error("job " + std::to_string(job));
          },
          [&](std::size_t job) {
            taken.push_back(job);
            return true;
          });
      FAIL() << "it went on";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "job 9");
    }
    EXPECT_EQ(taken.size(), 9u);
  }
}

}  // namespace
}  // namespace tenure::lab
