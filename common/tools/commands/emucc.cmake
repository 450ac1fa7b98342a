# SPDX-License-Identifier: MIT
# Builds a CMake project for the CPU engine: cmake --toolchain …/emucc.cmake …
# EMUCC_ENGINE=emu|count must have the same value when CMake configures and when it builds.
# This file may be reached by a link. emucc lies beside the file itself.
get_filename_component(emucc_file "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(emucc_folder "${emucc_file}" DIRECTORY)
set(CMAKE_CUDA_COMPILER "${emucc_folder}/emucc")
# CMake would compile and link C++ with g++ alone, which knows neither the engine's headers nor its
# libraries.
set(CMAKE_CXX_COMPILE_OBJECT
    "\"${CMAKE_CUDA_COMPILER}\" -forward-unknown-to-host-compiler -x c++ <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
set(CMAKE_CXX_LINK_EXECUTABLE
    "\"${CMAKE_CUDA_COMPILER}\" -forward-unknown-to-host-linker <FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
