#include "bench/postgres/other_flushes.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace tenure {
namespace {

constexpr std::size_t kPage = 8192;
constexpr int kPages = 2'000;  // as many as a log's file has
constexpr std::chrono::milliseconds kPause{10};

}  // namespace

OtherFlushes::OtherFlushes()
    : path_((std::filesystem::temp_directory_path() / "other_flushes_XXXXXX").string()) {
  file_ = mkstemp(path_.data());
  const std::vector<char> all(kPage * kPages, 'x');
  if (file_ < 0 || write(file_, all.data(), all.size()) != static_cast<ssize_t>(all.size()) ||
      fsync(file_) != 0) {
    fmt::print(stderr, "{} cannot be written\n", path_);
    std::exit(74);
  }
  thread_ = std::thread([this] { work(); });
}

OtherFlushes::~OtherFlushes() {
  stop();
  close(file_);
  unlink(path_.c_str());
}

Latencies OtherFlushes::stop() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
  return times_;
}

void OtherFlushes::work() {
  const std::vector<char> page(kPage, 'y');
  for (int i = 0; !over_; i = (i + 1) % kPages) {
    times_.measure([&] {
      if (pwrite(file_, page.data(), kPage, static_cast<off_t>(i) * static_cast<off_t>(kPage)) !=
              static_cast<ssize_t>(kPage) ||
          fdatasync(file_) != 0)
        std::exit(74);
    });
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace tenure
