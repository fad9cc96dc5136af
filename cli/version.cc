#include "cli/version.h"

namespace tenure::cli {

std::string_view version() { return TENURE_VERSION; }

}  // namespace tenure::cli
