// Designs as a user has them: begun by `tenure init`, run, hunted, kept, changed and replayed.
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
using testing::tenure;

TEST(Init, writes_a_lease_that_passes_and_a_hunt_finds_what_does_not) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init lease new; echo \"init $?\"; \"$TENURE\" run new/lease.toml --seeds 1..20 "
      ">/dev/null; echo \"run "
      "$?\";"
      "\"$TENURE\" hunt new/lease.toml --seeds 500 >/dev/null; echo \"hunt $?\"; ls regressions | grep -c "
      "lease-");
  EXPECT_EQ(
      ended.out,
      "new/lease.lua\nnew/lease.toml\n`tenure run new/lease.toml` passes: a crash and an outage leave one "
      "leader. `tenure hunt new/lease.toml` finds what does not.\ninit 0\nrun 0\nhunt 1\n1\n")
      << ended.err;
}

TEST(Init, writes_a_job_table_that_passes_and_a_hunt_finds_what_is_done_twice) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init job-table >/dev/null; \"$TENURE\" run job-table.toml --seeds 1..20 >/dev/null; echo "
      "\"run "
      "$?\"; \"$TENURE\" hunt job-table.toml --seeds 500 >/dev/null; echo \"hunt $?\"; ls regressions");
  expect_out(ended, "run 0\nhunt 1\njob-table-no-duplicate-fire-");
}

TEST(Init, writes_a_design_that_fails_as_it_says) {
  const Ended ended = in_a_folder("\"$TENURE\" init empty && \"$TENURE\" run empty.toml; echo \"run $?\"");
  expect_out(ended, "run 1\n");
}

TEST(Init, names_the_files_of_another_folder_as_a_shell_needs_them) {
  const Ended ended = in_a_folder("\"$TENURE\" init client-go there");
  EXPECT_TRUE(has(ended.out, "there/client-go.toml\n`tenure advise there/client-go.toml` says")) << ended.out;
}

TEST(Check, warns_of_a_statement_that_is_no_sql) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init lease >/dev/null && sed -i s/RETURNING/RETURNIN/ lease.lua && \"$TENURE\" check "
      "lease.toml; "
      "\"$TENURE\" run lease.toml --seed 1");
  EXPECT_TRUE(has(ended.err, "lease.lua:2: not valid SQL: syntax error at or near \"RETURNIN\""))
      << ended.err;
  const std::size_t statement = ended.out.find("error 42601: syntax error at or near");
  EXPECT_LT(statement, ended.out.find("nobody ever led")) << ended.out;
}

TEST(Init, replaces_no_file_and_knows_what_there_is) {
  const Ended ended =
      in_a_folder("echo mine >lease.toml; \"$TENURE\" init lease; echo $?; cat lease.toml; ls lease.lua");
  EXPECT_EQ(ended.out, "74\nmine\n") << ended.err;
  expect_err(ended, "lease.toml exists; nothing was written");
  EXPECT_TRUE(has(tenure({"init", "leese"}).err, "did you mean `lease`?"));
  EXPECT_EQ(tenure({"init", "leese"}).code, 64);
  for (const std::string& listed : {tenure({"init", "--help"}).out, tenure({"init"}).err})
    EXPECT_TRUE(has(listed, "redlock, scheduler, lease, job-table, empty, python, go")) << listed;
}

TEST(Init, writes_the_settings_of_known_systems) {
  const Ended ended = in_a_folder(
      "for each in client-go controller-runtime k8s-cronjob postgres-lease etcd redlock scheduler; do "
      "\"$TENURE\" init "
      "$each "
      ">/dev/null && \"$TENURE\" run $each.toml --seed 1 --set sim.duration=40m >/dev/null; echo \"$each "
      "$?\"; done");
  EXPECT_EQ(
      ended.out,
      "client-go 0\ncontroller-runtime 0\nk8s-cronjob 0\npostgres-lease 0\netcd 0\nredlock 0\nscheduler 0\n")
      << ended.err;
}

