// Journals of real processes: whole, with their start cut off, and with any one line taken out. What is forged in them
// is in forgeries.py.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

using JournalLines = std::vector<journal::Line>;

struct Honest {
  const char* name;
  std::vector<std::string> files;
};
std::ostream& operator<<(std::ostream& out, const Honest& honest) { return out << honest.name; }

JournalLines journal_in(const std::string& name) {
  std::ifstream file(TENURE_SOURCE_DIR "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  JournalLines lines;
  for (std::string text; std::getline(file, text);)
    lines.push_back(std::get<journal::Line>(journal::decode(text)));
  return lines;
}

// Without line `but`, from 0; numbered and chained anew.
std::string text_of(const JournalLines& lines, std::size_t but = SIZE_MAX) {
  std::map<Incarnation, std::uint64_t> seq;
  std::string prev(journal::kFirstPrev);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == but) continue;
    journal::Line line = lines[i];
    line.seq = ++seq[line.who];
    line.prev = prev;
    const std::string encoded = journal::encode(line);
    prev = journal::chain_hash(encoded);
    text += encoded + "\n";
  }
  return text;
}

class AuditHonest : public ::testing::TestWithParam<Honest> {
 protected:
  AuditHonest() {
    for (const std::string& file : GetParam().files) {
      journals.push_back(journal_in(file));
      texts.push_back(text_of(journals.back()));
    }
  }
  std::vector<JournalLines> journals;
  std::vector<std::string> texts;
};

TEST_P(AuditHonest, passes) {
  const auto audited = audit_texts(texts, true);
  const auto* audit = std::get_if<Audit>(&audited);
  ASSERT_NE(audit, nullptr) << std::get<BadJournal>(audited).message;
  EXPECT_EQ(audit->verdict, sim::Verdict::pass) << (audit->lacking.empty() ? "" : audit->lacking.front());
}
// Nothing is a failure because a start was rotated away.
TEST_P(AuditHonest, is_no_failure_wherever_its_start_is_missing) {
  const std::vector<std::string> whole = texts;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    texts = whole;
    for (std::size_t line = 1; texts[i].find('\n') + 1 < texts[i].size(); ++line) {
      texts[i].erase(0, texts[i].find('\n') + 1);
      const auto audited = audit_texts(texts, true, true);
      const auto* audit = std::get_if<Audit>(&audited);
      ASSERT_NE(audit, nullptr) << std::get<BadJournal>(audited).message;
      EXPECT_EQ(audit->verdict, sim::Verdict::inconclusive)
          << "journal " << i << " without " << line << " lines";
    }
  }
}
// All that a line is evidence of is missed: but for the last words of a life, notes that nothing follows from, and
// answers that were still to come when the journals end.
TEST_P(AuditHonest, without_one_line_passes_only_if_nothing_follows_from_it) {
  const std::vector<std::string> whole = texts;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::size_t count = journals[i].size();
    for (std::size_t at = 0; at < count; ++at) {
      texts = whole;
      texts[i] = text_of(journals[i], at);
      const auto audited = audit_texts(texts, true);
      const auto* audit = std::get_if<Audit>(&audited);
      if (audit == nullptr || audit->verdict != sim::Verdict::pass) continue;
      const journal::Line& line = journals[i][at];
      const auto* note = std::get_if<Note>(&line.event);
      const auto* answered = std::get_if<journal::Answered>(&line.event);
      const bool is_work =
          std::holds_alternative<WorkItem>(line.event) || std::holds_alternative<WorkDone>(line.event);
      const bool nothing_follows =
          at + 1 == count || (note != nullptr && std::holds_alternative<LeadershipChecked>(*note)) ||
          std::holds_alternative<journal::StoreFound>(line.event) ||
          std::holds_alternative<StopAsked>(line.event) ||
          std::holds_alternative<journal::ClientChange>(line.event) ||  // the change feed tells the same
          (is_work && at + 12 >= count) ||
          (answered != nullptr &&
           (at + 12 >= count || (answered->part == Part::scheduler && !answered->changed)));
      EXPECT_TRUE(nothing_follows) << "journal " << i << ", line " << at + 1 << ": " << journal::encode(line);
    }
  }
}
// Who does not write the chain anew is found at the next line, whatever he did.
TEST_P(AuditHonest, is_refused_at_the_line_after_one_that_was_changed) {
  const std::string whole = texts.back();
  std::size_t begin = 0;
  for (std::size_t line = 1; line + 1 < journals.back().size() && line < 100; ++line) {
    texts.back() = whole;
    char& digit = texts.back()[texts.back().find("\"mono\":", begin) + 12];
    digit = digit == '1' ? '2' : '1';
    const auto audited = audit_texts(texts, true);
    const auto* bad = std::get_if<BadJournal>(&audited);
    ASSERT_NE(bad, nullptr) << line;
    EXPECT_EQ(bad->message.substr(0, bad->message.find(": ")),
              "journal." + std::to_string(texts.size()) + ":" + std::to_string(line + 1));
    begin = whole.find('\n', begin) + 1;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Of, AuditHonest,
    ::testing::Values(
        Honest{"elections",
               {"docs/examples/journals/node1.jsonl", "docs/examples/journals/node2.jsonl",
                "docs/examples/journals/node3.jsonl"}},
        Honest{"own_work", {"tests/lab/audit/real/killed.jsonl", "tests/lab/audit/real/stopped.jsonl"}},
        Honest{"kinds", {"tests/lab/audit/real/kinds1.jsonl", "tests/lab/audit/real/kinds2.jsonl"}}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace tenure::lab
