// One HTTP request that delivers one event, on libcurl.
//
//   1. It is sent once. libcurl would send again on a new connection what a reused one did not answer; here that ends
//      the attempt, because the next one has another number.
//   2. It goes to no address that its destination does not allow: the address is checked as the socket for it is made,
//      after the look-up of the name, and again before each request on a connection that is reused.
//   3. It follows no redirect, and knows no proxy, netrc or cookie.
//   4. An answer counts once its headers are complete; what becomes of its body does not matter. More than kBodyBytes
//      of it, or kHeaderBytes of headers, are not read.
//
// Thread rule: one thread. libcurl keeps its address, so it is not moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/webhook/delivery.h"
#include "adapters/webhook/destination.h"

struct sockaddr;

namespace tenure::webhook {

class Transfer {
 public:
  static constexpr std::size_t kBodyBytes = 65'536;
  static constexpr std::size_t kHeaderBytes = 65'536;

  // `timestamp`: now, in seconds since 1970.
  Transfer(std::shared_ptr<const WebhookDestination> destination, const WebhookDelivery& delivery,
           std::int64_t timestamp);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void* handle() const { return handle_; }  // a CURL*
  // `code`: the CURLcode with which it ended.
  WebhookResult result(int code) const;

  // What libcurl calls while it runs.
  bool may_connect(const sockaddr& address);
  bool may_send(std::string_view address);
  bool take_header(std::string_view line);
  bool take_body(std::string_view part);

 private:
  bool may_use(const std::optional<IpAddress>& address);
  std::string reason_of(int code) const;

  std::shared_ptr<const WebhookDestination> destination_;
  void* handle_ = nullptr;
  void* headers_ = nullptr;  // a curl_slist*
  std::string body_;         // libcurl reads it where it is
  char error_[256] = {};     // CURL_ERROR_SIZE

  std::string refusal_;     // the last; empty: none
  bool permitted_ = false;  // it may connect to one of the addresses
  bool sent_ = false;
  bool again_ = false;     // it was to be sent a second time
  bool answered_ = false;  // the headers of a final answer are complete
  int status_ = 0;
  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  std::string response_;
};

}  // namespace tenure::webhook
