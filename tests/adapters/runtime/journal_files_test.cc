// Journals in files of a bounded size: nothing is lost between two of them, and one that is missing is noticed.
#include "adapters/runtime/journal_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "adapters/runtime/journal.h"
#include "lab/audit/audit.h"
#include "tests/support/temporary.h"

namespace tenure::testing {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct JournalFilesTest : ::testing::Test {
  // What a life without an end says, in files of a few lines each.
  void write_life(std::uint32_t node, int remarks, std::uint32_t keep = 0) {
    JournalFiles files({.path = path, .bytes_max = 800, .keep = keep});
    RuntimeJournal journal(files.sink());
    const Incarnation who{{node}, 1};
    std::int64_t at = 1'000'000'000;
    const auto now = [&at] {
      at += 1'000'000;
      return journal::Stamp{journal::BootTime::from_ns(at), MonoTime::from_ns(at)};
    };
    journal.write(now(), who, journal::LifeBegan{"a boot"});
    for (int i = 0; i < remarks; ++i) journal.write(now(), who, Note(Annotation{"nothing", i}));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  // Without those that are named.
  std::variant<lab::Audit, lab::BadJournal> audit_all(const std::vector<std::string>& without,
                                                      bool start_missing) {
    std::vector<lab::NodeJournal> journals;
    for (const std::string& name : names()) {
      if (std::find(without.begin(), without.end(), name) != without.end()) continue;
      auto read = lab::read_journal(name, text_of_file(folder.path() + "/" + name));
      if (auto* bad = std::get_if<lab::BadJournal>(&read)) return *bad;
      journals.push_back(std::get<lab::NodeJournal>(std::move(read)));
    }
    return lab::audit(std::move(journals), start_missing);
  }
  std::string refused(const std::vector<std::string>& without) {
    const auto audited = audit_all(without, false);
    const auto* bad = std::get_if<lab::BadJournal>(&audited);
    return bad == nullptr ? "" : bad->message;
  }

  TemporaryFolder folder;
  std::string path = folder.path() + "/j";
};

// While it lives, a file takes no more than its first bytes, as on a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit full{bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST_F(JournalFilesTest, a_file_that_is_full_is_put_aside_and_the_chain_goes_on) {
  write_life(1, 30);
  const std::vector<std::string> files = names();
  ASSERT_GT(files.size(), 5u);
  EXPECT_EQ(files[0], "j");
  EXPECT_EQ(files[1], "j.000001");
  for (const std::string& name : files) EXPECT_LE(text_of_file(folder.path() + "/" + name).size(), 800u);
  EXPECT_EQ(refused({}), "");
}

TEST_F(JournalFilesTest, a_process_that_begins_again_begins_a_file) {
  write_life(1, 3);
  const std::size_t before = names().size();
  write_life(2, 1);
  EXPECT_EQ(names().size(), before + 1);
  EXPECT_EQ(refused({}), "");
}

TEST_F(JournalFilesTest, only_so_many_are_kept_as_are_wanted) {
  write_life(1, 30, 2);
  EXPECT_EQ(names().size(), 3u);
  EXPECT_NE(names()[1], "j.000001");
}

TEST_F(JournalFilesTest, an_audit_names_the_file_whose_predecessor_is_not_there) {
  write_life(1, 30);
  EXPECT_EQ(refused({"j.000001"}),
            "j.000002:1: the file before this one is missing: its first line follows a line that none of "
            "these files "
            "ends with; where it was deleted on purpose, --start-missing judges what is left");
}

TEST_F(JournalFilesTest, an_audit_names_the_lines_that_are_missing_in_the_middle_and_is_no_pass) {
  write_life(1, 30);
  for (const bool start_missing : {false, true}) {
    const auto audited = audit_all({"j.000003"}, start_missing);
    const auto* audit = std::get_if<lab::Audit>(&audited);
    ASSERT_NE(audit, nullptr) << std::get<lab::BadJournal>(audited).message;
    EXPECT_EQ(audit->verdict, sim::Verdict::inconclusive);
    ASSERT_FALSE(audit->lacking.empty());
    EXPECT_NE(audit->lacking[0].find("of this life of node 1 are missing between j.000002:"),
              std::string::npos)
        << audit->lacking[0];
    EXPECT_NE(
        audit->lacking[0].find(" and j.000004:1: a full disk did not take them, or a file is not given"),
        std::string::npos)
        << audit->lacking[0];
  }
}

TEST_F(JournalFilesTest, a_start_that_is_missing_on_purpose_is_said_and_is_no_pass) {
  write_life(1, 30);
  const auto audited = audit_all({"j.000001"}, true);
  const auto* audit = std::get_if<lab::Audit>(&audited);
  ASSERT_NE(audit, nullptr) << std::get<lab::BadJournal>(audited).message;
  EXPECT_EQ(audit->verdict, sim::Verdict::inconclusive);
  const auto says = [&](std::string_view words) {
    return std::any_of(audit->lacking.begin(), audit->lacking.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("not judged before"));
}

// Each Runtime has a chain of its own: in one file, every line of one would break the other's.
TEST_F(JournalFilesTest, two_runtimes_cannot_write_one_journal) {
  JournalFiles files({.path = path});
  files.sink();
  EXPECT_DEATH(files.sink(),
               "j: another Runtime of this process writes this journal: make a JournalFiles for each");
}

TEST_F(JournalFilesTest, a_path_has_one_journal_at_a_time_however_it_is_spelled) {
  const std::string refusal =
      "another JournalFiles, of this process or another, writes this journal: give each a path of its own";
  std::filesystem::create_directory_symlink(folder.path(), folder.path() + "/link");
  {
    JournalFiles files({.path = path});
    for (const std::string& spelled : {path, folder.path() + "/./j", folder.path() + "/link/j"})
      EXPECT_DEATH(JournalFiles({.path = spelled}), "j: " + refusal);
    JournalFiles beside({.path = path + "2"});
  }
  JournalFiles after({.path = path});
}

// A second process with the same path, as after a copied unit file or a start before the first one has stopped.
TEST_F(JournalFilesTest, a_path_is_free_again_when_the_process_that_wrote_it_is_gone) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    JournalFiles files({.path = path, .bytes_max = 10});
    for (const char* line : {"first", "second"}) files.take(line);  // the file it has now is not its first
    [[maybe_unused]] const auto told = write(ready[1], "r", 1);
    for (;;) pause();
  }
  char told = 0;
  ASSERT_EQ(read(ready[0], &told, 1), 1);
  EXPECT_DEATH(JournalFiles({.path = path}), "of this process or another, writes this journal");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (const int end : ready) close(end);
  { JournalFiles after({.path = path}); }
  EXPECT_EQ(text_of_file(path + ".000001"), "first\n");
  EXPECT_EQ(text_of_file(path + ".000002"), "second\n");
}

