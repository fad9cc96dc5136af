// What a counter is asked. An example of an addition (docs/how-to-add.md).
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <variant>

#include "core/base/fields.h"
#include "core/base/ids.h"
#include "core/store/message.h"

namespace tenure::counter {

struct Increment {
  ResourceId resource;
};
struct Counted {
  std::uint64_t count = 0;
};

using Request = std::variant<Increment>;
using Reply = std::variant<Counted>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(Increment, resource)
TENURE_FIELDS(Counted, count)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::counter
