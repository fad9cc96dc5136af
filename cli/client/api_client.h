// The API of `tenured` as commands use it: what was asked for, or a ClientError in words (docs/daemon.md).
//
// Thread rule: used by the main thread.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "cli/arguments/options.h"
#include "cli/client/http_client.h"
#include "cli/exit_code.h"

namespace tenure::cli {

using Json = nlohmann::ordered_json;

// What ends a command, or one item of it. Its text has several lines if the server said more.
class ClientError : public std::runtime_error {
 public:
  ClientError(ExitCode code, const std::string& text, int status = 0)
      : std::runtime_error(text), code_(code), status_(status) {}
  ExitCode code() const { return code_; }
  int status() const { return status_; }  // HTTP's; 0: no answer

 private:
  ExitCode code_;
  int status_;
};

class ApiClient {
 public:
  explicit ApiClient(ServerOptions options) : options_(std::move(options)) {}

  struct Answer {
    Json json;  // null: no body
    std::string etag;
  };
  // Throws ClientError unless the answer is 2xx.
  Answer ask(const ClientRequest& request) const;
  Json get(const std::string& path) const { return ask({"GET", path, std::nullopt, {}}).json; }

 private:
  ServerOptions options_;
};

// Of a schedule: "/v1/schedules/NAME", and what follows.
std::string schedule_path(const std::string& name, const std::string& rest = {});

// A problem (RFC 9457) for people: its title or detail, and each of its errors, with the caret text as it is.
std::string words_of_problem(const Json& problem);

// Fields of what a server sent, whatever it is: text that a terminal can show, and "" for what there is not.
std::string text_at(const Json& json, const std::string& key);
const Json& part_at(const Json& json, const std::string& key);

}  // namespace tenure::cli
