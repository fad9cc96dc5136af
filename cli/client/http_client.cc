#include "cli/client/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>

#include "core/base/check.h"

namespace tenure::cli {
namespace {

constexpr long kConnectSeconds = 10;
constexpr long kTotalSeconds = 60;
constexpr std::size_t kLongestReply = std::size_t{256} << 20;

using Handle = std::unique_ptr<CURL, void (*)(CURL*)>;
using Headers = std::unique_ptr<curl_slist, void (*)(curl_slist*)>;

Handle new_handle() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(started == CURLE_OK, "libcurl starts");
  Handle handle(curl_easy_init(), &curl_easy_cleanup);
  CHECK(handle != nullptr, "libcurl has memory");
  return handle;
}

std::size_t take_body(char* text, std::size_t, std::size_t size, void* reply) {
  std::string& body = static_cast<HttpReply*>(reply)->body;
  if (body.size() + size > kLongestReply) return 0;
  body.append(text, size);
  return size;
}

std::size_t take_header(char* text, std::size_t, std::size_t size, void* reply) {
  const std::string_view line(text, size);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name != "etag") return size;
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == '\r' || value.back() == '\n' || value.back() == ' '))
    value.remove_suffix(1);
  static_cast<HttpReply*>(reply)->etag = value;
  return size;
}

Headers headers_of(const HttpRequest& request, const std::string& token) {
  Headers headers(nullptr, &curl_slist_free_all);
  const auto add = [&headers](const std::string& line) {
    curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
    CHECK(longer != nullptr, "libcurl has memory");
    headers.release();
    headers.reset(longer);
  };
  add("Accept: application/json");
  add("Expect:");
  if (request.body) add("Content-Type: application/json");
  if (!token.empty()) add("Authorization: Bearer " + token);
  for (const auto& [name, value] : request.headers) add(name + ": " + value);
  return headers;
}

}  // namespace

std::variant<HttpReply, NoReply> send_request(const std::string& base, const std::string& token,
                                              const HttpRequest& request) {
  const Handle handle = new_handle();
  CURL* const curl = handle.get();
  const Headers headers = headers_of(request, token);
  HttpReply reply;
  char error[CURL_ERROR_SIZE] = {};
  const std::string url = (base.ends_with('/') ? base.substr(0, base.size() - 1) : base) + request.path;
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "tenure");
  if (request.body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body->c_str());
  }
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, kTotalSeconds);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &reply);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return NoReply{error[0] != '\0' ? error : curl_easy_strerror(code)};
  long status = 0;
  const char* type = nullptr;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
  reply.status = static_cast<int>(status);
  if (type != nullptr) reply.content_type = type;
  return reply;
}

std::string problem_of_server(const std::string& base) {
  const std::unique_ptr<CURLU, void (*)(CURLU*)> url(curl_url(), &curl_url_cleanup);
  const CURLUcode read = curl_url_set(url.get(), CURLUPART_URL, base.c_str(), 0);
  if (read != CURLUE_OK) return fmt::format("is no URL: {}", curl_url_strerror(read));
  const auto part = [&url](CURLUPart which) -> std::optional<std::string> {
    char* text = nullptr;
    if (curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return std::nullopt;
    const std::unique_ptr<char, void (*)(void*)> owner(text, &curl_free);
    return std::string(text);
  };
  const auto scheme = part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return "is neither http nor https";
  if (part(CURLUPART_QUERY) || part(CURLUPART_FRAGMENT)) return "has more than a host and a path";
  if (part(CURLUPART_USER)) return "has a user: tokens come from TENURE_TOKEN or --token-file";
  return {};
}

std::string url_escaped(const std::string& text) {
  const Handle handle = new_handle();
  const std::unique_ptr<char, void (*)(void*)> escaped(
      curl_easy_escape(handle.get(), text.c_str(), static_cast<int>(text.size())), &curl_free);
  CHECK(escaped != nullptr, "libcurl has memory");
  return escaped.get();
}

}  // namespace tenure::cli
