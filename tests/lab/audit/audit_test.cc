// Journals before the checkers: what holds passes, each planted bug is seen by the checker that it is for, and what
// journals do not tell is told of no checker as a pass.
#include "lab/audit/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "lab/audit/feed.h"
#include "sim/checkers/checker.h"
#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

using Names = std::vector<std::string>;

// Two processes: the first leads, fires a slot and gives the lease back; the second leads and fires the next one.
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
  void hand_over() {
    first.steps_down(600);
    first.releases(620, term(1));
    first.stops(640);
    second.leads(700, term(2));
  }
  void go_on() {
    second.commits(800, term(2), {fired(500), fired(750)});
    second.begins(810, slot(500), term(2));
    second.begins(810, slot(750), term(2));
    second.ends(840, slot(500));
    second.ends(850, slot(750));
  }
  Audit audit() const { return audit_of({&second, &first}); }
};

TEST(Audit, passes_what_holds_and_says_how_often_it_looked) {
  Handover history;
  history.hand_over();
  history.go_on();
  const Audit audit = history.audit();
  EXPECT_EQ(audit.verdict, sim::Verdict::pass);
  EXPECT_EQ(failing(audit), Names{});
  for (const char* name :
       {"one-holder-per-epoch", "epochs-increase", "fenced-writes", "acts-within-belief", "one-believer",
        "one-worker", "no-duplicate-fire", "never-early", "versions-take-turns"}) {
    ASSERT_NE(find_check(audit, name), nullptr) << name;
    EXPECT_GT(find_check(audit, name)->opportunities, 0U) << name;
  }
  ASSERT_EQ(audit.lives.size(), 2U);
  EXPECT_EQ(audit.lives[0].name, "n1");
  EXPECT_EQ(audit.lives[0].node, NodeId{1});
  EXPECT_EQ(audit.lives[0].end, AuditedLife::End::stopped);
  EXPECT_EQ(audit.lives[1].end, AuditedLife::End::none);
}

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

TEST(Audit, that_examined_nothing_is_inconclusive) {
  Process process{1};
  process.starts(0);
  EXPECT_EQ(audit_of({&process}).verdict, sim::Verdict::inconclusive);
  EXPECT_EQ(audit_of({}).verdict, sim::Verdict::inconclusive);
}

TEST(Audit, without_fires_says_so_of_what_is_about_fires) {
  Process process{1};
  process.starts(0);
  process.leads(100, term(1));
  const Audit audit = audit_of({&process});
  EXPECT_EQ(find_check(audit, "no-duplicate-fire"), nullptr);
  EXPECT_TRUE(std::any_of(audit.not_judged.begin(), audit.not_judged.end(), [](const Silence& one) {
    return one.checker == "no-duplicate-fire" && one.why == "there are no fires in these journals";
  }));
}