// Its own count of files would name one that is there.
TEST_F(JournalFilesTest, a_file_that_was_put_aside_is_never_written_over) {
  JournalFiles files({.path = path, .bytes_max = 10});
  files.take("first");
  std::ofstream(path + ".000001") << "somebody's";
  files.take("second");
  EXPECT_EQ(text_of_file(path + ".000001"), "somebody's");
  EXPECT_EQ(text_of_file(path + ".000002"), "first\n");
}

// A disk that is full in the middle of a line; a limit on the size of a file is as good.
TEST_F(JournalFilesTest, a_line_that_does_not_fit_is_lost_as_a_whole_and_the_next_begins_a_file) {
  std::vector<std::string> said;
  JournalFiles files({.path = path, .trouble = [&](std::string_view words) { said.emplace_back(words); }});
  files.take("before");
  {
    const FullDisk full(10);
    for (int i = 0; i < 3; ++i) files.take("too long for what is left");
  }
  files.take("after");
  EXPECT_EQ(text_of_file(path + ".000001"), "before\n");
  EXPECT_EQ(text_of_file(path), "after\n");
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].find("the journal cannot be written: File too large; lines are lost"), std::string::npos)
      << said[0];
  EXPECT_NE(said[1].find("the journal is written again: 3 lines before this one are missing"),
            std::string::npos)
      << said[1];
}

