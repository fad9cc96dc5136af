// Whether an answer of the store agrees with itself, and with what was asked.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kAnswersAgree = "answers-agree";

using reference::RowResult;

bool is_written(RowResult result) { return result == RowResult::covered || result == RowResult::overlapped; }

// Its slots, and all that the row speaks for, had come.
bool had_come(const reference::LedgerRow& row, StoreTime at) {
  const bool fired = row.what == reference::Disposition::fired;
  return row.slot <= at && row.due <= at && (fired || row.to <= at);
}

// What is wrong with it; empty: nothing. A commit that is refused may change the store: it sets the hold of a clock
// that was moved while no instance ran.
std::string contradiction_in(const JournalCall& call) {
  const auto* committed = call.reply<reference::Committed>();
  const auto* commit = call.request<reference::CommitFires>();
  if (committed == nullptr || commit == nullptr) return {};
  if (std::any_of(committed->rows.begin(), committed->rows.end(), is_written) != call.answered->changed)
    return call.answered->changed ? "changed the store, and covered nothing"
                                  : "covered slots, and did not change the store";
  for (std::size_t i = 0; i < commit->rows.size(); ++i)
    if (committed->rows[i] == RowResult::not_due && had_come(commit->rows[i], call.at()))
      return "was told that slots were not due which were";
  return {};
}

}  // namespace

void compare_answers(const Evidence& evidence) {
  evidence.history_.for_each_call([&](const JournalCall& call) {
    if (!call.applied() || call.request<reference::CommitFires>() == nullptr) return;
    evidence.findings_.examined(kAnswersAgree);
    if (const std::string wrong = contradiction_in(call); !wrong.empty())
      evidence.findings_.violate(kAnswersAgree, call.heard,
                                 fmt::format("a commit of {} at {} {}", evidence.names_.who(call.who()),
                                             time_text(call.sent), wrong));
  });
}

}  // namespace tenure::lab
