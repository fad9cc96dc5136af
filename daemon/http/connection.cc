#include "daemon/http/connection.h"

#include <fmt/format.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <ctime>
#include <utility>

#include "core/base/check.h"
#include "daemon/http/problem.h"
#include "daemon/http/stream.h"
#include "daemon/http/target.h"

namespace tenure::daemon {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr Duration kLinger = Duration::seconds(1);
constexpr std::size_t kLingerBytes = 4 * 1024 * 1024;
constexpr std::size_t kReadAhead = 64 * 1024;

std::chrono::nanoseconds length_of(Duration time) { return std::chrono::nanoseconds(time.ns()); }

// What the server says by itself.
HttpResponse refusal(std::uint16_t status, std::string type, std::string title, std::string detail = {}) {
  return response_of({.status = status,
                      .type = std::move(type),
                      .title = std::move(title),
                      .detail = std::move(detail),
                      .fields = {{"Cache-Control", "no-store"}}});
}

HttpResponse busy(std::string title) {
  HttpResponse response = refusal(503, "busy", std::move(title));
  response.fields.push_back({"Retry-After", "1"});
  return response;
}

std::string now_as_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  const std::size_t length = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, length};
}

template <class Fields>
void set_fields(Fields& message, const HttpResponse& response) {
  for (const HttpField& field : response.fields) {
    CHECK(field.value.find_first_of("\r\n") == std::string::npos, "a field is one line");
    message.set(field.name, field.value);
  }
  message.set(http::field::date, now_as_date());
}

}  // namespace

HttpConnection::HttpConnection(net::ip::tcp::socket socket, const HttpOptions& options,
                               const HttpHandler& handler, AnswerRoom& room, std::function<void()> released)
    : stream_(std::move(socket)),
      buffer_(options.header_bytes + kReadAhead),
      options_(options),
      handler_(handler),
      room_(room),
      released_(std::move(released)),
      patience_(stream_.get_executor()) {}

HttpConnection::~HttpConnection() { released_(); }

void HttpConnection::begin() {
  net::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->read_header(); });
}

void HttpConnection::refuse() {
  net::dispatch(stream_.get_executor(),
                [self = shared_from_this()] { self->write(busy("There are too many connections"), false); });
}

void HttpConnection::close_when_idle() {
  closing_ = true;
  net::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->idle_ || self->streaming_) self->close();
  });
}

// ---- a request comes in ----------------------------------------------------------------------------------

void HttpConnection::read_header() {
  if (closing_) return linger(0);
  is_head_ = false;
  method_.clear();
  began_ = std::chrono::steady_clock::now();
  parser_.emplace();
  parser_->header_limit(options_.header_bytes);
  parser_->body_limit(options_.body_bytes);
  idle_ = true;
  stream_.expires_after(length_of(options_.idle_time));
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCode error, std::size_t) { self->header_read(error); });
}

void HttpConnection::header_read(ErrorCode error) {
  idle_ = false;
  began_ = std::chrono::steady_clock::now();
  if (error) return not_readable(error);
  method_ = std::string(parser_->get().method_string());
  // With any other, nobody could say where the body ends and the next request begins.
  const auto& header = parser_->get();
  const std::size_t encodings = header.count(http::field::transfer_encoding);
  if (encodings > 1 || (encodings == 1 && !beast::iequals(header[http::field::transfer_encoding], "chunked")))
    return write(refusal(501, "invalid", "The only Transfer-Encoding is chunked"), false);
  if (!beast::iequals(parser_->get()[http::field::expect], "100-continue") || parser_->is_done())
    return read_body();
  stream_.expires_after(length_of(options_.send_time));
  net::async_write(stream_, net::buffer(kContinue),
                   [self = shared_from_this()](ErrorCode failed, std::size_t) {
                     failed ? self->close() : self->read_body();
                   });
}

