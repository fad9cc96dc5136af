#include "adapters/webhook/transfer.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>

#include "adapters/webhook/address_rules.h"
#include "adapters/webhook/cloud_event.h"
#include "core/base/check.h"
#include "core/base/readable_text.h"

namespace tenure::webhook {
namespace {

constexpr Duration kLongestRetryAfter = Duration::hours(24);
// Shorter than servers keep idle connections: one that the server closes as we send costs an attempt.
constexpr long kIdleSeconds = 4;

curl_socket_t open_socket(void* transfer, curlsocktype, curl_sockaddr* address) {
  if (!static_cast<Transfer*>(transfer)->may_connect(address->addr)) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int before_request(void* transfer, char* address, char*, int, int) {
  return static_cast<Transfer*>(transfer)->may_send(address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

std::size_t on_header(char* text, std::size_t, std::size_t size, void* transfer) {
  return static_cast<Transfer*>(transfer)->take_header({text, size}) ? size : 0;
}

std::size_t on_body(char* text, std::size_t, std::size_t size, void* transfer) {
  return static_cast<Transfer*>(transfer)->take_body({text, size}) ? size : 0;
}

template <class Value>
void set(void* handle, CURLoption option, Value value) {
  CHECK(curl_easy_setopt(handle, option, value) == CURLE_OK, "libcurl knows the option");
}

long millis(Duration duration) { return static_cast<long>(duration.ns() / 1'000'000); }

std::string printed(Duration duration) {
  const long ms = millis(duration);
  return ms % 1'000 == 0 ? fmt::format("{}s", ms / 1'000) : fmt::format("{}ms", ms);
}

}  // namespace

Transfer::Transfer(std::shared_ptr<const WebhookDestination> destination, const WebhookDelivery& delivery,
                   std::int64_t timestamp)
    : destination_(std::move(destination)), handle_(curl_easy_init()), body_(cloud_event_of(delivery)) {
  static_assert(sizeof error_ >= CURL_ERROR_SIZE);
  CHECK(handle_ != nullptr, "libcurl has memory");
  curl_slist* headers = nullptr;
  const auto add = [&headers](const std::string& line) {
    headers = curl_slist_append(headers, line.c_str());
  };
  add(fmt::format("Content-Type: {}", kContentType));
  add(fmt::format("webhook-id: {}", delivery.event_id));
  add(fmt::format("webhook-timestamp: {}", timestamp));
  if (!destination_->keys.empty())
    add(fmt::format("webhook-signature: {}",
                    signature_of(destination_->keys, delivery.event_id, timestamp, body_)));
  add("Expect:");  // do not wait for "100 Continue"
  headers_ = headers;

  set(handle_, CURLOPT_URL, destination_->url.c_str());
  set(handle_, CURLOPT_HTTPHEADER, headers);
  set(handle_, CURLOPT_USERAGENT, "Tenure");
  set(handle_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
  set(handle_, CURLOPT_POSTFIELDS, body_.c_str());
  set(handle_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle_, CURLOPT_FOLLOWLOCATION, 0L);
  set(handle_, CURLOPT_PROXY, "");  // whatever the environment says
  set(handle_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  if (!destination_->ca_file.empty()) set(handle_, CURLOPT_CAINFO, destination_->ca_file.c_str());
  set(handle_, CURLOPT_CONNECTTIMEOUT_MS, millis(destination_->connect_timeout));
  set(handle_, CURLOPT_TIMEOUT_MS, millis(destination_->total_timeout));
  set(handle_, CURLOPT_MAXAGE_CONN, kIdleSeconds);
  set(handle_, CURLOPT_NOSIGNAL, 1L);
  set(handle_, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a look-up that takes longer than the attempt
  set(handle_, CURLOPT_ERRORBUFFER, error_);
  set(handle_, CURLOPT_PRIVATE, static_cast<void*>(this));
  set(handle_, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  set(handle_, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set(handle_, CURLOPT_PREREQFUNCTION, &before_request);
  set(handle_, CURLOPT_PREREQDATA, static_cast<void*>(this));
  set(handle_, CURLOPT_HEADERFUNCTION, &on_header);
  set(handle_, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(handle_, CURLOPT_WRITEFUNCTION, &on_body);
  set(handle_, CURLOPT_WRITEDATA, static_cast<void*>(this));
}

Transfer::~Transfer() {
  curl_easy_cleanup(handle_);
  curl_slist_free_all(static_cast<curl_slist*>(headers_));
}

bool Transfer::may_use(const std::optional<IpAddress>& address) {
  if (!address) {
    refusal_ = "it is no address of IPv4 or IPv6";
    return false;
  }
  const auto refused = refusal_of(*address, destination_->allow);
  if (refused) refusal_ = *refused;
  return !refused;
}

bool Transfer::may_connect(const sockaddr& address) {
  const bool may = may_use(ip_address_of(address));
  permitted_ = permitted_ || may;
  return may;
}

bool Transfer::may_send(std::string_view address) {
  if (sent_) again_ = true;
  if (again_ || !may_use(read_ip_address(address))) return false;
  sent_ = true;
  return true;
}

bool Transfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kHeaderBytes) return false;
  if (line.starts_with("HTTP/")) {  // there may be several answers, 1xx before the final one
    const std::size_t space = line.find(' ');
    status_ = 0;
    if (space != std::string_view::npos)
      std::from_chars(line.data() + space + 1, line.data() + line.size(), status_);
  } else if ((line == "\r\n" || line == "\n") && status_ >= 200) {
    answered_ = true;
  }
  return true;
}

bool Transfer::take_body(std::string_view part) {
  if (response_.size() < kResponseBytes) response_ += part.substr(0, kResponseBytes - response_.size());
  body_bytes_ += part.size();
  return body_bytes_ <= kBodyBytes;
}

std::string Transfer::reason_of(int code) const {
  if (again_) return "the connection was closed before an answer came";
  if (header_bytes_ > kHeaderBytes)
    return fmt::format("the answer has more than {} bytes of headers", kHeaderBytes);
  if (!permitted_ && !sent_ && !refusal_.empty()) return fmt::format("refused to connect: {}", refusal_);
  if (code == CURLE_OPERATION_TIMEDOUT)
    return sent_ ? fmt::format("no answer within {}", printed(destination_->total_timeout))
                 : fmt::format("no connection within {}", printed(destination_->connect_timeout));
  const std::string_view detail =
      error_[0] != '\0' ? std::string_view(error_) : curl_easy_strerror(static_cast<CURLcode>(code));
  std::string line = readable_text(detail);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

WebhookResult Transfer::result(int code) const {
  WebhookResult result;
  curl_off_t micros = 0;
  curl_easy_getinfo(handle_, CURLINFO_TOTAL_TIME_T, &micros);
  result.took = Duration::micros(micros);
  if (!answered_) {
    result.reason = reason_of(code);
    return result;
  }
  result.status = status_;
  result.response = response_;
  if (status_ < 300) {
    result.kind = WebhookResult::Kind::delivered;
    return result;
  }
  if (status_ == 410) result.kind = WebhookResult::Kind::gone;
  result.reason = fmt::format("the destination answered {}{}", status_,
                              status_ < 400 ? ", and redirects are not followed" : "");
  curl_off_t seconds = 0;
  curl_easy_getinfo(handle_, CURLINFO_RETRY_AFTER, &seconds);
  const bool may_ask = status_ == 408 || status_ == 425 || status_ == 429 || status_ >= 500;
  if (may_ask && seconds > 0) result.retry_after = std::min(Duration::seconds(seconds), kLongestRetryAfter);
  return result;
}

}  // namespace tenure::webhook
