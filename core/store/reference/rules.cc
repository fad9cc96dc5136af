#include "core/store/reference/rules.h"

#include <utility>

namespace tenure::reference {

Reply ReferenceRules::apply(const Acquire& asked) { return tables_.lease.acquire(asked, branch_, now_); }

Reply ReferenceRules::apply(const Renew& asked) { return tables_.lease.renew(asked, branch_, now_); }

Reply ReferenceRules::apply(const Release& asked) {
  Reply reply = tables_.lease.release(asked, branch_, now_);
  if (std::holds_alternative<Released>(reply))
    notifications_.push_back({Notification::What::lease_freed, asked.resource});
  return reply;
}

Reply ReferenceRules::apply(const RegisterNode& asked) {
  check(asked);
  return tables_.nodes.add(asked, now_);
}

}  // namespace tenure::reference
