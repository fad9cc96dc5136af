// What `tenure init` writes. The texts are files of cli/templates, and the shim of a language, put into the program by
// the build.
//
// Thread rule: constants.
#pragma once

#include <span>
#include <string_view>

namespace tenure::cli {

struct InitFile {
  std::string_view path;
  std::string_view text;
};
// One of its files is a scenario, whose first line says what to do with it.
struct InitTemplate {
  std::string_view name;
  std::span<const InitFile> files;
};

std::span<const InitTemplate> init_templates();

}  // namespace tenure::cli
