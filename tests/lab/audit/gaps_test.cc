// Journals with lines missing in the middle: each part is judged, nobody is accused for what is missing, and it is no
// pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two processes and their store, which counts its changes.
class Pair {
 public:
  Process first{1};
  Process second{2};

  Pair() {
    first.starts(0);
    second.starts(5);
  }
  void leads(Process& who, std::int64_t at, std::uint64_t epoch) {
    if (epoch > 1) {
      const auto asked = who.asks(at - 10, reference::Acquire{{}, who.who(), 0, 10'000 + epoch, kLease});
      who.hears(at - 10, asked, reference::Refused{reference::Denial::stale_view, {}, epoch - 1, {}}, at - 10,
                position_);
    }
    answer(who, at, reference::Acquire{{}, who.who(), epoch - 1, term(epoch).nonce, kLease},
           reference::Granted{term(epoch), kLease});
    who.believes(at + 10, term(epoch), at + 990);
  }
  void renews(Process& who, std::int64_t at, std::uint64_t epoch) {
    answer(who, at, reference::Renew{{}, who.who(), term(epoch), kLease},
           reference::Granted{term(epoch), kLease});
    who.believes(at + 10, term(epoch), at + 990);
  }
  void fires(Process& who, std::int64_t at, std::uint64_t epoch, std::int64_t slot_ms) {
    answer(who, at, reference::CommitFires{{}, who.who(), term(epoch), {fired(slot_ms)}},
           reference::Committed{{reference::RowResult::covered}}, true);
    who.begins(at + 20, slot(slot_ms), term(epoch));
    who.ends(at + 30, slot(slot_ms));
    answer(who, at + 45, reference::AckEvents{{}, {{slot(slot_ms)}}}, reference::Acknowledged{});
  }
  void gives_up(Process& who, std::int64_t at, std::uint64_t epoch) {
    who.steps_down(at - 20);
    answer(who, at, reference::Release{{}, who.who(), term(epoch)}, reference::Released{});
  }

 private:
  static constexpr Duration kLease = Duration::seconds(1);
  void answer(Process& who, std::int64_t at, reference::Request request, reference::Reply reply,
              bool as_leader = false) {
    const auto asked = who.asks(at - 10, std::move(request), as_leader);
    who.hears(at + 10, asked, std::move(reply), at, ++position_);
  }
  std::uint64_t position_ = 0;
};

// The first leads, then the second, then the first again, with slots of 250 ms.
Pair three_terms() {
  Pair run;
  run.leads(run.first, 100, 1);
  run.fires(run.first, 260, 1, 250);
  run.renews(run.first, 400, 1);
  run.fires(run.first, 510, 1, 500);
  run.gives_up(run.first, 700, 1);
  run.leads(run.second, 720, 2);
  run.fires(run.second, 760, 2, 750);
  run.fires(run.second, 1'010, 2, 1'000);
  run.gives_up(run.second, 1'100, 2);
  run.leads(run.first, 1'150, 3);
  run.fires(run.first, 1'260, 3, 1'250);
  run.gives_up(run.first, 1'400, 3);
  run.first.stops(1'450);
  run.second.stops(1'460);
  return run;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}
// Two files: without the lines from `from` up to `to`, from 0.
std::vector<std::string> without(const std::string& text, std::size_t from, std::size_t to) {
  std::vector<std::string> files(2);
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i < from || i >= to) files[i < from ? 0 : 1] += lines[i];
  return files;
}
std::size_t line_with(const std::string& text, std::string_view words) {
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find(words) != std::string::npos) return i;
  ADD_FAILURE() << "no line has " << words;
  return 0;
}
Audit audited(std::vector<std::string> files, const std::vector<std::string>& more) {
  files.insert(files.end(), more.begin(), more.end());
  auto found = audit_texts(files, true);
  if (const auto* bad = std::get_if<BadJournal>(&found)) {
    ADD_FAILURE() << bad->message;
    return {};
  }
  return std::get<Audit>(std::move(found));
}

TEST(AuditGaps, a_run_without_gaps_passes) {
  const Pair run = three_terms();
  const Audit audit = audited({run.first.text()}, {run.second.text()});
  EXPECT_THAT(failing(audit), IsEmpty());
  EXPECT_THAT(audit.lacking, IsEmpty());
}

TEST(AuditGaps, lines_that_are_missing_in_the_middle_are_named_and_it_is_no_pass) {
  const Pair run = three_terms();
  const Audit audit = audited(without(run.first.text(), 5, 9), {run.second.text()});
  EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive);
  EXPECT_THAT(audit.lacking,
              Contains(HasSubstr(
                  "lines 6 to 9 of this life of node 1 are missing between journal.1:5 and journal.2:1")));
  EXPECT_THAT(audit.lacking, Contains(HasSubstr("of 2, and none fails")));
  const Audit one = audited(without(run.first.text(), 5, 6), {run.second.text()});
  EXPECT_THAT(one.lacking, Contains(HasSubstr("line 6 of this life of node 1 is missing between")));
}

TEST(AuditGaps, nobody_is_accused_for_what_is_missing_wherever_it_is) {
  const Pair run = three_terms();
  for (const bool of_first : {true, false}) {
    const std::string& cut = of_first ? run.first.text() : run.second.text();
    const std::string& whole = of_first ? run.second.text() : run.first.text();
    const std::size_t lines = lines_of(cut).size();
    for (std::size_t from = 1; from < lines; ++from)
      for (std::size_t to = from + 1; to < lines; ++to) {
        const Audit audit = audited(without(cut, from, to), {whole});
        EXPECT_THAT(failing(audit), IsEmpty()) << from << " to " << to << " of " << of_first;
        EXPECT_EQ(audit.verdict, sim::Verdict::inconclusive) << from << " to " << to << " of " << of_first;
      }
  }
}

// Two believe at once: before the gap, or after it.
TEST(AuditGaps, who_is_guilty_in_a_part_is_found_there) {
  for (const bool late : {false, true}) {
    Pair run;
    const auto two_leaders = [&](std::int64_t at, std::uint64_t epoch) {
      run.leads(run.first, at, epoch);
      run.leads(run.second, at + 200, epoch + 1);
      run.renews(run.first, at + 300, epoch);
      run.gives_up(run.first, at + 400, epoch);
      run.gives_up(run.second, at + 500, epoch + 1);
    };
    if (!late) two_leaders(100, 1);
    run.leads(run.first, 2'000, 3);
    run.renews(run.first, 2'200, 3);
    run.gives_up(run.first, 2'500, 3);
    if (late) two_leaders(3'000, 4);
    const std::size_t gap = line_with(run.first.text(), "\"epoch\":3");
    const Audit audit = audited(without(run.first.text(), gap, gap + 3), {run.second.text()});
    EXPECT_EQ(audit.verdict, sim::Verdict::fail);
    EXPECT_THAT(failing(audit), Contains("one-believer"));
    EXPECT_THAT(audit.lacking, Contains(HasSubstr(late ? "part 2 fails" : "part 1 fails")));
  }
}

// Each has a gap of its own, and the two believe in between.
TEST(AuditGaps, who_is_guilty_between_two_gaps_of_two_lives_is_found) {
  Pair run;
  run.leads(run.first, 100, 1);
  run.renews(run.first, 300, 1);
  run.gives_up(run.first, 400, 1);
  run.leads(run.first, 3'000, 2);
  run.leads(run.second, 3'200, 3);
  run.renews(run.first, 3'300, 2);
  run.gives_up(run.first, 3'400, 2);
  run.gives_up(run.second, 3'500, 3);
  run.leads(run.second, 6'000, 4);
  run.renews(run.second, 6'200, 4);
  run.gives_up(run.second, 6'500, 4);
  const std::size_t late = lines_of(run.second.text()).size() - 6;
  const Audit audit = audited(without(run.first.text(), 3, 6), without(run.second.text(), late, late + 3));
  EXPECT_EQ(audit.verdict, sim::Verdict::fail);
  EXPECT_THAT(failing(audit), Contains("one-believer"));
  EXPECT_THAT(audit.lacking, Contains(HasSubstr("this is part 2 of 3, and part 2 fails")));
}

// No line is missing, so the last one of the file was another one when the next file was begun.
TEST(AuditGaps, a_file_whose_last_line_was_changed_is_no_gap) {
  const Pair run = three_terms();
  std::vector<std::string> files = without(run.first.text(), 5, 5);
  const std::size_t place = files[0].rfind("\"mono\":");
  ASSERT_NE(place, std::string::npos);
  files[0].insert(place + 7, "1");
  const auto found = audit_texts({files[0], files[1], run.second.text()}, true);
  ASSERT_TRUE(std::holds_alternative<BadJournal>(found));
  EXPECT_THAT(std::get<BadJournal>(found).message,
              HasSubstr("though no line is missing: the last line of the file before it was changed"));
}

}  // namespace
}  // namespace tenure::lab
