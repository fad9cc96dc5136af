#include "core/store/store_kind.h"

#include "core/store/reference/reference_store.h"

namespace tenure {

constinit const StoreKind kReferenceStore = {
    .name = "reference",
    .summary = "leases with fencing tokens, and schedules, in one database",
    .make = []() -> std::unique_ptr<StoreMachine> { return std::make_unique<reference::ReferenceStore>(); },
    .strongest_lease_lock = RowLock::update,
    .issues_tokens = true,
    .keeps_changes = true,
    .put_schedule =
        [](ResourceId resource, ScheduleId schedule, const Definition& definition) {
          return Request{reference::Request{reference::PutSchedule{resource, schedule, 0, definition}}};
        },
    .may_run_on_engines = true};

}  // namespace tenure
