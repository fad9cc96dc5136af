#include "adapters/webhook/destination.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "adapters/webhook/address_rules.h"

namespace tenure::webhook {
namespace {

constexpr std::size_t kMostKeys = 2;
constexpr std::size_t kMostInFlight = 1'000;
constexpr Duration kLongest = Duration::minutes(5);

struct CurlUrl {
  explicit CurlUrl(const std::string& text) : handle(curl_url(), &curl_url_cleanup) {
    error = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), 0);
  }
  std::optional<std::string> part(CURLUPart which) const {
    char* text = nullptr;
    if (curl_url_get(handle.get(), which, &text, 0) != CURLUE_OK) return std::nullopt;
    const std::unique_ptr<char, void (*)(void*)> owner(text, &curl_free);
    return std::string(text);
  }

  std::unique_ptr<CURLU, void (*)(CURLU*)> handle;
  CURLUcode error = CURLUE_OK;
};

void judge_url(const WebhookDestination& destination, std::vector<std::string>& problems) {
  const CurlUrl url(destination.url);
  if (url.error != CURLUE_OK) {
    problems.push_back(fmt::format("url: `{}` is none: {}", destination.url, curl_url_strerror(url.error)));
    return;
  }
  const std::string scheme = url.part(CURLUPART_SCHEME).value_or("");
  if (scheme != "http" && scheme != "https")
    problems.push_back(fmt::format("url: `{}` is neither http nor https", scheme));
  if (url.part(CURLUPART_USER) || url.part(CURLUPART_PASSWORD))
    problems.emplace_back("url: it has a user or a password; webhooks are signed instead");
  if (url.part(CURLUPART_FRAGMENT)) problems.emplace_back("url: it has a `#`, which is not sent");
  std::string host = url.part(CURLUPART_HOST).value_or("");
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto address = read_ip_address(host);
  const auto refused = address ? refusal_of(*address, destination.allow) : std::nullopt;
  if (refused)
    problems.push_back(fmt::format("url: {}; add its network to `allow` if that is meant", *refused));
}

}  // namespace

std::vector<std::string> problems_of(const WebhookDestination& destination) {
  std::vector<std::string> problems;
  if (destination.name.empty()) problems.emplace_back("name: it is empty");
  judge_url(destination, problems);
  if (destination.keys.size() > kMostKeys)
    problems.push_back(fmt::format("secrets: {}, and at most {} sign", destination.keys.size(), kMostKeys));
  const Duration least = Duration::millis(1);
  if (destination.total_timeout < least || destination.total_timeout > kLongest)
    problems.emplace_back("total_timeout: it is 1ms to 5m");
  else if (destination.connect_timeout < least || destination.connect_timeout > destination.total_timeout)
    problems.emplace_back("connect_timeout: it is 1ms to total_timeout");
  if (destination.in_flight < 1 || destination.in_flight > kMostInFlight)
    problems.push_back(fmt::format("in_flight: it is 1 to {}", kMostInFlight));
  return problems;
}

}  // namespace tenure::webhook
