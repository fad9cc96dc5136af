// Requests to a queue of Amazon's SQS: messages that are hidden from others while somebody works on them. The names are
// SQS' own, as its clients in Python and Ruby spell them.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/store/message.h"

namespace tenure::queue {

struct SendMessage {
  std::string body;
};
// Waits until there is a message, for no longer than `wait_time`: not at all if absent, 20 s at most.
struct ReceiveMessage {
  std::optional<std::int64_t> max_number_of_messages;  // 1 if absent, 10 at most
  std::optional<Duration> visibility_timeout;          // 30 s if absent, 12 h at most
  std::optional<Duration> wait_time;
};
struct ChangeMessageVisibility {
  std::string receipt_handle;
  Duration visibility_timeout;  // from now on; 0: others can have it at once
};
struct DeleteMessage {
  std::string receipt_handle;
};

struct Sent {
  std::string message_id;
};
struct ReceivedMessage {
  std::string message_id;
  std::string receipt_handle;  // of this receipt
  std::string body;
  std::int64_t approximate_receive_count = 0;
};
struct Received {
  std::vector<ReceivedMessage> messages;
};
struct Done {};
// Nothing was changed.
struct Failed {
  std::string code;  // "ReceiptHandleIsInvalid"
  std::string message;
};

using Request = std::variant<SendMessage, ReceiveMessage, ChangeMessageVisibility, DeleteMessage>;
using Reply = std::variant<Sent, Received, Done, Failed>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(SendMessage, body)
TENURE_FIELDS(ReceiveMessage, max_number_of_messages, visibility_timeout, wait_time)
TENURE_FIELDS(ChangeMessageVisibility, receipt_handle, visibility_timeout)
TENURE_FIELDS(DeleteMessage, receipt_handle)
TENURE_FIELDS(Sent, message_id)
TENURE_FIELDS(ReceivedMessage, message_id, receipt_handle, body, approximate_receive_count)
TENURE_FIELDS(Received, messages)
TENURE_NO_FIELDS(Done)
TENURE_FIELDS(Failed, code, message)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::queue
