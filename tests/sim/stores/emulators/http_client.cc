#include "tests/sim/stores/emulators/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace tenure::emulators {
namespace {

std::size_t take_body(char* data, std::size_t, std::size_t size, void* answer) {
  static_cast<HttpAnswer*>(answer)->body.append(data, size);
  return size;
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* answer) {
  const std::string line(data, size);
  const std::size_t colon = line.find(": ");
  if (colon == std::string::npos) return size;
  std::string name = line.substr(0, colon);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string value = line.substr(colon + 2);
  static_cast<HttpAnswer*>(answer)->headers[name] = value.substr(0, value.find_last_not_of("\r\n") + 1);
  return size;
}

}  // namespace

HttpClient::HttpClient() : handle_(curl_easy_init(), curl_easy_cleanup) {
  const char* const url = std::getenv("EMULATOR_URL");
  if (url == nullptr) throw std::runtime_error("EMULATOR_URL is not set: run it by with_emulator.sh");
  url_ = url;
}

HttpAnswer HttpClient::ask(const std::string& method, const std::string& path,
                           const std::vector<std::string>& headers, const std::string& body) {
  CURL* const curl = handle_.get();
  HttpAnswer answer;
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> list(nullptr, curl_slist_free_all);
  for (const std::string& header : headers) {
    curl_slist* const longer = curl_slist_append(list.get(), header.c_str());
    list.release();
    list.reset(longer);
  }
  curl_easy_setopt(curl, CURLOPT_URL, (url_ + path).c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (method == "GET") {
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
  } else {
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  }
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list.get());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer);
  if (const CURLcode error = curl_easy_perform(curl); error != CURLE_OK)
    throw std::runtime_error(fmt::format("no answer to {} {}: {}", method, path, curl_easy_strerror(error)));
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

}  // namespace tenure::emulators
