# The libraries, each found as a CMake package first and through pkg-config second. setup names the Debian package.

find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)

macro(kvarium_require name debian)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found. On Debian or Ubuntu: apt-get install ${debian}. "
                        "Elsewhere: see vcpkg.json.")
  endif()
endmacro()

find_package(fmt QUIET)
kvarium_require(fmt libfmt-dev)
find_package(nlohmann_json QUIET)
kvarium_require(nlohmann_json nlohmann-json3-dev)
find_package(Eigen3 QUIET)
kvarium_require(Eigen3 libeigen3-dev)
find_path(KVARIUM_XXHASH_INCLUDE xxhash.h)  # the header holds all of it
set(xxHash_FOUND "${KVARIUM_XXHASH_INCLUDE}")
kvarium_require(xxHash libxxhash-dev)
find_package(CLI11 QUIET)
kvarium_require(CLI11 libcli11-dev)

# The window: Dear ImGui with its GLFW and OpenGL3 back ends. Debian's package has no CMake config file, vcpkg's has.
find_package(imgui CONFIG QUIET)
if(TARGET imgui::imgui)
  set(KVARIUM_IMGUI imgui::imgui)
elseif(PKG_CONFIG_FOUND)
  pkg_check_modules(IMGUI QUIET IMPORTED_TARGET imgui)
  set(KVARIUM_IMGUI PkgConfig::IMGUI)
endif()
set(imgui_FOUND "${imgui_FOUND}${IMGUI_FOUND}")
kvarium_require(imgui libimgui-dev)
find_package(glfw3 CONFIG QUIET)
kvarium_require(glfw3 libglfw3-dev)
find_package(OpenGL QUIET OPTIONAL_COMPONENTS OpenGL)
kvarium_require(OpenGL libopengl-dev)
set(KVARIUM_OPENGL OpenGL::GL)
if(TARGET OpenGL::OpenGL)
  set(KVARIUM_OPENGL OpenGL::OpenGL)
endif()
find_package(Freetype QUIET)
if(Freetype_FOUND)  # Debian's libimgui.a calls it and does not say so
  set_property(TARGET ${KVARIUM_IMGUI} APPEND PROPERTY INTERFACE_LINK_LIBRARIES Freetype::Freetype)
endif()
find_path(KVARIUM_STB_INCLUDE stb_image_write.h PATH_SUFFIXES stb)
set(stb_FOUND "${KVARIUM_STB_INCLUDE}")
kvarium_require(stb libstb-dev)
