// A real store to measure: two requests that leave nothing behind, one that reads and one that commits.
//
// Each is one round trip. The caller measures the time. The implementations say what a request costs the store.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "adapters/store/answer.h"
#include "core/base/time.h"

namespace tenure {

class StoreProbe {
 public:
  StoreProbe() = default;
  StoreProbe(const StoreProbe&) = delete;
  StoreProbe& operator=(const StoreProbe&) = delete;
  virtual ~StoreProbe() = default;

  // The store's clock, in whole microseconds.
  virtual std::variant<StoreTime, OpenError> read_clock() = 0;
  // A commit that is as durable as one of the reference store's.
  virtual std::optional<OpenError> commit() = 0;

  virtual std::string place() const = 0;  // without anything secret
  // Whether its clock is this machine's own; then there is no offset.
  virtual bool shares_our_clock() const = 0;
};

using ProbeOpened = std::variant<std::unique_ptr<StoreProbe>, OpenError>;

}  // namespace tenure
