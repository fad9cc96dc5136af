#include "cli/commands/watch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <thread>

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kLookEvery = std::chrono::milliseconds(200);
// What people write; reports, which a run writes, must not start another one.
constexpr std::array<std::string_view, 6> kWatched = {".toml", ".lua", ".csv", ".py", ".go", ".sh"};

using Written = std::map<std::string, fs::file_time_type>;

// A file that vanishes or appears meanwhile is a change, and no error.
Written look_at(std::span<const std::string> paths) {
  Written files;
  std::error_code unknown;
  for (const std::string& path : paths) {
    const fs::path folder =
        fs::is_directory(path, unknown) ? fs::path(path) : fs::absolute(path, unknown).parent_path();
    for (fs::directory_iterator it(folder, unknown), end; !unknown && it != end; it.increment(unknown))
      if (std::find(kWatched.begin(), kWatched.end(), it->path().extension().string()) != kWatched.end())
        files[it->path().string()] = it->last_write_time(unknown);
  }
  return files;
}

}  // namespace

void run_on_changes(std::span<const std::string> paths, const std::function<ExitCode()>& run,
                    Streams& streams) {
  while (true) {
    const Written before = look_at(paths);
    streams.out.flush();
    streams.err.flush();
    const pid_t child = fork();
    if (child == 0) {
      const ExitCode code = run();
      write_results(streams, "");
      std::_Exit(static_cast<int>(code));
    }
    if (child > 0) waitpid(child, nullptr, 0);
    streams.err << "waiting for a change; Ctrl-C ends\n" << std::flush;
    while (look_at(paths) == before) std::this_thread::sleep_for(kLookEvery);
  }
}

}  // namespace tenure::cli
