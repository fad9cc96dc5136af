// A request and its answer, as a handler sees them.
//
// Thread rule: values; HttpStream may be used from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::daemon {

struct HttpField {
  std::string name;  // of a request: in lower case
  std::string value;
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string host;    // of the Host field, or of a target that names it; may have a port
  std::string path;    // as sent: percent-encoded, without the query
  std::string query;   // likewise
  std::vector<HttpField> fields;
  std::string body;
  std::string peer;            // its address, without the port
  bool from_loopback = false;  // of that address
  // Set once nobody waits for the answer any more. Null: nobody looks.
  std::shared_ptr<const std::atomic<bool>> given_up = {};

  // The value of the first field of that name, which is in lower case; empty if there is none.
  std::string_view field(std::string_view name) const {
    for (const HttpField& one : fields)
      if (one.name == name) return one.value;
    return {};
  }
  // The client has ended its side of the connection, or was told that this takes too long.
  bool is_given_up() const { return given_up != nullptr && *given_up; }
  bool has_field(std::string_view name) const {
    for (const HttpField& one : fields)
      if (one.name == name) return true;
    return false;
  }
};

// An answer that goes on: text is sent in pieces, each once the one before has left.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // Calls `sent` once the client's system has taken the piece, or with false when it has not within the server's
  // `send_time`; the stream is then closed. REQUIRES: the piece before was sent.
  virtual void send(std::string piece, std::function<void(bool ok)> sent) = 0;
  virtual void finish() = 0;
  // The client has gone, or the server stops.
  virtual bool closed() const = 0;
};

struct HttpResponse {
  std::uint16_t status = 200;
  std::vector<HttpField> fields;
  std::string body;
  std::string route = {};  // of the handler that answers, for whoever counts
  // Called instead of sending it if nobody waits for it any more, and afterwards if it could not be sent: the client does
  // not know of it. On one of the server's threads; must not block.
  std::function<void()> not_taken = {};
  // If there is one, the answer has no body, and this is called with the stream of pieces that follow.
  std::function<void(std::shared_ptr<HttpStream> stream)> begin_stream = {};
  // The server's: the room that the body takes of its `answer_bytes`, until the client has it.
  std::shared_ptr<void> room = {};
};

// Answers a request: calls `respond` once, from any thread. It is called on one of the server's threads, and must not
// block. A request that is not answered within the server's `answer_time` is answered with a 503.
using HttpRespond = std::function<void(HttpResponse response)>;
using HttpHandler = std::function<void(HttpRequest request, HttpRespond respond)>;

}  // namespace tenure::daemon
