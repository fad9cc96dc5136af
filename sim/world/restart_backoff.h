// When a program that has exited is started again, as Kubernetes does it with a container.
//
// The first time at once; then after a back-off that doubles, up to a longest. Once it has run for more than twice the
// longest, the next exit counts as the first.
//
// Source: Kubernetes, pkg/kubelet (doBackOff, with 10 s and 5 minutes) and client-go's util/flowcontrol/backoff.go.
//
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <optional>

#include "core/base/time.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

class RestartBackoff {
 public:
  explicit RestartBackoff(const ProgramSetting& setting)
      : first_(setting.restart_backoff), longest_(setting.longest_backoff) {}

  // Of a life from `started` to `exited`: how long after it the next one is started.
  Duration after_exit(TrueTime started, TrueTime exited) {
    if (!next_ || exited - started > longest_ * 2) {
      next_ = std::min(first_, longest_);
      return {};
    }
    const Duration wait = *next_;
    next_ = std::min(wait * 2, longest_);
    return wait;
  }

 private:
  Duration first_;
  Duration longest_;
  std::optional<Duration> next_;
};

}  // namespace tenure::sim
