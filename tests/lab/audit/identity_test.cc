// Journals name the store that answered them: those of two stores are not held against each other.
#include <gtest/gtest.h>

#include "lab/audit/audit.h"
#include "tests/lab/audit/writing.h"

namespace tenure::sim {
namespace {

// Two processes, one after the other; each says which store answers it, unless it is to say nothing.
std::variant<Audit, BadJournal> audit_with(const std::string& of_first, const std::string& of_second) {
  Process first{1};
  Process second{2};
  first.starts(0);
  second.starts(5);
  if (!of_first.empty()) first.write(50, journal::StoreFound{of_first});
  first.leads(100, term(1));
  first.steps_down(600);
  first.releases(620, term(1));
  if (!of_second.empty()) second.write(650, journal::StoreFound{of_second});
  second.leads(700, term(2));
  return audit_texts({first.text(), second.text()});
}

TEST(AuditedStores, journals_of_two_stores_are_refused) {
  const auto audited = audit_with("aa", "bb");
  ASSERT_TRUE(std::holds_alternative<BadJournal>(audited));
  EXPECT_NE(std::get<BadJournal>(audited).message.find("this is of another store than"), std::string::npos)
      << std::get<BadJournal>(audited).message;
}

TEST(AuditedStores, journals_of_one_store_pass_and_so_do_old_ones_that_name_none) {
  for (const char* store : {"aa", ""}) {
    const auto audited = audit_with(store, store);
    ASSERT_TRUE(std::holds_alternative<Audit>(audited));
    EXPECT_EQ(std::get<Audit>(audited).verdict, Verdict::pass);
  }
}

TEST(AuditedStores, a_journal_that_names_none_beside_one_that_does_is_no_pass) {
  const auto audited = audit_with("aa", "");
  ASSERT_TRUE(std::holds_alternative<Audit>(audited));
  const Audit& audit = std::get<Audit>(audited);
  EXPECT_EQ(audit.verdict, Verdict::inconclusive);
  ASSERT_EQ(audit.lacking.size(), 1u);
  EXPECT_NE(audit.lacking[0].find("does not say which store answered it"), std::string::npos);
}

}  // namespace
}  // namespace tenure::sim
