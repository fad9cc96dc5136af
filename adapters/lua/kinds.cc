// A design as kinds of the registries: what its functions call.
#include <span>

#include "adapters/lua/design.h"
#include "adapters/lua/edit.h"
#include "adapters/lua/failover.h"
#include "adapters/lua/parameters.h"
#include "adapters/lua/program.h"

namespace tenure::lua {

void Design::make_kinds() {
  const auto parameters = [](const void* of) -> std::span<const ParameterSpec> {
    return static_cast<const Design*>(of)->description_.parameters();
  };
  const auto claims = [](const void* of) -> const std::vector<Claim>& {
    return static_cast<const Design*>(of)->description_.claims();
  };
  const auto validate = [](const void* of, const Parameters& values) {
    return complaints_of(*static_cast<const Design*>(of), values);
  };
  kind_ = description_.kind();
  if (store_ != nullptr) kind_.store = store_;
  kind_.stores = servers_;
  const Role role = description_.role();
  if (elects()) {
    kind_.design = &file_;
    kind_.writes = text_.find("t.write") != std::string::npos;
    kind_.parameters = {this, parameters};
    if (validates_) kind_.validate = {this, validate};
    kind_.claims = {this, claims};
    if (says_failover_)
      kind_.failover = {this, [](const void* of, const Parameters& values, const FailoverTerms& terms) {
                          return failover_of(*static_cast<const Design*>(of), values, terms);
                        }};
  }
  if (role == Role::elector)
    kind_.make = {this, [](const void* of, const ElectorSetup& setup) {
                    return make_elector(*static_cast<const Design*>(of), setup);
                  }};
  if (role == Role::both)
    kind_.make_node = {this, [](const void* of, const ElectorSetup& setup) {
                         return make_node(*static_cast<const Design*>(of), setup);
                       }};
  if (!schedules()) return;
  scheduler_.name = kind_.name;
  scheduler_.summary = kind_.summary;
  scheduler_.store = kind_.store;
  scheduler_.design = &file_;
  scheduler_.keeps_periods_only = text_.find(".rule") == std::string::npos;
  scheduler_.edit = {this, [](const void* of, const ScheduleEdit& edit) {
                       return edit_request(*static_cast<const Design*>(of), edit);
                     }};
  if (role == Role::both) return;  // one set of parameters, and one of claims: the election's
  scheduler_.needs_tokens = kind_.has_tokens;
  scheduler_.parameters = {this, parameters};
  if (validates_) scheduler_.validate = {this, validate};
  scheduler_.claims = {this, claims};
  scheduler_.make = {this, [](const void* of, const SchedulerSetup& setup) {
                       return make_scheduler(*static_cast<const Design*>(of), setup);
                     }};
}

}  // namespace tenure::lua
