// Is told what happens between this process and its store: for health, metrics and logs.
//
// Thread rule: any thread.
#pragma once

#include "adapters/store/answer.h"
#include "core/base/time.h"
#include "core/store/reference/requests.h"

namespace tenure::daemon {

class StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  virtual void answered(const reference::Request& asked, const Answer& answer, Duration took) = 0;
};

}  // namespace tenure::daemon
