#include "daemon/http/server.h"

#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/http/connection.h"

namespace tenure::daemon {

namespace net = boost::asio;
using ErrorCode = boost::beast::error_code;

namespace {

// Beyond the limit, so many more are told that it is reached; others are closed without a word.
constexpr std::size_t kToldSo = 64;
constexpr std::chrono::milliseconds kWithoutDescriptors{100};

}  // namespace

// Who is connected. It outlives the connections.
class OpenConnections {
 public:
  std::uint64_t reserve() {
    const std::lock_guard lock(mutex_);
    open_.emplace(++last_, std::weak_ptr<HttpConnection>());
    return last_;
  }
  void set(std::uint64_t number, const std::shared_ptr<HttpConnection>& connection) {
    const std::lock_guard lock(mutex_);
    open_[number] = connection;
  }
  void release(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    open_.erase(number);
    fewer_.notify_all();
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  std::vector<std::shared_ptr<HttpConnection>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<HttpConnection>> all;
    for (const auto& [number, connection] : open_)
      if (auto alive = connection.lock()) all.push_back(std::move(alive));
    return all;
  }
  void wait_for_none(Duration within) {
    std::unique_lock lock(mutex_);
    fewer_.wait_for(lock, std::chrono::nanoseconds(within.ns()), [this] { return open_.empty(); });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable fewer_;
  std::map<std::uint64_t, std::weak_ptr<HttpConnection>> open_;
  std::uint64_t last_ = 0;
};

struct HttpServer::Engine {
  Engine(HttpOptions the_options, HttpHandler the_handler)
      : options(std::move(the_options)), handler(std::move(the_handler)) {}
  ~Engine() {
    context.stop();
    for (std::thread& thread : threads) thread.join();
  }

  std::string listen() {
    ErrorCode error;
    const auto address = net::ip::make_address(options.address, error);
    if (error) return fmt::format("`{}` is no address", options.address);
    const net::ip::tcp::endpoint endpoint(address, options.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
    if (!error) port = acceptor.local_endpoint(error).port();
    if (error)
      return fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.message());
    accept();
    for (int i = 0; i < options.threads; ++i) threads.emplace_back([this] { context.run(); });
    return {};
  }

  void accept() {
    acceptor.async_accept(net::make_strand(context), [this](ErrorCode error, net::ip::tcp::socket socket) {
      if (error == net::error::operation_aborted || !acceptor.is_open()) return;
      if (error) {  // out of descriptors, mostly
        pause.expires_after(kWithoutDescriptors);
        return pause.async_wait([this](ErrorCode) { accept(); });
      }
      welcome(std::move(socket));
      accept();
    });
  }

  void welcome(net::ip::tcp::socket socket) {
    const std::size_t before = open.count();
    if (before >= options.connections + kToldSo) return;
    const std::uint64_t number = open.reserve();
    const auto connection = std::make_shared<HttpConnection>(std::move(socket), options, handler, room,
                                                             [this, number] { open.release(number); });
    open.set(number, connection);
    before < options.connections ? connection->begin() : connection->refuse();
  }

  const HttpOptions options;
  const HttpHandler handler;
  OpenConnections open;
  AnswerRoom room{options.answer_bytes};
  net::io_context context;
  net::strand<net::io_context::executor_type> strand = net::make_strand(context);
  net::ip::tcp::acceptor acceptor{strand};
  net::steady_timer pause{strand};
  std::uint16_t port = 0;
  std::vector<std::thread> threads;
};

HttpServer::HttpServer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

HttpServer::~HttpServer() = default;

HttpServer::Opened HttpServer::open(HttpOptions options, HttpHandler handler) {
  auto engine = std::make_unique<Engine>(std::move(options), std::move(handler));
  if (std::string problem = engine->listen(); !problem.empty()) return problem;
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(engine)));
}

std::uint16_t HttpServer::port() const { return engine_->port; }

std::size_t HttpServer::connections() const { return engine_->open.count(); }

void HttpServer::stop(Duration within) {
  net::post(engine_->strand, [engine = engine_.get()] {
    ErrorCode ignored;
    engine->acceptor.close(ignored);
    engine->pause.cancel();
    for (const auto& connection : engine->open.all()) connection->close_when_idle();
  });
  engine_->open.wait_for_none(within);
}

}  // namespace tenure::daemon
