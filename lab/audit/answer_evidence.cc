// Whether an answer of the store agrees with itself, and with what was asked.
#include <fmt/format.h>

#include <algorithm>

#include "core/journal/kinds.h"
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

// What a store answers to what nodes ask, where the audit looks at the answers.
struct AnswerKind {
  std::string_view request;
  std::string_view reply;
};
constexpr AnswerKind kAnswers[] = {
    {"acquire", "granted"},
    {"acquire", "refused"},
    {"renew", "granted"},
    {"renew", "refused"},
    {"release", "released"},
    {"release", "refused"},
    {"read-due", "due"},
    {"read-outbox", "outbox"},
    {"read-waiting", "waiting-events"},
    {"changes-since", "changes"},
    {"commit-fires", "committed"},
    {"commit-fires", "commit-refused"},
    {"ack-events", "acknowledged"},
    {"give-up-events", "given-up"},
    {"give-up-events", "commit-refused"},
    {"set-hold", "hold-set"},
    {"set-hold", "commit-refused"},
    {"clear-hold", "hold-set"},
    {"clear-hold", "commit-refused"},
    {"prune", "pruned"},
};

std::string_view asked_kind_of(const JournalCall& call) {
  return journal::kRequestKinds.at(std::get<reference::Request>(call.asked->submission.request).index());
}

// Empty: it is of a kind that answers what was asked.
std::string wrong_kind_of(const JournalCall& call) {
  const std::string_view request = asked_kind_of(call);
  const std::string_view reply = journal::kReplyKinds.at(call.answered->reply->index());
  const auto asks = [&](const AnswerKind& one) { return one.request == request; };
  const auto fits = [&](const AnswerKind& one) { return asks(one) && one.reply == reply; };
  const bool is_known = std::any_of(std::begin(kAnswers), std::end(kAnswers), asks);
  return !is_known || std::any_of(std::begin(kAnswers), std::end(kAnswers), fits)
             ? std::string()
             : fmt::format("was answered as nothing that was asked: {}", reply);
}

// What is wrong with it; empty: nothing. A commit that is refused may change the store: it sets the hold of a clock
// that was moved while no instance ran.
std::string contradiction_in(const JournalCall& call) {
  if (std::string wrong = wrong_kind_of(call); !wrong.empty()) return wrong;
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
    if (!call.applied()) return;
    evidence.findings_.examined(kAnswersAgree);
    if (const std::string wrong = contradiction_in(call); !wrong.empty())
      evidence.findings_.violate(kAnswersAgree, call.heard,
                                 fmt::format("{} of {} at {} {}", asked_kind_of(call),
                                             evidence.names_.who(call.who()), time_text(call.sent), wrong));
  });
}

}  // namespace tenure::lab
