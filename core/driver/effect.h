// What a node asks of the outside world. An effect leaves the process after the step that asked for it, or never.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <variant>

#include "core/model/env.h"

namespace tenure {

struct SendEffect {
  NodeId to;
  Message message;
};
struct SubmitEffect {
  RequestId id;
  MonoTime sent_at;  // mono() of the submitting step
  Submission submission;
  std::uint32_t connection = 0;  // of its part, in order of opening; set as it leaves
};
struct WorkEffect {
  WorkItem item;
};
struct WriteEffect {
  WriteItem item;
};
using Effect = std::variant<SendEffect, SubmitEffect, WorkEffect, WriteEffect>;

}  // namespace tenure
