// What `tenure init` writes. The texts are the files of cli/templates, put into the program by the build.
//
// Thread rule: constants.
#pragma once

#include <span>
#include <string_view>

namespace tenure::cli {

struct InitTemplate {
  std::string_view name;
  std::string_view design;
  std::string_view scenario;
};

std::span<const InitTemplate> init_templates();

}  // namespace tenure::cli
