// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/queue/requests.h"

namespace tenure::queue {

TENURE_FIELDS(SendMessage, body)
TENURE_FIELDS(ReceiveMessage, max_number_of_messages, visibility_timeout, wait_time)
TENURE_FIELDS(ChangeMessageVisibility, receipt_handle, visibility_timeout)
TENURE_FIELDS(DeleteMessage, receipt_handle)
TENURE_FIELDS(Sent, message_id)
TENURE_FIELDS(ReceivedMessage, message_id, receipt_handle, body, approximate_receive_count)
TENURE_FIELDS(Received, messages)
TENURE_NO_FIELDS(Done)
TENURE_FIELDS(Failed, code, message)

}  // namespace tenure::queue
