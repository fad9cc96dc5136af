// Designs that are programs, as a user has them: checked, run, hunted, kept, changed and replayed.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;
using testing::in_a_folder;

// A lease without a store: the second instance takes over when it hears nothing for 8 s.
const std::string kProgramFiles = R"(cat >mine.py <<'TEXT'
name = "mine"
claims = {"one-believer": ["no-crash"], "leader-elected": []}
async def node(t):
    if t.number == 1:
        while True:
            t.believe(until_mono=t.mono() + "8s")
            t.send(2, "alive")
            await t.sleep("2s")
    while t.number == 2:
        try:
            await t.deadline("8s", t.receive)
            t.step_down("the first one lives")
        except TimeoutError:
            t.believe(open=True)
TEXT
cat >mine.toml <<TEXT
format = 1
name = "mine"
[sim]
seed = 1
duration = "2m"
[cluster]
node = { command = ["python3", "$SOURCE/adapters/process/shims/python/tenure", "mine.py"] }
[hunt]
families = ["network"]
TEXT
)";

Ended in_a_folder_with_a_program(const std::string& command) {
  return in_a_folder("SOURCE=\"" TENURE_SOURCE_DIR "\"\n" + kProgramFiles + command);
}

TEST(Init, writes_a_lease_in_python_that_passes_and_a_hunt_finds_what_does_not) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init python new; echo \"init $?\"; \"$TENURE\" run new/lease.toml --seeds 1..10 "
      ">/dev/null; "
      "echo \"run $?\"; \"$TENURE\" hunt new/lease.toml --seeds 200 >/dev/null; echo \"hunt $?\";"
      "\"$TENURE\" init python new; echo \"again $?\"");
  expect_out(ended, {"new/lease.py\nnew/lease.toml\nnew/tenure/__init__.py\n",
                     "`tenure hunt new/lease.toml` finds what does not.\ninit 0\nrun 0\nhunt 1\nagain 74\n"});
}

TEST(Init, writes_a_lease_in_go_that_passes_and_a_hunt_finds_what_does_not) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init go new; echo \"init $?\"; \"$TENURE\" run new/lease.toml --seeds 1..10 >/dev/null; "
      "echo \"run $?\"; \"$TENURE\" hunt new/lease.toml --seeds 200 >/dev/null; echo \"hunt $?\"");
  expect_out(ended, {"new/lease.go\nnew/go.mod\nnew/lease.toml\nnew/tenure/", "new/tenure/run.sh\n",
                     "`tenure hunt new/lease.toml` finds what does not.\ninit 0\nrun 0\nhunt 1\n"});
}

TEST(Programs, are_compared_by_their_command) {
  const Ended ended = in_a_folder_with_a_program(
      "\"$TENURE\" compare client-go \"python3 $SOURCE/adapters/process/shims/python/tenure mine.py\" "
      "--seeds 3 --against "
      "\"$SOURCE/scenarios/gauntlet/pause.toml\"; echo \"ended $?\"; "
      "\"$TENURE\" compare \"python3 $SOURCE/adapters/process/shims/python/tenure nowhere.py\"");
  expect_out(ended, "mine.py");
  EXPECT_FALSE(has(ended.out, "fails, ")) << ended.out;
  expect_out(ended, "ended 0");
  EXPECT_EQ(ended.code, 64);
  expect_err(ended, "nowhere.py");
}

TEST(Programs, in_go_that_do_not_compile_are_errors_with_their_place) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init go >/dev/null; echo 'var x int = \"y\"' >>lease.go; \"$TENURE\" check lease.toml; "
      "sed -i 's/\"sh\", [^,]*,/\"go\", \"run\",/' lease.toml; \"$TENURE\" check lease.toml");
  EXPECT_EQ(ended.code, 65);
  expect_err(ended, {"ended with exit status 1: ./lease.go:54:13: cannot use \"y\"",
                     "command = [\"sh\", \"adapters/process/shims/go/tenure/run.sh\", \"lease.go\"]"});
}

TEST(Programs, are_checked_run_and_not_explored) {
  const Ended ended = in_a_folder_with_a_program(
      "\"$TENURE\" check mine.toml; \"$TENURE\" run mine.toml --seeds 1..3 --twice -j2; echo \"run $?\";"
      "\"$TENURE\" hunt --exhaustive mine.toml; echo \"explore $?\"");
  expect_out(ended, {"mine.toml: ok, mine with 3 instances", "run 0\n", "explore 65\n"});
  expect_err(ended, "its program is not copied");
}

TEST(Programs, are_hunted_kept_replayed_and_known_when_they_have_changed) {
  const Ended ended = in_a_folder_with_a_program(
      "\"$TENURE\" hunt mine.toml --seeds 200 >/dev/null; echo \"hunt $?\"; grep -h 'node =' "
      "regressions/mine-*.toml;"
      "\"$TENURE\" replay >one; echo \"replay $?\"; sed -i 's/the first one lives/so be it/' mine.py;"
      "\"$TENURE\" replay >two; grep -c 'has changed' one two; grep -o 'mine.py has changed' two");
  expect_out(ended,
             {"hunt 1\n", "/adapters/process/shims/python/tenure\", \"mine.py\"], folder = \"../\" }\n",
              "replay 1\none:0\ntwo:1\nmine.py has changed\n"});
}

TEST(Programs, that_are_none_are_errors_with_their_place) {
  const Ended ended = in_a_folder_with_a_program("echo 'name = ' >mine.py; \"$TENURE\" check mine.toml");
  EXPECT_EQ(ended.code, 65);
  expect_err(ended, {"mine.toml:7:", "ended with exit status 1: mine.py:1: SyntaxError: invalid syntax\n"});
}

