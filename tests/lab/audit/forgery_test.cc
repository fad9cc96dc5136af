// A real run's journals, changed: by who does not know of the chain, and by who writes it anew.
//
// The journals are of two schedulers on SQLite, of which the first was killed with SIGKILL and the second went on until
// it was stopped (docs/examples/scheduler.cc).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::sim {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const char* name) {
  std::ifstream file(std::string(TENURE_SOURCE_DIR "/tests/lab/audit/real/") + name);
  EXPECT_TRUE(file.is_open());
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}
std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}
bool has(const std::string& line, std::string_view what) { return line.find(what) != std::string::npos; }

// Numbers and hashes as if nothing else had ever been written.
std::string made_anew(Lines lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t at = lines[i].find("\"seq\":") + 6;
    lines[i].replace(at, lines[i].find(',', at) - at, std::to_string(i + 1));
  }
  return rechained(text_of(lines));
}
template <class Which>
Lines without(Lines lines, Which&& which) {
  std::erase_if(lines, which);
  return lines;
}
// The place of the nth line that has all of this, from 0.
std::size_t place(const Lines& lines, std::initializer_list<std::string_view> what, std::size_t nth) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    bool all = true;
    for (const std::string_view one : what) all = all && has(lines[i], one);
    if (all && nth-- == 0) return i;
  }
  ADD_FAILURE() << "no such line";
  return 0;
}

struct Real {
  Lines killed = lines_of("killed.jsonl");
  Lines stopped = lines_of("stopped.jsonl");

  // Counts from what the store counted.
  Audit audit() const {
    auto audited = audit_texts({made_anew(killed), made_anew(stopped)}, true);
    if (const auto* bad = std::get_if<BadJournal>(&audited)) {
      ADD_FAILURE() << bad->message;
      return {};
    }
    return std::get<Audit>(std::move(audited));
  }
};

TEST(AuditForgery, what_was_not_changed_passes) {
  const Real real;
  const auto audited = audit_texts({text_of(real.killed), text_of(real.stopped)}, true);
  const auto& audit = std::get<Audit>(audited);
  EXPECT_EQ(audit.verdict, Verdict::pass) << (audit.lacking.empty() ? "" : audit.lacking.front());
  for (const char* name :
       {"no-drift", "fires-begin", "work-was-committed", "commits-follow", "work-within-limit"}) {
    ASSERT_NE(find_check(audit, name), nullptr) << name;
    EXPECT_GT(find_check(audit, name)->opportunities, 0U) << name;
  }
  EXPECT_EQ(made_anew(real.stopped), text_of(real.stopped)) << "the forger's chain is the runtime's";
}

// Who does not write the chain anew is found at the next line, whatever he did.
TEST(AuditForgery, without_a_new_chain_is_refused_at_the_next_line) {
  const Real real;
  for (std::size_t i = 1; i + 2 < real.stopped.size(); i += 7) {
    Lines changed = real.stopped;
    const std::size_t mono = changed[i].find("\"mono\":") + 7;
    changed[i][mono + 5] = changed[i][mono + 5] == '1' ? '2' : '1';
    const auto audited = audit_texts({text_of(real.killed), text_of(changed)}, true);
    const auto* bad = std::get_if<BadJournal>(&audited);
    ASSERT_NE(bad, nullptr) << i;
    EXPECT_EQ(bad->message.substr(0, bad->message.find(": ")), "journal.2:" + std::to_string(i + 2));
  }
}

// Later than the killed one can have committed it with its last breath: else that would be lacking, and no failure.
TEST(AuditForgery, work_for_a_slot_that_nobody_committed) {
  Real real;
  const std::size_t at = place(real.stopped, {"\"event\":\"work\""}, 58);
  std::string work = real.stopped[at];
  const std::size_t slot = work.find("\"slot_us\":") + 10;
  work.replace(slot + 10, 6, "125000");  // between two slots
  real.stopped.insert(real.stopped.begin() + static_cast<std::ptrdiff_t>(at) + 1, work);
  EXPECT_EQ(find_check(real.audit(), "work-was-committed")->violation_count, 1U);
}

