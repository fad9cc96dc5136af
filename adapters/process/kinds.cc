#include "adapters/process/node.h"
#include "adapters/process/program.h"

namespace tenure::process {

void Program::make_kinds() {
  const auto parameters = [](const void* of) -> std::span<const ParameterSpec> {
    return static_cast<const Program*>(of)->description_.design.parameters();
  };
  const auto claims = [](const void* of) -> const std::vector<Claim>& {
    return static_cast<const Program*>(of)->description_.design.claims();
  };
  const auto validate = [](const void* of, const Parameters& values) {
    return static_cast<const Program*>(of)->complaints(values);
  };
  kind_ = description_.design.kind();
  kind_.writes = description_.writes;
  const design::Role role = description_.design.role();
  if (elects()) {
    kind_.design = &file_;
    kind_.parameters = {this, parameters};
    if (description_.validates) kind_.validate = {this, validate};
    kind_.claims = {this, claims};
  }
  if (role == design::Role::elector)
    kind_.make = {this, [](const void* of, const ElectorSetup& setup) {
                    return make_elector(*static_cast<const Program*>(of), setup);
                  }};
  if (role == design::Role::both)
    kind_.make_node = {this, [](const void* of, const ElectorSetup& setup) {
                         return make_node(*static_cast<const Program*>(of), setup);
                       }};
  if (!schedules()) return;
  scheduler_.name = kind_.name;
  scheduler_.summary = kind_.summary;
  scheduler_.store = kind_.store;
  scheduler_.design = &file_;
  scheduler_.keeps_periods_only = true;  // the protocol has no rules
  scheduler_.edit = {this, [](const void* of, const ScheduleEdit& edit) {
                       return static_cast<const Program*>(of)->edit(edit);
                     }};
  if (role == design::Role::both) return;  // one set of parameters, and one of claims: the election's
  scheduler_.needs_tokens = kind_.has_tokens;
  scheduler_.parameters = {this, parameters};
  if (description_.validates) scheduler_.validate = {this, validate};
  scheduler_.claims = {this, claims};
  scheduler_.make = {this, [](const void* of, const SchedulerSetup& setup) {
                       return make_scheduler(*static_cast<const Program*>(of), setup);
                     }};
}

}  // namespace tenure::process
