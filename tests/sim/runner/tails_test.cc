// The rule for the tail (sim/faults/recovery.h) is long enough: what is demanded comes true in a tail of just that
// length, wherever the fault phase ends; and one that is a nanosecond shorter is an error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/faults/recovery.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

struct Tail {
  const char* name;
  std::int64_t least = 0;  // seconds of the fault phase
  std::int64_t most = 0;
  const char* text;
};

const Tail kTails[] = {
    {"stall_timeout", 286, 296,
     "[scheduling]\nstall_timeout = \"60s\"\n[[schedule]]\nname = \"a\"\nevery = \"1s\"\n"
     "[[fault]]\nat = \"1m\"\naction = \"rights-lost\"\ntarget = \"all\"\n"},
    {"grace", 146, 150,
     "[[schedule]]\nname = \"a\"\nevery = \"5s\"\ngrace = \"50s\"\nmisfire = \"skip\"\njitter = \"4s\"\n"
     "[[schedule]]\nname = \"b\"\nevery = \"1m\"\njitter = \"50s\"\ngrace = \"2m\"\nmisfire = \"fire_once\"\n"
     "[[fault]]\nat = \"2m\"\naction = \"kill\"\ntarget = \"all\"\n"},
    {"max_running", 60, 63,
     "[scheduling]\nmax_running = 3\n[work]\nduration = \"20s\"\n[[schedule]]\nname = \"a\"\nevery = "
     "\"2s\"\n"},
    {"queue_one", 60, 63,
     "[work]\nduration = \"45s\"\n[[schedule]]\nname = \"a\"\nevery = \"2s\"\noverlap = \"queue_one\"\n"},
    {"work_retry", 100, 104,
     "[work]\nduration = \"1s\"\nfailing = 0.9\n[scheduling]\nwork_retry = \"40s\"\nwork_attempts = 50\n"
     "[[schedule]]\nname = \"a\"\nevery = \"5s\"\noverlap = \"queue_one\"\n"
     "[[schedule]]\nname = \"b\"\nevery = \"5s\"\noverlap = \"skip\"\n"},
    {"poll_period", 60, 64,
     "[scheduling]\npoll_period = \"2m\"\n[[schedule]]\nname = \"a\"\nevery = \"5s\"\n"
     "[[change]]\nat = \"59s\"\naction = \"trigger\"\nschedule = \"a\"\n"},
    {"paused", 60, 64,
     "[[schedule]]\nname = \"a\"\nevery = \"1s\"\n[[change]]\nat = \"59s\"\naction = \"pause\"\nschedule = "
     "\"a\"\n"},
    {"clock_hold", 60, 64,
     "[[schedule]]\nname = \"a\"\nevery = \"1s\"\n[[fault]]\nat = \"59s\"\naction = \"store-clock-step\"\nby "
     "= \"5s\"\n"},
};

std::string file_of(const Tail& tail, std::int64_t duration, Duration length) {
  return fmt::format(
      "format = 1\nname = \"x\"\n[sim]\nduration = \"{}s\"\ntail = \"{}ns\"\n[cluster]\ninstances = 1\n"
      "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n{}",
      duration, length.ns(), tail.text);
}

class Tails : public ::testing::TestWithParam<Tail> {};

TEST_P(Tails, are_long_enough_by_the_rule_and_refused_below_it) {
  for (std::int64_t duration = GetParam().least; duration <= GetParam().most; ++duration) {
    const Duration needed = recovery(parsed(file_of(GetParam(), duration, Duration::hours(1))));
    const RunResult result = run(parsed(file_of(GetParam(), duration, needed)), 1);
    for (const CheckResult& check : result.checks)
      EXPECT_NE(check.verdict, Verdict::fail) << check.name << " after " << duration << "s";
    EXPECT_FALSE(
        format::parse_scenario("x", file_of(GetParam(), duration, needed - Duration::nanos(1))).scenario);
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, Tails, ::testing::ValuesIn(kTails),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace tenure::sim