TEST(AuditForgery, a_committed_fire_that_never_began) {
  Real real;
  const std::size_t at = place(real.stopped, {"\"event\":\"work\""}, 3);
  const std::string slot = real.stopped[at].substr(real.stopped[at].find("\"slot_us\":"), 26);
  real.stopped = without(real.stopped, [&](const std::string& line) {
    return has(line, slot) && (has(line, "\"event\":\"work\"") || has(line, "\"event\":\"work-done\""));
  });
  EXPECT_EQ(find_check(real.audit(), "fires-begin")->violation_count, 1U);
}

TEST(AuditForgery, all_work_taken_out) {
  Real real;
  for (Lines* lines : {&real.killed, &real.stopped})
    *lines = without(*lines, [](const std::string& line) { return has(line, "\"event\":\"work"); });
  EXPECT_GT(find_check(real.audit(), "fires-begin")->violation_count, 5U);
  EXPECT_EQ(real.audit().verdict, Verdict::fail);
}

TEST(AuditForgery, a_commit_taken_out_with_its_work) {
  Real real;
  const std::size_t asked = place(real.stopped, {"\"kind\":\"commit-fires\""}, 3);
  const std::string request = real.stopped[asked].substr(real.stopped[asked].find("\"request\":"), 13);
  const std::string line = real.stopped[asked];
  const std::string rows = line.substr(line.find("\"rows\":"));
  const std::string slot = rows.substr(rows.find("\"slot_us\":"), 26);
  real.stopped = without(real.stopped, [&](const std::string& one) {
    return (has(one, request) && has(one, "\"part\":\"scheduler\"")) ||
           (has(one, slot) && has(one, "\"event\":\"work"));
  });
  const Audit audit = real.audit();
  EXPECT_EQ(audit.verdict, Verdict::fail);
  EXPECT_GT(find_check(audit, "commits-follow")->violation_count, 0U);
}

TEST(AuditForgery, a_changed_result_of_a_commit) {
  Real real;
  const std::size_t at = place(real.stopped, {"\"kind\":\"committed\"", "\"covered\""}, 3);
  real.stopped[at].replace(real.stopped[at].find("\"covered\""), 9, "\"moved\"");
  EXPECT_EQ(real.audit().verdict, Verdict::fail);
}

TEST(AuditForgery, a_changed_slot_is_no_slot_of_the_version) {
  Real real;
  const std::size_t at = place(real.stopped, {"\"kind\":\"commit-fires\""}, 3);
  const std::size_t slot = real.stopped[at].find("\"slot_us\":") + 10;
  real.stopped[at].replace(slot + 10, 6, "125000");
  EXPECT_GT(find_check(real.audit(), "no-drift")->violation_count, 0U);
}

// What was written after the killed one's last line is shown by the store's positions, and by the other's journal.
TEST(AuditForgery, a_tail_that_was_cut_is_no_pass_where_others_went_on) {
  Real real;
  real.killed.resize(place(real.killed, {"\"kind\":\"commit-fires\""}, 4));
  const Audit audit = real.audit();
  EXPECT_NE(audit.verdict, Verdict::pass);
  EXPECT_FALSE(audit.lacking.empty());
}

// Nothing outside of the journal saw what it held at the very end: this cannot be shown.
TEST(AuditForgery, the_last_words_of_the_last_life_cannot_be_missed) {
  Real real;
  real.stopped.pop_back();  // `died`
  EXPECT_EQ(real.audit().verdict, Verdict::pass);
  EXPECT_EQ(real.audit().lives.back().end, AuditedLife::End::none) << "it says so itself";
}

}  // namespace
}  // namespace tenure::sim
