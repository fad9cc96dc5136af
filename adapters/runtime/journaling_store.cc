#include "adapters/runtime/journaling_store.h"

#include <utility>

#include "adapters/runtime/around_store.h"
#include "core/journal/kinds.h"

namespace tenure {
namespace {

std::optional<journal::ClientChange::Run> run_of(const reference::Request& request) {
  if (const auto* one = std::get_if<reference::TriggerSchedule>(&request))
    return journal::ClientChange::Run{one->schedule, one->run};
  if (const auto* some = std::get_if<reference::BackfillSchedule>(&request))
    return journal::ClientChange::Run{some->schedule, some->run};
  return std::nullopt;
}

// Of an edit. A manual run is answered with the latest edit, which is not its own.
std::optional<std::uint64_t> change_seq_of(const reference::Request& request, const reference::Reply& reply) {
  if (run_of(request)) return std::nullopt;
  if (const auto* edited = std::get_if<reference::Edited>(&reply)) return edited->change_seq;
  if (const auto* edited = std::get_if<reference::NamedEdited>(&reply)) return edited->change_seq;
  return std::nullopt;
}

}  // namespace

std::optional<journal::ClientChange> client_change(const reference::Request& request, const Answer& answer,
                                                   MonoTime asked) {
  if (!journal::clients_change_with(request)) return std::nullopt;
  journal::ClientChange change{.kind = request.index(),
                               .resource = std::visit([](const auto& one) { return one.resource; }, request),
                               .run = run_of(request)};
  if (answer.outcome == RequestOutcome::unknown) {
    change.asked = asked;
    return change;
  }
  if (answer.outcome == RequestOutcome::rejected || !answer.changed) return std::nullopt;
  change.done =
      journal::ClientChange::Done{answer.store_time, answer.position, change_seq_of(request, answer.reply)};
  return change;
}

Connect told(Connect connect, Runtime& runtime) {
  return around_each_request(
      std::move(connect),
      [&runtime](StoreBackend& store, const reference::Request& request, Duration timeout) {
        const MonoTime asked = runtime.clock().mono();
        Answer answer = store.execute(request, timeout);
        if (auto change = client_change(request, answer, asked)) runtime.tell(*std::move(change));
        return answer;
      });
}

}  // namespace tenure
