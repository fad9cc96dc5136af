// A standard queue of Amazon's SQS, as far as leadership by a message needs it: README.md beside this file has what it
// does, and from where that is known.
//
//   I1. A message that was received is hidden from others until its visibility timeout is over. Then anybody can have
//       it, and its receivers are told nothing.
//       The exception is deliver_again(): what is hidden then goes to one receiver more.
//   I2. Each receipt has a handle of its own. Only the last one of a message, and only while that is hidden, changes
//       its visibility. To delete it, any will do.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/blocking_store.h"
#include "sim/stores/queue/requests.h"

namespace tenure::queue {

class QueueStore final : public BlockingStore<QueueStore, Request, Reply> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  void client_is_gone(Incarnation who, StoreTime now) override;
  std::optional<StoreTime> next_time_out() const override;
  void time_out(StoreTime now) override;
  void restart(StoreTime now) override;
  bool can_deliver_again(StoreTime now) const override;
  void deliver_again(StoreTime now) override;

  // None: it waits.
  std::optional<Reply> answer(const SendMessage& asked, const Caller& caller);
  std::optional<Reply> answer(const ReceiveMessage& asked, const Caller& caller);
  std::optional<Reply> answer(const ChangeMessageVisibility& asked, const Caller& caller);
  std::optional<Reply> answer(const DeleteMessage& asked, const Caller& caller);

 private:
  void answered(StoreTime now) override;

  struct Stored {
    std::string message_id;
    std::string body;
    std::int64_t received = 0;  // how often
    StoreTime received_at;      // last
    StoreTime visible_at;
    bool shows_again = false;  // to one receiver more, although it is hidden
    std::string handle() const { return message_id + "/" + std::to_string(received); }
    bool is_in_flight(StoreTime now) const { return received > 0 && now < visible_at; }
  };

  Received receive(const ReceiveMessage& asked, StoreTime now);
  // Who has waited longest is first.
  void serve(StoreTime now);
  // The message that a receipt's handle names, if there is one.
  Stored* find(const std::string& handle);

  std::vector<Stored> messages_;  // in the order in which they were sent
  std::int64_t sent_ = 0;
  std::vector<Waiting<ReceiveMessage>> waiting_;
};

}  // namespace tenure::queue
