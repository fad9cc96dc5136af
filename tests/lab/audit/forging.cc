#include "tests/lab/audit/forging.h"

#include <fstream>
#include <map>

#include "tests/lab/audit/writing.h"

namespace tenure::sim {
namespace {

JournalLines journal_in(const std::string& name) {
  std::ifstream file(TENURE_SOURCE_DIR "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  JournalLines lines;
  for (std::string text; std::getline(file, text);) {
    auto line = journal::decode(text);
    const auto* bad = std::get_if<journal::BadLine>(&line);
    EXPECT_EQ(bad, nullptr) << name << ": " << (bad != nullptr ? bad->message : "");
    if (bad == nullptr) lines.push_back(std::get<journal::Line>(std::move(line)));
  }
  return lines;
}

std::vector<std::string> names_of(ForgedJournals::Of of) {
  switch (of) {
    case ForgedJournals::Of::elections:
      return {"docs/examples/journals/node1.jsonl", "docs/examples/journals/node2.jsonl",
              "docs/examples/journals/node3.jsonl"};
    case ForgedJournals::Of::own_work:
      return {"tests/lab/audit/real/killed.jsonl", "tests/lab/audit/real/stopped.jsonl"};
    case ForgedJournals::Of::kinds:
      return {"tests/lab/audit/real/kinds1.jsonl", "tests/lab/audit/real/kinds2.jsonl"};
  }
  return {};
}

}  // namespace

ForgedJournals::ForgedJournals(Of of) {
  for (const std::string& name : names_of(of)) all_.push_back(journal_in(name));
}

std::vector<std::string> ForgedJournals::texts() const {
  std::vector<std::string> texts;
  for (const JournalLines& lines : all_) {
    std::map<Incarnation, std::uint64_t> seq;
    std::string prev(journal::kFirstPrev);
    std::string text;
    for (journal::Line line : lines) {
      line.seq = ++seq[line.who];
      line.prev = prev;
      const std::string encoded = journal::encode(line);
      prev = journal::chain_hash(encoded);
      text += encoded + "\n";
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::variant<Audit, BadJournal> ForgedJournals::audit(bool start_missing) const {
  return audit_texts(texts(), true, start_missing);
}

}  // namespace tenure::sim
