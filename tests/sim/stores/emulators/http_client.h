// HTTP to an emulator (with_emulator.sh), over one connection that is kept.
//
// Thread rule: one client belongs to one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenure::emulators {

struct HttpAnswer {
  long status = 0;
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;
};

class HttpClient {
 public:
  HttpClient();
  // `path` begins with a slash. Throws std::runtime_error if there is no answer.
  HttpAnswer ask(const std::string& method, const std::string& path, const std::vector<std::string>& headers,
                 const std::string& body);

 private:
  std::string url_;
  std::unique_ptr<void, void (*)(void*)> handle_;
};

}  // namespace tenure::emulators