// Whoever reads a violation looks for the journal by the id that he gave.
TEST(Audit, names_lives_by_the_ids_that_users_gave) {
  Process first{40};
  first.starts(0);
  first.leads(100, term(1));
  first.believes(600, term(1), 3'000);  // the lease ends at 1500
  Process second{7};
  second.starts(5);
  second.leads(1'600, term(2));
  const Audit audit = audit_of({&first, &second});
  ASSERT_EQ(audit.lives.size(), 2U);
  EXPECT_EQ(audit.lives[0].name, "n7");
  EXPECT_EQ(audit.lives[1].name, "n40");
  EXPECT_EQ(audit.lives[1].journal, "journal.1");
  const sim::CheckResult* check = find_check(audit, "one-believer");
  ASSERT_EQ(check->violation_count, 1U);
  EXPECT_TRUE(check->violations[0].message.starts_with("n7 ")) << check->violations[0].message;
  EXPECT_NE(check->violations[0].message.find(" n40 "), std::string::npos) << check->violations[0].message;
}

// ---- planted bugs ----------------------------------------------------------------------------------------

TEST(AuditPlanted, a_belief_on_a_clock_that_runs_at_half_the_speed) {
  Process slow{1};
  slow.runs_at(1, 2);
  slow.starts(0);
  slow.acquires(100, term(1));
  slow.write(
      110, Note{Believes{{}, term(1), MonoTime::from_ns(Duration::millis(55 + 900).ns())}});  // 1910 in truth
  slow.write(1'000, Note{Remark{}});
  Process second{2};
  second.starts(0);
  second.leads(1'150, term(2));
  EXPECT_EQ(failing(audit_of({&slow, &second})), Names{"one-believer"});
}

TEST(AuditPlanted, a_request_that_only_a_leader_may_make_after_belief_has_ended) {
  Handover history;
  history.first.commits(1'495, term(1), {fired(500)});  // believed until 1490; asked at 1485
  EXPECT_EQ(failing(history.audit()), Names{});
  history.first.commits(1'520, term(1), {fired(750)});
  const Names found = failing(history.audit());
  EXPECT_NE(std::find(found.begin(), found.end(), "acts-within-belief"), found.end());
}

TEST(AuditPlanted, a_lease_that_was_given_back_with_work_running_is_reported_and_no_failure) {
  Handover history;
  history.first.commits(580, term(1), {fired(500)});
  history.first.begins(590, slot(500), term(1));
  history.first.steps_down(600);
  history.first.releases(620, term(1));
  history.second.leads(700, term(2));
  EXPECT_EQ(failing(history.audit()), Names{"one-worker"});
  EXPECT_EQ(history.audit().verdict, sim::Verdict::pass);
}

// ---- what journals do not tell ---------------------------------------------------------------------------

TEST(AuditUntold, a_release_without_an_answer_may_have_freed_the_lease) {
  Handover history;
  history.first.steps_down(600);
  history.first.asks(610, reference::Release{{}, history.first.who(), term(1)});
  history.second.leads(700, term(2));
  history.go_on();
  EXPECT_EQ(failing(history.audit()), Names{});
  // What comes after the next grant is judged again.
  history.first.renews(900, term(1));
  const Names found = failing(history.audit());
  EXPECT_NE(std::find(found.begin(), found.end(), "fenced-writes"), found.end());
}

TEST(AuditUntold, a_renewal_whose_answer_was_lost_may_have_renewed) {
  Handover history;
  const auto request =
      history.first.asks(1'400, reference::Renew{{}, history.first.who(), term(1), Duration::seconds(1)});
  history.first.never_hears(1'450, request);
  history.first.renews(1'700, term(1));  // the store knows a lease until 2400
  EXPECT_EQ(failing(history.audit()), Names{});
}

TEST(AuditUntold, an_answer_that_was_heard_late_is_placed_where_the_store_has_it) {
  Process first{1};
  first.starts(0);
  const auto request = first.asks(90, reference::Acquire{{}, first.who(), 0, 101, Duration::seconds(1)});
  Process second{2};  // while the first stands still
  second.starts(0);
  second.leads(1'200, term(2));
  first.hears(5'000, request, reference::Granted{term(1), Duration::seconds(1)}, 100, 1);
  EXPECT_EQ(failing(audit_of({&first, &second})), Names{});
}

TEST(AuditUntold, work_that_nothing_came_back_of_may_not_have_begun) {
  Handover history;
  history.first.commits(580, term(1), {fired(500)});
  history.first.begins(590, slot(500), term(1));
  Process second{2};
  second.starts(0);
  second.leads(1'600, term(2));
  second.begins(1'650, slot(500), term(2));
  second.ends(1'660, slot(500));
  const Audit audit = audit_of({&history.first, &second});
  EXPECT_EQ(failing(audit), Names{});
  EXPECT_NE(std::find(audit.notes.begin(), audit.notes.end(), "pieces of work of which nothing came back: 1"),
            audit.notes.end());
}

TEST(AuditUntold, where_the_stores_clock_goes_back_writes_have_no_order) {
  Process first{1};
  first.starts(0);
  const auto one = first.asks(90, reference::Acquire{{}, first.who(), 0, 101, Duration::seconds(1)});
  first.hears(110, one, reference::Granted{term(1), Duration::seconds(1)}, 5'000, 1);
  const auto two = first.asks(190, reference::Renew{{}, first.who(), term(1), Duration::seconds(1)});
  first.hears(210, two, reference::Granted{term(1), Duration::seconds(1)}, 200, 2);
  const Audit audit = audit_of({&first});
  EXPECT_EQ(find_check(audit, "fenced-writes"), nullptr);
  EXPECT_TRUE(std::any_of(audit.not_judged.begin(), audit.not_judged.end(), [](const Silence& one_of_them) {
    return one_of_them.checker == "fenced-writes" &&
           one_of_them.why.find("clock went back") != std::string::npos;
  }));
}

// Asked for at once, so that the machine's clock could not tell which came first.
TEST(AuditUntold, positions_show_that_the_stores_clock_went_back_where_the_machines_does_not) {
  Handover history;
  history.first.steps_down(600);
  const auto release = history.first.asks(610, reference::Release{{}, history.first.who(), term(1)});
  const auto acquire =
      history.second.asks(611, reference::Acquire{{}, history.second.who(), 1, 102, Duration::seconds(1)});
  history.first.hears(630, release, reference::Released{}, 620, 620);
  history.second.hears(631, acquire, reference::Granted{term(2), Duration::seconds(1)}, 560, 621);
  const Audit audit = history.audit();
  EXPECT_EQ(failing(audit), Names{});
  EXPECT_EQ(find_check(audit, "fenced-writes"), nullptr);
}

TEST(AuditUntold, a_lease_that_the_store_counted_anew_lasts_longer_than_it_was_granted_for) {
  Handover history;
  const auto request =
      history.second.asks(1'390, reference::Acquire{{}, history.second.who(), 1, 102, Duration::seconds(1)});
  history.second.hears(1'410, request,
                       reference::Refused{reference::Denial::clock_stepped, {}, 1, Duration::seconds(1)},
                       1'400, 1'400);
  history.first.renews(1'700, term(1));  // granted until 1500, and counted anew until 2400
  EXPECT_EQ(failing(history.audit()), Names{});
}

TEST(AuditUntold, the_work_of_a_term_is_no_fire) {
  Handover history;
  const reference::EventId term_work{{}, {}, 1};
  for (const std::int64_t at : {400, 500}) {  // whatever it is called
    history.first.begins(at + 110, term_work, term(1));
    history.first.ends(at + 115, term_work);
  }
  const Audit audit = history.audit();
  EXPECT_EQ(failing(audit), Names{});
  EXPECT_EQ(find_check(audit, "no-duplicate-fire")->opportunities, 1U);
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

TEST(AuditJournals, that_do_not_belong_together_are_refused) {
  Process back{1};
  back.starts(100);
  back.steps_down(50);
  EXPECT_EQ(refused({back.text()}), "journal.1:2: `at` goes back, from 100000000 to 50000000");

  Process late{1};
  late.hears(100, 4, reference::Released{}, 90, 1);
  EXPECT_EQ(
      refused({late.text()}),
      "journal.1:1: this answers a request that was never submitted: journals are read from their beginning");
  Process done{1};
  done.ends(100, slot(50));
  EXPECT_EQ(refused({done.text()}),
            "journal.1:1: this work never began: journals are read from their beginning");
}

TEST(AuditJournals, whose_stores_order_contradicts_the_machines_clock_are_refused) {
  Process first{1};
  first.starts(90);
  first.acquires(100, term(1));
  Process second{2};
  second.starts(190);
  const auto request = second.asks(200, reference::Acquire{{}, second.who(), 1, 102, Duration::seconds(1)});
  second.hears(210, request, reference::Granted{term(2), Duration::seconds(1)}, 50,
               50);  // before the first, it says
  EXPECT_EQ(
      refused({first.text(), second.text()}),
      "journal.2:2: the store executed this before what journal.1:3 answers, which was answered before "
      "this was "
      "sent: the journals are of different machines, boots or stores, or the store was restored from an "
      "older copy and its positions went back from 2 to 1");
}

}  // namespace
}  // namespace tenure::lab
