# A room: one folder, one static library, and the rooms it may look into. The linker keeps the arrows in the
# tests (each room's test links that room and what it names here); tests/tidy checks every #include against them.
find_package(fmt REQUIRED)

# Half of the time of links is the plain linker's.
find_program(TENURE_LLD ld.lld)
if(TENURE_LLD)
  add_link_options(-fuse-ld=lld)
endif()

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

# Headers that most files of a KIND need, compiled once for all. To compile a set takes five times as long as to read
# its headers, so that it pays for kinds of many targets alone. The first target of a kind compiles them, the others
# take its result, and so have to be compiled with the same flags.
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

# The whole of a simulated cluster, which nearly every file of the rooms above it includes.
set(tenure_world_headers ${PROJECT_SOURCE_DIR}/sim/world/world.h ${PROJECT_SOURCE_DIR}/core/model/describe.h
                         <fmt/format.h> <algorithm> <functional> <map> <set>)

# For rooms that read arguments and scenario files, and write reports. Nobody waits for them, and optimising them takes
# half of their compilation. A debug build may ask for optimisation, because runs take long without it: not for these.
set(tenure_unhurried $<$<CONFIG:Release>:-Og> $<$<CONFIG:Debug>:-O0>)

# tenure_room(NAME FOLDER [HEADERS] [UNHURRIED] [ROOMS room…] [LIBRARIES lib…] FOR what)
# ROOMS: those that it stands on. It may include them, and all that they stand on.
# FOR: what it is for, in a line. The table of docs/architecture.md is written from these calls (tests/tidy).
# HEADERS: it has no sources of its own; those below its folder belong to another room.
# UNHURRIED: nobody waits for it, so it is compiled with little optimisation.
function(tenure_room name folder)
  cmake_parse_arguments(ARG "HEADERS;UNHURRIED" "FOR" "ROOMS;LIBRARIES" ${ARGN})
  set(sources)
  if(NOT ARG_HEADERS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  endif()
  list(TRANSFORM ARG_ROOMS PREPEND tenure_)
  set(below ${ARG_ROOMS})
  foreach(room ${ARG_ROOMS})
    get_property(more TARGET ${room} PROPERTY TENURE_BELOW)
    list(APPEND below ${more})
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC tenure_options ${ARG_ROOMS} PRIVATE ${ARG_LIBRARIES})
    tenure_unity_build(${name})
    set(kind above_the_world)
    if(ARG_UNHURRIED)
      string(PREPEND kind unhurried_)
      target_compile_options(${name} PRIVATE ${tenure_unhurried})
    endif()
    if(tenure_world IN_LIST below AND fmt::fmt IN_LIST ARG_LIBRARIES)
      tenure_precompile(${name} ${kind} ${tenure_world_headers})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE tenure_options ${ARG_ROOMS})
  endif()
  set_property(TARGET ${name} PROPERTY TENURE_FOLDER ${folder})
  set_property(TARGET ${name} PROPERTY TENURE_BELOW ${below})
  set_property(GLOBAL APPEND PROPERTY TENURE_ROOMS ${name})
endfunction()
