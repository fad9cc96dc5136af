// Journals before the checkers: as text in journals/, and here what becomes of their files.
#include "lab/audit/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "lab/audit/feed.h"
#include "sim/checkers/checker.h"
#include "tests/lab/audit/journal_talk.h"
#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

// The first leads, fires a slot, and leads on; the second is there.
struct Handover {
  Process first{1};
  Process second{2};

  Handover() {
    first.starts(0);
    second.starts(5);
    first.leads(100, term(1));
    first.commits(300, term(1), {fired(250)});
    first.begins(310, slot(250), term(1));
    first.ends(350, slot(250));
    first.renews(500, term(1));
    first.believes(510, term(1), 1'490);
  }
  Audit audit() const { return audit_of({&second, &first}); }
};

void expect_journals(const std::string& name) {
  testing::expect_interaction<testing::JournalTalk>("tests/lab/audit/journals/" + name + ".txt");
}
TEST(Audit, says_of_a_handover_what_its_text_says) { expect_journals("handover"); }
TEST(Audit, finds_evidence_as_its_text_says) { expect_journals("evidence"); }
TEST(Audit, finds_what_was_owed_as_its_text_says) { expect_journals("owed"); }
TEST(Audit, knows_of_lost_ends_what_its_text_says) { expect_journals("lost_ends"); }

TEST(Audit, every_checker_is_fed_or_said_why_not) {
  Handover history;
  const Audit audit = history.audit();
  std::set<std::string_view> told;
  for (const sim::CheckResult& check : audit.checks) told.insert(check.name);
  for (const Silence& one : audit.not_judged) {
    EXPECT_FALSE(one.why.empty()) << one.checker;
    told.insert(one.checker);
  }
  for (const sim::CheckerKind& kind : sim::checker_kinds())
    EXPECT_TRUE(told.contains(kind.name)) << kind.name;
}

// The page names each of the registry's checkers: a new one is judged, or it says why it cannot be.
TEST(Audit, of_each_checker_the_page_says_what_it_judges) {
  std::string table = "| checker | of journals |\n|---|---|\n";
  for (const sim::CheckerKind& kind : sim::checker_kinds()) {
    const char* cannot = cannot_be_judged(kind.name);
    const char* without = not_shown(kind.name);
    const std::string words = cannot != nullptr ? std::string("not decidable: ") + cannot
                              : judged_here(kind.name) != nullptr
                                  ? std::string("judged, by a rule of the audit")
                              : without != nullptr ? std::string("judged, without ") + without
                                                   : std::string("judged");
    table += "| `" + std::string(kind.name) + "` | " + words + " |\n";
  }
  const std::string page = TENURE_SOURCE_DIR "/docs/reference/journal.md";
  std::ostringstream content;
  content << std::ifstream(page, std::ios::binary).rdbuf();
  const std::string text = content.str();
  const std::string begin = "<!-- checkers -->\n";
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find("<!-- end of the checkers -->\n");
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::string written = text.substr(0, from + begin.size()) + table + text.substr(to);
  if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr && written != text)
    std::ofstream(page, std::ios::binary) << written;
  else
    EXPECT_EQ(written, text) << "TENURE_REWRITE_GOLDEN=1 writes it";
}

// ---- journals that cannot be read ------------------------------------------------------------------------

std::string refused(const std::vector<std::string>& texts) {
  const auto audited = audit_texts(texts);
  const auto* bad = std::get_if<BadJournal>(&audited);
  return bad != nullptr ? bad->message : "";
}

TEST(AuditJournals, that_are_cut_off_are_read_as_far_as_they_go) {
  Handover history;
  const std::string whole = history.first.text();
  const auto cut = std::get<Audit>(audit_texts({whole.substr(0, whole.size() - 30)}));
  EXPECT_EQ(cut.verdict, sim::Verdict::pass);
  EXPECT_NE(std::find(cut.notes.begin(), cut.notes.end(),
                      "journal.1 ends in the middle of line 11, as after a crash: that line is left out"),
            cut.notes.end());
  // The end of the line alone may be missing.
  EXPECT_EQ(std::get<Audit>(audit_texts({whole.substr(0, whole.size() - 1)})).lines,
            std::get<Audit>(audit_texts({whole})).lines);
}

TEST(AuditJournals, that_are_damaged_in_the_middle_are_refused_with_the_place) {
  Handover history;
  std::string text = history.first.text();
  const std::size_t second_line = text.find('\n') + 1;
  text.erase(second_line + 10, 20);
  EXPECT_TRUE(refused({history.second.text(), text}).starts_with("journal.2:2: ")) << refused({text});
  EXPECT_EQ(refused({history.first.text() + "\n" + history.first.text()}).substr(0, 14), "journal.1:12: ");
}

// The text without line `from`, from 1, put before line `to` of the rest; 0: left out.
std::string moved(const std::string& text, std::size_t from, std::size_t to) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines.push_back(text.substr(at, text.find('\n', at) + 1 - at));
  const std::string one = lines.at(from - 1);
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(from - 1));
  if (to != 0) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to - 1), one);
  std::string all;
  for (const std::string& line : lines) all += line;
  return rechained(all);
}

TEST(AuditJournals, that_lack_a_line_or_have_one_out_of_place_are_refused_with_the_place) {
  Handover history;
  const std::string whole = history.first.text();
  EXPECT_EQ(refused({moved(whole, 4, 0)}),
            "journal.1:4: line 4 of this life of node 1 is missing before this one, which is line 5");
  EXPECT_EQ(refused({moved(moved(whole, 4, 0), 4, 0)}),
            "journal.1:4: lines 4 to 5 of this life of node 1 are missing before this one, which is line 6");
  EXPECT_EQ(refused({moved(whole, 1, 0)}),
            "journal.1:1: line 1 of this life of node 1 is missing before this one, which is line 2");
  EXPECT_EQ(refused({moved(whole, 6, 3)}),
            "journal.1:3: line 3 of this life of node 1 was to come, which stands at journal.1:4: lines have "
            "changed "
            "places");
  const std::size_t end = whole.rfind('\n', whole.size() - 2) + 1;
  EXPECT_EQ(refused({rechained(whole + whole.substr(end))}),
            "journal.1:12: line 11 of this life of node 1 stands at journal.1:11 already: a line is doubled");
  // What is missing at the end was not written, as after a crash.
  EXPECT_EQ(refused({whole.substr(0, end)}), "");
}

TEST(AuditJournals, of_one_life_may_be_several_files_in_any_order) {
  Handover history;
  const std::string whole = history.first.text();
  const std::size_t middle = whole.find('\n', whole.size() / 2) + 1;
  EXPECT_EQ(refused({whole.substr(middle), whole.substr(0, middle)}), "");
}

TEST(AuditJournals, of_one_life_have_lines_of_one_time_in_order_whichever_file_comes_first) {
  Handover history;
  history.first.begins(600, slot(500), term(1));
  const std::size_t cut = history.first.text().size();
  history.first.ends(600, slot(500));
  const std::string whole = history.first.text();
  EXPECT_EQ(refused({whole.substr(cut), whole.substr(0, cut)}), "");
}

}  // namespace
}  // namespace tenure::lab