// It is there when it is asked what it is, and gone when a life begins: nobody's design is to blame, and we are not.
// What Lua has, too: names for choices, durations that no recovery waits for, and rules for several parameters.
TEST(Programs, have_choices_and_judge_their_parameters_together) {
  const Ended ended = in_a_folder_with_a_program(R"sh(cat >mine.py <<'TEXT'
name = "mine"
goes_round = True
parameters = {
    "period": {"default": "3s"}, "lease": {"default": "8s"}, "kept": {"default": "168h", "recovery": False},
    "update": {"default": "after", "choices": ["before", "after"]},
}
claims = {"leader-elected": []}
def validate(p):
    return [("period", f"period must be below {p.lease.seconds} s")] if p.period >= p.lease else None
async def node(t):
    if t.p.update != "before" or t.p.kept.seconds != 604800:
        raise ValueError(t.p.update)
    if t.number == 1:
        t.believe(open=True)
TEXT
printf '[election]\nupdate = "before"\n' >>mine.toml
"$TENURE" run mine.toml --format json | grep -o '"verdict":"[a-z]*"' | head -1
"$TENURE" check mine.toml --set election.period=9s; echo "check $?"
"$TENURE" check mine.toml --set election.update=never; echo "check $?"
)sh");
  expect_out(ended, "\"verdict\":\"pass\"\ncheck 65\ncheck 65\n");
  expect_err(ended, {"period must be below 8.0 s\n  --> --set election.period=9s", "unknown update `never`"});
}

TEST(Programs, that_are_named_in_the_wrong_place_or_run_without_the_shim_are_told_where_they_belong) {
  const Ended ended = in_a_folder_with_a_program(
      "sed 's/^node = .*/protocol = \"mine.py\"/' mine.toml >a.toml; \"$TENURE\" check a.toml;"
      "sed 's/^node = .*/protocol = \"db-lease\"\\nscheduler = \"mine.py\"/' mine.toml >b.toml; \"$TENURE\" "
      "check "
      "b.toml; sed 's/\"[^\"]*shims[^\"]*\", //' mine.toml >c.toml; \"$TENURE\" check c.toml");
  expect_err(ended, {"in place of a protocol: node = { command = [\"python3\", ",
                     "a scheduler of your own is a file whose name ends in `.lua`",
                     "mine.py: it was asked what it is, and ended with exit status 0\n",
                     "command = [\"python3\", \"adapters/process/shims/python/tenure\", \"mine.py\"]"});
}

TEST(Programs, that_this_machine_cannot_run_are_no_finding_and_no_error_of_ours) {
  for (const std::string command : {"run", "hunt", "tune"}) {
    const Ended ended = in_a_folder(R"sh(cat >gone.sh <<'TEXT'
#!/bin/sh
read -r line
rm "$0"
echo '{"tenure":1,"name":"gone","parameters":{"period":{"default":"3s"}}}'
TEXT
chmod +x gone.sh
cat >gone.toml <<'TEXT'
format = 1
name = "gone"
[sim]
seed = 1
duration = "1m"
[cluster]
node = { command = ["./gone.sh"] }
[[fault]]
at = "20s"
action = "kill"
target = "leader"
duration = "5s"
[tune]
seeds = 2
objectives = ["failover_seconds.mean"]
[tune.election]
period = ["2s", "3s"]
TEXT
"$TENURE" )sh" + command + " gone.toml");
    EXPECT_EQ(ended.code, 70) << command << ended.out << ended.err;
    expect_err(ended, "error: cannot run `./gone.sh`: No such file or directory");
    EXPECT_FALSE(has(ended.err + ended.out, "internal error")) << ended.err << ended.out;
  }
}

TEST(CheckNode, says_who_keeps_the_protocol) {
  const Ended ended = in_a_folder(
      "cd \"" TENURE_SOURCE_DIR
      "/tests/adapters/process\"; \"$TENURE\" check-node python3 node.py well; echo $?;"
      "\"$TENURE\" check-node python3 node.py is-killed; echo $?; \"$TENURE\" check-node; echo $?;"
      "\"$TENURE\" check-node ./nothing; echo $?");
  expect_out(ended,
             {"mine keeps the node protocol: ",
              " lives in 5 runs\n0\nmine does not keep the node protocol: the program of n1 failed: step 3: ",
              "\n1\n64\n65\n"});
  expect_err(ended, "cannot run `./nothing`: No such file or directory");
}

TEST(CheckNode, asks_a_scheduler_for_the_work_of_slots) {
  const Ended ended = in_a_folder(
      "cd \"" TENURE_SOURCE_DIR
      "/tests/adapters/process\"; for how in well is-lazy 'begins {\"believe\":{\"open\":true}}'; do "
      "\"$TENURE\" check-node python3 poller.py \"$how\"; echo $?; done;"
      "\"$TENURE\" check-node python3 poller.py well both; echo $?");
  expect_out(ended, {"my-poller keeps the node protocol: ",
                     " lives in 5 runs\n0\nmy-poller does not keep the node protocol: ",
                     "`believe` is its election's business"});
  EXPECT_TRUE(ended.out.ends_with(" lives in 5 runs\n0\n")) << ended.out;
}

// The scenario is its own: a user cannot give it another tail.
TEST(CheckNode, waits_for_a_program_with_long_leases) {
  const Ended ended =
      in_a_folder("cd \"" TENURE_SOURCE_DIR
                  "/tests/adapters/process\"; \"$TENURE\" check-node python3 node.py well "
                  "'{\"tenure\":1,\"name\":\"long\",\"parameters\":{\"lease\":{\"default\":\"90s\"},"
                  "\"retention\":{\"default\":\"168h\"}}}'");
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_out(ended, "long keeps the node protocol: ");
}

}  // namespace
}  // namespace tenure::cli
