// SPDX-License-Identifier: MIT
// The driver API's results, CUDA 13's names and numbers: row(name, number).
#pragma once

#define EMULATOR_DRIVER_RESULTS(row)                                                                                        \
    row(CUDA_SUCCESS, 0) row(CUDA_ERROR_INVALID_VALUE, 1) row(CUDA_ERROR_OUT_OF_MEMORY, 2) row(                             \
        CUDA_ERROR_NOT_INITIALIZED,                                                                                         \
        3) row(CUDA_ERROR_DEINITIALIZED,                                                                                    \
               4) row(CUDA_ERROR_PROFILER_DISABLED,                                                                         \
                      5) row(CUDA_ERROR_PROFILER_NOT_INITIALIZED,                                                           \
                             6) row(CUDA_ERROR_PROFILER_ALREADY_STARTED,                                                    \
                                    7) row(CUDA_ERROR_PROFILER_ALREADY_STOPPED,                                             \
                                           8) row(CUDA_ERROR_STUB_LIBRARY,                                                  \
                                                  34) row(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,                            \
                                                          36) row(CUDA_ERROR_DEVICE_UNAVAILABLE,                            \
                                                                  46) row(CUDA_ERROR_NO_DEVICE,                             \
                                                                          100)                                              \
        row(CUDA_ERROR_INVALID_DEVICE, 101) row(CUDA_ERROR_DEVICE_NOT_LICENSED, 102) row(                                   \
            CUDA_ERROR_INVALID_IMAGE,                                                                                       \
            200) row(CUDA_ERROR_INVALID_CONTEXT,                                                                            \
                     201) row(CUDA_ERROR_CONTEXT_ALREADY_CURRENT,                                                           \
                              202) row(CUDA_ERROR_MAP_FAILED,                                                               \
                                       205) row(CUDA_ERROR_UNMAP_FAILED,                                                    \
                                                206) row(CUDA_ERROR_ARRAY_IS_MAPPED,                                        \
                                                         207) row(CUDA_ERROR_ALREADY_MAPPED, 208)                           \
            row(CUDA_ERROR_NO_BINARY_FOR_GPU, 209) row(CUDA_ERROR_ALREADY_ACQUIRED, 210) row(                               \
                CUDA_ERROR_NOT_MAPPED,                                                                                      \
                211) row(CUDA_ERROR_NOT_MAPPED_AS_ARRAY,                                                                    \
                         212) row(CUDA_ERROR_NOT_MAPPED_AS_POINTER,                                                         \
                                  213) row(CUDA_ERROR_ECC_UNCORRECTABLE,                                                    \
                                           214) row(CUDA_ERROR_UNSUPPORTED_LIMIT,                                           \
                                                    215) row(CUDA_ERROR_CONTEXT_ALREADY_IN_USE,                             \
                                                             216)                                                           \
                row(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217) row(CUDA_ERROR_INVALID_PTX, 218) row(                          \
                    CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,                                                                    \
                    219) row(CUDA_ERROR_NVLINK_UNCORRECTABLE,                                                               \
                             220) row(CUDA_ERROR_JIT_COMPILER_NOT_FOUND,                                                    \
                                      221) row(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,                                          \
                                               222) row(CUDA_ERROR_JIT_COMPILATION_DISABLED,                                \
                                                        223) row(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,                      \
                                                                 224)                                                       \
                    row(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225) row(                                                      \
                        CUDA_ERROR_CONTAINED,                                                                               \
                        226) row(CUDA_ERROR_INVALID_SOURCE,                                                                 \
                                 300) row(CUDA_ERROR_FILE_NOT_FOUND,                                                        \
                                          301) row(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,                               \
                                                   302) row(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,                           \
                                                            303) row(CUDA_ERROR_OPERATING_SYSTEM,                           \
                                                                     304)                                                   \
                        row(CUDA_ERROR_INVALID_HANDLE, 400) row(                                                            \
                            CUDA_ERROR_ILLEGAL_STATE,                                                                       \
                            401) row(CUDA_ERROR_LOSSY_QUERY,                                                                \
                                     402) row(CUDA_ERROR_NOT_FOUND,                                                         \
                                              500) row(CUDA_ERROR_NOT_READY,                                                \
                                                       600) row(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                            \
                            row(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) row(                                               \
                                CUDA_ERROR_LAUNCH_TIMEOUT,                                                                  \
                                702) row(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,                                          \
                                         703) row(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,                                   \
                                                  704) row(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,                              \
                                                           705) row(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708)                 \
                                row(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) row(CUDA_ERROR_ASSERT, 710) row(                  \
                                    CUDA_ERROR_TOO_MANY_PEERS,                                                              \
                                    711) row(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,                                     \
                                             712) row(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,                                \
                                                      713) row(CUDA_ERROR_HARDWARE_STACK_ERROR,                             \
                                                               714)                                                         \
                                    row(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) row(                                           \
                                        CUDA_ERROR_MISALIGNED_ADDRESS,                                                      \
                                        716) row(CUDA_ERROR_INVALID_ADDRESS_SPACE,                                          \
                                                 717) row(CUDA_ERROR_INVALID_PC,                                            \
                                                          718) row(CUDA_ERROR_LAUNCH_FAILED, 719)                           \
                                        row(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720) row(                              \
                                            CUDA_ERROR_TENSOR_MEMORY_LEAK,                                                  \
                                            721) row(CUDA_ERROR_NOT_PERMITTED,                                              \
                                                     800) row(CUDA_ERROR_NOT_SUPPORTED,                                     \
                                                              801) row(CUDA_ERROR_SYSTEM_NOT_READY,                         \
                                                                       802)                                                 \
                                            row(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803) row(                                \
                                                CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,                                  \
                                                804) row(CUDA_ERROR_MPS_CONNECTION_FAILED,                                  \
                                                         805) row(CUDA_ERROR_MPS_RPC_FAILURE,                               \
                                                                  806) row(CUDA_ERROR_MPS_SERVER_NOT_READY,                 \
                                                                           807)                                             \
                                                row(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808) row(                           \
                                                    CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,                                 \
                                                    809) row(CUDA_ERROR_MPS_CLIENT_TERMINATED,                              \
                                                             810) row(CUDA_ERROR_CDP_NOT_SUPPORTED,                         \
                                                                      811)                                                  \
                                                    row(CUDA_ERROR_CDP_VERSION_MISMATCH, 812) row(                          \
                                                        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,                              \
                                                        900) row(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,                     \
                                                                 901) row(CUDA_ERROR_STREAM_CAPTURE_MERGE,                  \
                                                                          902)                                              \
                                                        row(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903) row(                  \
                                                            CUDA_ERROR_STREAM_CAPTURE_UNJOINED,                             \
                                                            904) row(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,                   \
                                                                     905) row(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,           \
                                                                              906)                                          \
                                                            row(CUDA_ERROR_CAPTURED_EVENT, 907) row(                        \
                                                                CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,                     \
                                                                908) row(CUDA_ERROR_TIMEOUT,                                \
                                                                         909) row(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,     \
                                                                                  910)                                      \
                                                                row(CUDA_ERROR_EXTERNAL_DEVICE, 911) row(                   \
                                                                    CUDA_ERROR_INVALID_CLUSTER_SIZE,                        \
                                                                    912) row(CUDA_ERROR_FUNCTION_NOT_LOADED,                \
                                                                             913)                                           \
                                                                    row(CUDA_ERROR_INVALID_RESOURCE_TYPE,                   \
                                                                        914) row(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, \
                                                                                 915)                                       \
                                                                        row(CUDA_ERROR_KEY_ROTATION,                        \
                                                                            916)                                            \
                                                                            row(CUDA_ERROR_UNKNOWN,                         \
                                                                                999)

enum CUresult {
#define EMULATOR_ENUMERATOR(name, number) name = number,
    EMULATOR_DRIVER_RESULTS(EMULATOR_ENUMERATOR)
#undef EMULATOR_ENUMERATOR
};
