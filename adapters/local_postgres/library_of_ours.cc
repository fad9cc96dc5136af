#include "adapters/local_postgres/library_of_ours.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/base/host_failure.h"

namespace tenure::local_postgres {

namespace fs = std::filesystem;

std::string library_of_ours(std::string_view name, std::string_view asker) {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& path : {program / name, program / ".." / "lib" / "tenure" / name})
    if (fs::exists(path, none)) return path.string();
  throw HostFailure(fmt::format("{} needs {} beside this program ({}), or in ../lib/tenure from there", asker,
                                name, program.string()));
}

}  // namespace tenure::local_postgres