void HttpConnection::read_body() {
  if (parser_->is_done()) return body_read({});
  stream_.expires_after(length_of(options_.receive_time));
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](ErrorCode error, std::size_t) { self->body_read(error); });
}

void HttpConnection::body_read(ErrorCode error) {
  if (error) return not_readable(error);
  const auto& message = parser_->get();
  const std::size_t hosts = message.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() > 10))
    return write(refusal(400, "invalid", "A request names one host"), false);
  answer();
}

void HttpConnection::not_readable(ErrorCode error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return write(refusal(431, "invalid", "The request's header is too large",
                         fmt::format("it may have {} bytes", options_.header_bytes)),
                 false);
  if (error == http::error::body_limit)
    return write(refusal(413, "too-large", "The request's body is too large",
                         fmt::format("it may have {} bytes", options_.body_bytes)),
                 false);
  // Nobody is there to be told: it has gone, or it was too slow.
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != make_error_code(http::error::end_of_stream).category())
    return close();
  write(refusal(400, "invalid", "The request is no HTTP", error.message()), false);
}

HttpRequest HttpConnection::take_request() {
  auto message = parser_->release();
  HttpRequest request;
  request.method = std::string(message.method_string());
  for (const auto& field : message)
    request.fields.push_back(
        {lower_case(std::string_view(field.name_string().data(), field.name_string().size())),
         std::string(field.value())});
  request.host = request.field("host");
  std::string_view target(message.target().data(), message.target().size());
  if (lower_case(target.substr(0, 7)) == "http://") {
    target.remove_prefix(7);
    const std::size_t slash = std::min(target.find_first_of("/?"), target.size());
    request.host = target.substr(0, slash);
    target.remove_prefix(slash);
  }
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  request.body = std::move(message.body());
  ErrorCode unknown;
  const auto peer = stream_.socket().remote_endpoint(unknown).address();
  if (!unknown) {
    const bool mapped = peer.is_v6() && peer.to_v6().is_v4_mapped();
    const net::ip::address address =
        mapped ? net::ip::address(net::ip::make_address_v4(net::ip::v4_mapped, peer.to_v6())) : peer;
    request.peer = address.to_string();
    request.from_loopback = address.is_loopback();
  }
  return request;
}

// ---- and is answered -------------------------------------------------------------------------------------

void HttpConnection::answer() {
  keep_alive_ = parser_->get().keep_alive();
  is_head_ = parser_->get().method() == http::verb::head;
  version_ = parser_->get().version();
  answering_ = true;
  began_ = std::chrono::steady_clock::now();
  const std::uint64_t turn = ++turn_;
  stream_.expires_never();
  patience_.expires_after(length_of(options_.answer_time));
  patience_.async_wait([self = shared_from_this(), turn](ErrorCode error) {
    if (error || turn != self->turn_) return;
    *self->given_up_ = true;
    self->respond(turn, busy("This takes too long"));
  });
  given_up_ = std::make_shared<std::atomic<bool>>(false);
  watch_client(turn);
  HttpRequest request = take_request();
  request.given_up = given_up_;
  handler_(std::move(request), [self = shared_from_this(), turn](HttpResponse response) {
    if (!self->room_.take(response)) {
      if (response.not_taken) response.not_taken();
      HttpResponse refused = busy("Too many large answers wait to be read");
      refused.route = std::move(response.route);
      response = std::move(refused);
    }
    net::post(self->stream_.get_executor(), [self, turn, response = std::move(response)]() mutable {
      self->respond(turn, std::move(response));
    });
  });
}

void HttpConnection::watch_client(std::uint64_t turn) {
  const auto look = [self = shared_from_this(), turn](ErrorCode error) {
    if (!error && turn == self->turn_ && self->answering_) self->look_at_client();
  };
  stream_.socket().async_wait(net::ip::tcp::socket::wait_read, look);
}

