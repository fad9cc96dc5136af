#include "adapters/sql_postgres/clock_page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "adapters/local_postgres/library_of_ours.h"
#include "core/base/host_failure.h"

namespace tenure::sql_postgres {
namespace fs = std::filesystem;

ClockPage::ClockPage(const local_postgres::ServerKeeper& keeper, const std::string& library)
    : directory_(keeper.directory()) {
  const auto cannot = [&](const std::string& what, int why) {
    throw HostFailure(fmt::format("{}: cannot {}: {}", keeper.asker(), what, std::strerror(why)));
  };
  const std::string clock =
      library.empty() ? local_postgres::library_of_ours("libtenure_postgres_clock.so", keeper.asker())
                      : library;
  std::error_code failed;
  fs::copy_file(clock, directory_ + "/clock.so", failed);
  if (failed) cannot("copy " + clock, failed.value());
  const int file = open((directory_ + "/page").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) cannot("make the clock's page", errno);
  void* const mapped =
      ftruncate(file, sizeof(TenureClockPage)) == 0 && keeper.give_to_server(file)
          ? mmap(nullptr, sizeof(TenureClockPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
          : MAP_FAILED;
  const int why = errno;
  close(file);
  if (mapped == MAP_FAILED) cannot("make the clock's page", why);
  page_ = static_cast<TenureClockPage*>(mapped);
}

ClockPage::~ClockPage() { munmap(page_, sizeof(TenureClockPage)); }

std::vector<std::string> ClockPage::environment() const {
  return {"LD_PRELOAD=" + directory_ + "/clock.so", "TENURE_CLOCK_PAGE=" + directory_ + "/page"};
}

}  // namespace tenure::sql_postgres
