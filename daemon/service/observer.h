// Is told what happens between this process and its store: for health, metrics and logs.
//
// Thread rule: any thread.
#pragma once

#include <initializer_list>
#include <vector>

#include "adapters/store/answer.h"
#include "core/base/time.h"
#include "core/store/reference/requests.h"

namespace tenure::daemon {

class StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  virtual void answered(const reference::Request& asked, const Answer& answer, Duration took) = 0;
};

// Tells several.
class StoreObservers final : public StoreObserver {
 public:
  StoreObservers(std::initializer_list<StoreObserver*> all) : all_(all) {}
  void answered(const reference::Request& asked, const Answer& answer, Duration took) override {
    for (StoreObserver* one : all_) one->answered(asked, answer, took);
  }

 private:
  std::vector<StoreObserver*> all_;
};

}  // namespace tenure::daemon