void HttpConnection::look_at_client() {
  char next = 0;
  ErrorCode ended;
  stream_.socket().non_blocking(true, ended);  // what is asynchronous is so anyway
  stream_.socket().receive(net::buffer(&next, 1), net::socket_base::message_peek, ended);
  if (ended == net::error::would_block || ended == net::error::interrupted) return watch_client(turn_);
  // It may have sent the next request ahead. What comes after that is not seen.
  if (ended) *given_up_ = true;
}

void HttpConnection::respond(std::uint64_t turn, HttpResponse response) {
  if (turn != turn_ || !answering_) {
    if (response.not_taken) response.not_taken();
    return;
  }
  answering_ = false;
  patience_.cancel();
  if (*given_up_ && response.not_taken) {
    response.not_taken();
    return close();
  }
  if (response.begin_stream && !is_head_ && !closing_) return begin_stream(std::move(response));
  write(std::move(response), keep_alive_ && !closing_);
}

void HttpConnection::tell(const HttpResponse& response) const {
  if (!options_.answered) return;
  const auto took = std::chrono::steady_clock::now() - began_;
  const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
  options_.answered({response.route, method_, response.status, Duration::nanos(nanos)});
}

void HttpConnection::write(HttpResponse response, bool keep) {
  tell(response);
  auto message = std::make_shared<Response>(http::int_to_status(response.status), version_);
  set_fields(*message, response);
  message->keep_alive(keep);
  if (is_head_ || response.status == 304) {
    if (response.status != 304) message->content_length(response.body.size());
  } else {
    message->body() = std::move(response.body);
    message->prepare_payload();
  }
  stream_.expires_after(length_of(options_.send_time));
  http::async_write(stream_, *message,
                    [self = shared_from_this(), message, keep, room = std::move(response.room),
                     not_taken = std::move(response.not_taken)](ErrorCode error, std::size_t) {
                      if (error && not_taken) not_taken();
                      if (error) return self->close();
                      keep ? self->read_header() : self->linger(0);
                    });
}

void HttpConnection::begin_stream(HttpResponse response) {
  tell(response);
  struct Header {
    http::response<http::empty_body> message;
    http::response_serializer<http::empty_body> serializer{message};
  };
  const auto header = std::make_shared<Header>();
  header->message.result(response.status);
  header->message.version(version_);
  set_fields(header->message, response);
  header->message.keep_alive(false);
  const bool chunked = version_ > 10;
  if (chunked) header->message.chunked(true);
  streaming_ = std::make_shared<ConnectionStream>(shared_from_this(), chunked);
  stream_.expires_after(length_of(options_.send_time));
  http::async_write_header(stream_, header->serializer,
                           [self = shared_from_this(), header, begin = std::move(response.begin_stream)](
                               ErrorCode error, std::size_t) {
                             if (error) return self->close();
                             const auto stream = self->streaming_;
                             if (stream == nullptr) return;  // closed meanwhile
                             self->stream_.expires_never();
                             self->watch_for_end();
                             begin(stream);
                           });
}

void HttpConnection::watch_for_end() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(1024), [self = shared_from_this()](ErrorCode error, std::size_t) {
    if (self->streaming_ == nullptr) return;
    error ? self->close() : self->watch_for_end();  // what it says meanwhile is nothing to us
  });
}

void HttpConnection::linger(std::size_t read) {
  ErrorCode ignored;
  if (read == 0) {
    stream_.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(length_of(kLinger));
  }
  if (read > kLingerBytes) return close();
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kReadAhead / 4),
                          [self = shared_from_this(), read](ErrorCode error, std::size_t bytes) {
                            error ? self->close() : self->linger(read + bytes);
                          });
}

void HttpConnection::close() {
  if (const auto stream = std::exchange(streaming_, nullptr)) stream->end();
  patience_.cancel();
  *given_up_ = true;
  ++turn_;
  ErrorCode ignored;
  stream_.socket().close(ignored);
}

}  // namespace tenure::daemon
