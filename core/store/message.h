// A request or a reply of a store that core does not know.
//
// Production has one store, the reference store, whose messages stand in Request and Reply as they are
// (store_machine.h). Those of every other store are held by an OpenMessage: core carries them, hashes them and puts
// them into words by their MessageKind; only the store and its clients look inside, with message_as().
//
// A family is a std::variant of a store's requests, or of its replies. Its namespace has, for both,
//     const MessageKind& kind_of(const Request*);
//
// Thread rule: values; copies share their content, which never changes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/base/hash.h"
#include "core/base/ids.h"

namespace tenure {

struct MessageKind {
  std::uint8_t number =
      0;  // one a store, the same in its requests and its replies: traces have it. 0: reference
  ResourceId (*resource)(const void* family) = nullptr;       // which it is about; 0: it names none
  std::size_t (*index)(const void* family) = nullptr;         // of the alternative
  void (*add)(Hasher& hasher, const void* family) = nullptr;  // the alternative, and all of its fields
  std::string (*describe)(const void* family) = nullptr;
};

template <class Family>
concept MessageFamily = requires(const Family* family) {
  { kind_of(family) } -> std::same_as<const MessageKind&>;
};

class OpenMessage {
 public:
  template <MessageFamily Family>
  OpenMessage(Family family)  // NOLINT: converts, as the alternatives of a variant do
      : kind_(&kind_of(&family)), content_(std::make_shared<const Family>(std::move(family))) {}

  // Null: it is of another family.
  template <MessageFamily Family>
  const Family* get_if() const {
    const Family* const family = nullptr;
    return kind_ == &kind_of(family) ? static_cast<const Family*>(content_.get()) : nullptr;
  }
  std::uint8_t number() const { return kind_->number; }
  ResourceId resource() const { return kind_->resource(content_.get()); }
  std::size_t index() const { return kind_->index(content_.get()); }
  void add_to(Hasher& hasher) const { kind_->add(hasher, content_.get()); }
  std::string describe() const { return kind_->describe(content_.get()); }

 private:
  const MessageKind* kind_;
  std::shared_ptr<const void> content_;
};

// The request or reply as one of this family; null: it is of another.
template <class Family, class Message>
const Family* message_as(const Message& message) {
  if constexpr (MessageFamily<Family>) {
    const auto* open = std::get_if<OpenMessage>(&message);
    return open != nullptr ? open->template get_if<Family>() : nullptr;
  } else {
    return std::get_if<Family>(&message);
  }
}
// Of the store's families: 0 is the reference store.
template <class Message>
std::uint8_t store_number(const Message& message) {
  const auto* open = std::get_if<OpenMessage>(&message);
  return open != nullptr ? open->number() : 0;
}

}  // namespace tenure