// What the disk did not take is a gap between two files: the audit judges what is on both sides of it.
TEST_F(JournalFilesTest, a_disk_that_was_full_for_a_while_leaves_journals_that_can_be_judged) {
  {
    JournalFiles files({.path = path, .trouble = [](std::string_view) {}});
    RuntimeJournal journal(files.sink());
    const Incarnation who{{1}, 1};
    std::int64_t at = 1'000'000'000;
    const auto remark = [&](std::int64_t i) {
      at += 1'000'000;
      const journal::Stamp now{journal::BootTime::from_ns(at), MonoTime::from_ns(at)};
      journal.write(
          now, who,
          i == 0 ? journal::JournalEvent(journal::LifeBegan{"a boot"}) : Note(Annotation{"nothing", i}));
    };
    for (int i = 0; i < 10; ++i) remark(i);
    {
      const FullDisk full(10);
      for (int i = 10; i < 15; ++i) remark(i);
    }
    for (int i = 15; i < 20; ++i) remark(i);
  }
  ASSERT_EQ(names().size(), 2u);
  const auto audited = audit_all({}, false);
  const auto* audit = std::get_if<lab::Audit>(&audited);
  ASSERT_NE(audit, nullptr) << std::get<lab::BadJournal>(audited).message;
  EXPECT_EQ(audit->lacking[0],
            "lines 11 to 15 of this life of node 1 are missing between j.000001:10 and j:1: a full disk did "
            "not take "
            "them, or a file is not given");
}

TEST_F(JournalFilesTest, a_file_that_is_deleted_or_moved_while_it_is_written_is_said_and_begun_anew) {
  std::vector<std::string> said;
  JournalFiles files({.path = path, .trouble = [&](std::string_view words) { said.emplace_back(words); }});
  files.take("one");
  std::filesystem::remove(path);
  files.take("two");
  std::filesystem::rename(path, path + ".1");
  files.take("three");
  EXPECT_EQ(text_of_file(path + ".1"), "two\n");
  EXPECT_EQ(text_of_file(path), "three\n");
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].find("the journal was moved or deleted while it was written"), std::string::npos)
      << said[0];
}

// Who may write the file may still not rename it. Nothing is lost, so there is one word when it begins, and one when it
// ends.
TEST_F(JournalFilesTest, a_full_file_that_cannot_be_put_aside_grows_and_is_said_once_until_it_can_be) {
  std::vector<std::string> said;
  JournalFiles files(
      {.path = path, .bytes_max = 10, .trouble = [&](std::string_view words) { said.emplace_back(words); }});
  const bool root = geteuid() == 0;  // whom no folder refuses
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  EXPECT_EQ(root ? seteuid(65534) : 0, 0);
  for (const char* line : {"one", "two", "three", "four", "five"}) files.take(line);
  EXPECT_EQ(root ? seteuid(0) : 0, 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(text_of_file(path), "one\ntwo\nthree\nfour\nfive\n");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("the journal cannot be put aside: Permission denied; it grows until it can be"),
            std::string::npos)
      << said[0];
  files.take("six");
  EXPECT_EQ(text_of_file(path), "six\n");
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[1].find("the journal is put aside again"), std::string::npos) << said[1];
}

TEST_F(JournalFilesTest, a_disk_that_takes_nothing_is_said_once) {
  std::vector<std::string> said;
  JournalFiles files({.path = folder.path() + "/no/such/folder/j",
                      .trouble = [&](std::string_view words) { said.emplace_back(words); }});
  files.take("one");
  files.take("two");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("the journal cannot be opened: No such file or directory"), std::string::npos)
      << said[0];
}

}  // namespace
}  // namespace tenure::testing