TEST(Designs, that_have_changed_are_named_by_a_replay) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init lease; \"$TENURE\" hunt lease.toml --seeds 500 >/dev/null; \"$TENURE\" replay >one;"
      "sed -i 's/the attempt failed/it failed/' lease.lua; \"$TENURE\" replay >two;"
      "grep -c 'has changed' one two; grep -h -o '../lease.lua has changed since this was kept' two");
  EXPECT_EQ(ended.out.substr(ended.out.find("one:")),
            "one:0\ntwo:1\n../lease.lua has changed since this was kept\n")
      << ended.err;
}

TEST(Designs, are_tuned_and_shrunk_and_not_explored) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init lease >/dev/null; printf '[tune]\\nseeds = 3\\n[tune.election]\\nrenew_period = "
      "\"1s..4s\"\\n' "
      ">>lease.toml;"
      "\"$TENURE\" tune lease.toml >tuned; echo \"tune $?\"; grep -c renew_period tuned;"
      "\"$TENURE\" hunt --exhaustive lease.toml; echo \"explore $?\"");
  expect_err(ended, "lease is a design in a file");
  expect_out(ended, "explore 65\n");
}

TEST(Designs, with_errors_are_told_with_their_place) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" init lease >/dev/null; printf 'return {\\n  name = ,\\n}' >lease.lua; \"$TENURE\" check "
      "lease.toml");
  EXPECT_EQ(ended.code, 65);
  expect_err(ended, {"error: lease.lua:2: unexpected symbol near ','", "name = ,"});
}

// TEXT goes into mine.lua, beside a scenario that names it.
const std::string kMine = R"sh(
mine() {
  cat >mine.lua
  printf 'format = 1\nname = "mine"\n[sim]\nseed = 1\nduration = "1m"\n' >mine.toml
  printf '[cluster]\nprotocol = "mine.lua"\n' >>mine.toml
}
)sh";

TEST(Designs, are_warned_of_what_they_leave_open_and_of_doing_nothing) {
  const Ended ended = in_a_folder(kMine + R"sh(
    mine <<'TEXT'
return { name = "mine", schema = "CREATE TABLE jobs (id int)",
  node = function(t)
    local function loop()
      t.sql{"SELECT id FROM jobs LIMIT 1"}
    end
  end }
TEXT
    "$TENURE" check mine.toml; echo $?; "$TENURE" run mine.toml >/dev/null)sh");
  for (const char* said :
       {"warning: mine.toml: mine.lua: `node` returned at once and left nothing that goes on",
        "warning: mine.toml: mine.lua:4: LIMIT without ORDER BY: it is not said which rows it takes"}) {
    const std::size_t first = ended.err.find(said);
    EXPECT_NE(first, std::string::npos) << said << ended.err;
    EXPECT_NE(ended.err.find(said, first + 1), std::string::npos) << "`run` says it too: " << ended.err;
  }
  EXPECT_EQ(ended.out, "mine.toml: ok, mine with 3 instances, 0 faults, 0 schedules\n0\n");
}

TEST(Designs, with_a_schema_for_postgres_alone_run_there) {
  const Ended ended = in_a_folder(kMine + R"sh(
    mine <<'TEXT'
return { name = "mine", schema = "CREATE TABLE jobs (id int, tags text[])",
  node = function(t)
    t.believe{open = true}
    assert(t.sql{"SELECT count(*) AS n FROM jobs WHERE 'a' = ANY (tags)"}[1].n == 0)
  end }
TEXT
    "$TENURE" check mine.toml; echo $?
    printf '[store]\nengine = "sqlite"\n' | cat mine.toml - >sqlite.toml; "$TENURE" check sqlite.toml; echo $?
    printf '[store]\nengine = "postgres"\n' | cat mine.toml - >postgres.toml; "$TENURE" check postgres.toml; echo $?
    "$TENURE" run postgres.toml | grep -o 'design-error.*')sh");
  EXPECT_EQ(ended.out.substr(0, 6), "65\n65\n") << ended.out << ended.err;
  expect_err(ended, {"error: schema: line 1, column 33: arrays: text[]", "--> mine.toml:7:12\n",
                     "[store] engine = \"postgres\" takes all that Postgres does"});
  expect_out(ended, {"postgres.toml: ok", "design-error (3)"});
}

}  // namespace
}  // namespace tenure::cli
