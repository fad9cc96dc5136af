# A room: one folder, one static library, and the rooms it may look into. The linker keeps the arrows in the
# tests (each room's test links that room and what it names here); tests/tidy checks every #include against them.
find_package(fmt REQUIRED)

add_library(tenure_options INTERFACE)
target_compile_features(tenure_options INTERFACE cxx_std_20)
target_include_directories(tenure_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/tenure>)
# Warnings are ours to read, and nobody's who uses the libraries.
set(tenure_warnings -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wimplicit-fallthrough -Wnon-virtual-dtor
    -Woverloaded-virtual -fno-strict-overflow)
target_compile_options(tenure_options INTERFACE "$<BUILD_INTERFACE:${tenure_warnings}>")

# Most of a file's compilation is headers and templates that its neighbours need too: a whole build takes half the time
# when several files share it. For that, names in anonymous namespaces must be unique in a room. Builds for work on the
# code do without (CMakePresets.json): there one file is compiled again, and each must include what it needs. So many that
# most rooms are one piece, and not so many that a compiler needs much more than a gigabyte.
function(tenure_unity_build target)
  if(TENURE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 28)
  endif()
endfunction()

# Headers of others that most files of a kind need, compiled once for all: the first target of a KIND compiles them, the
# others take its result, and so have to be compiled with the same flags.
function(tenure_precompile target kind)
  if(NOT TENURE_UNITY_BUILD)
    return()
  endif()
  get_property(first GLOBAL PROPERTY TENURE_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY TENURE_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

set(tenure_common_headers <fmt/format.h> <algorithm> <functional> <map> <memory> <optional> <set> <string> <variant> <vector>)
# The contract of a node, which nearly every file of the rooms above it includes.
set(tenure_model_headers ${PROJECT_SOURCE_DIR}/core/model/instance.h ${PROJECT_SOURCE_DIR}/core/model/describe.h)
# The whole of a simulated cluster, which nearly every file of the rooms above it includes.
set(tenure_world_headers ${PROJECT_SOURCE_DIR}/sim/world/world.h ${PROJECT_SOURCE_DIR}/core/model/describe.h)

# For rooms that read arguments and scenario files, and write reports. Nobody waits for them, and optimising them takes
# half of their compilation. A debug build may ask for optimisation, because runs take long without it: not for these.
set(tenure_unhurried $<$<CONFIG:Release>:-Og> $<$<CONFIG:Debug>:-O0>)

# tenure_room(NAME FOLDER [HEADERS] [NO_UNITY] [UNHURRIED] [ROOMS room…] [LIBRARIES lib…] [PRECOMPILED header…] FOR what)
# FOR: what it is for, in a line. The table of docs/architecture.md is written from these calls (tests/tidy).
# HEADERS: it has no sources of its own; those below its folder belong to another room.
# NO_UNITY: its files are never compiled together, because each declares its own under the same names (the kinds of a
# registry), or because mutants take the place of single ones (tests/mutants).
# UNHURRIED: nobody waits for it, so it is compiled with little optimisation.
# PRECOMPILED: headers that most of its files include, compiled once in builds that are made whole.
function(tenure_room name folder)
  cmake_parse_arguments(ARG "HEADERS;NO_UNITY;UNHURRIED" "FOR" "ROOMS;LIBRARIES;PRECOMPILED" ${ARGN})
  set(sources)
  if(NOT ARG_HEADERS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  endif()
  list(TRANSFORM ARG_ROOMS PREPEND tenure_)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC tenure_options ${ARG_ROOMS} PRIVATE ${ARG_LIBRARIES})
    if(NOT ARG_NO_UNITY)
      tenure_unity_build(${name})
    endif()
    set(kind rooms)
    if(ARG_UNHURRIED)
      set(kind unhurried_rooms)
      target_compile_options(${name} PRIVATE ${tenure_unhurried})
    endif()
    if(ARG_PRECOMPILED)
      list(TRANSFORM ARG_PRECOMPILED PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^[^<]")
      tenure_precompile(${name} ${name} ${ARG_PRECOMPILED})
    elseif(ARG_LIBRARIES STREQUAL "fmt::fmt")
      if(tenure_world IN_LIST ARG_ROOMS)
        tenure_precompile(${name} ${kind}_above_the_world ${tenure_common_headers} ${tenure_world_headers})
      elseif(tenure_model IN_LIST ARG_ROOMS)
        tenure_precompile(${name} ${kind}_above_the_model ${tenure_common_headers} ${tenure_model_headers})
      else()
        tenure_precompile(${name} ${kind} ${tenure_common_headers})
      endif()
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE tenure_options ${ARG_ROOMS})
  endif()
  set_property(TARGET ${name} PROPERTY TENURE_FOLDER ${folder})
  set_property(GLOBAL APPEND PROPERTY TENURE_ROOMS ${name})
endfunction()
