// A design as kinds of the registries: what its functions call.
#include "adapters/design/hosted.h"
#include "adapters/lua/design.h"
#include "adapters/lua/edit.h"
#include "adapters/lua/failover.h"
#include "adapters/lua/host.h"
#include "adapters/lua/parameters.h"

namespace tenure::lua {

void Design::make_kinds() {
  kind_ = description_.kind();
  if (store_ != nullptr) kind_.store = store_;
  kind_.stores = servers_;
  design::make_kinds<Host, complaints_of, edit_request>(*this, description_, file_, validates_, kind_,
                                                        scheduler_);
  if (elects()) kind_.writes = text_.find("t.write") != std::string::npos;
  if (elects() && says_failover_)
    kind_.failover = {this, [](const void* of, const Parameters& values, const FailoverTerms& terms) {
                        return failover_of(*static_cast<const Design*>(of), values, terms);
                      }};
  scheduler_.keeps_periods_only = text_.find(".rule") == std::string::npos;
}

}  // namespace tenure::lua
