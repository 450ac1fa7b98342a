// SPDX-License-Identifier: MIT
// NVTX on the CPU engine, for C and C++: names and ranges for a profiler. There is none, so that
// the calls do nothing and return what NVTX returns without a tool (nvtx3/nvToolsExt.h of the CUDA
// toolkit). Its C++ interface, nvtx3.hpp, is not here.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;
typedef struct nvtxResourceHandle* nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN,
    NVTX_MESSAGE_TYPE_ASCII,
    NVTX_MESSAGE_TYPE_UNICODE,
    NVTX_MESSAGE_TYPE_REGISTERED
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
    NVTX_PAYLOAD_TYPE_INT64,
    NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
    NVTX_PAYLOAD_TYPE_INT32,
    NVTX_PAYLOAD_TYPE_FLOAT
} nvtxPayloadType_t;
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = 0x10001,
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX
} nvtxResourceGenericType_t;

typedef union nvtxMessageValue_t {
    const char* ascii;
    const wchar_t* unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef struct nvtxResourceAttributes_v0 {
    uint16_t version;
    uint16_t size;
    int32_t identifierType;
    union {
        const void* pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef struct nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_v0))

#ifdef __cplusplus
#define EMULATOR_NVTX(result, name, parameters, ...) \
    extern "C" inline result name parameters { return __VA_ARGS__; }
#else
#define EMULATOR_NVTX(result, name, parameters, ...) \
    static inline result name parameters { return __VA_ARGS__; }
#endif
// The types of a parameter that nothing reads; C before C23 wants it named.
#define EMULATOR_UNUSED(type, name) type name __attribute__((unused))
#define EMULATOR_DOMAIN EMULATOR_UNUSED(nvtxDomainHandle_t, domain)
#define EMULATOR_EVENT EMULATOR_UNUSED(const nvtxEventAttributes_t*, event)
#define EMULATOR_TEXT(type) EMULATOR_UNUSED(const type*, text)
#define EMULATOR_NUMBER EMULATOR_UNUSED(uint32_t, number)

EMULATOR_NVTX(void, nvtxInitialize, (EMULATOR_UNUSED(const void*, reserved)), (void)0)
EMULATOR_NVTX(void, nvtxMarkEx, (EMULATOR_EVENT), (void)0)
EMULATOR_NVTX(void, nvtxDomainMarkEx, (EMULATOR_DOMAIN, EMULATOR_EVENT), (void)0)
EMULATOR_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (EMULATOR_EVENT), 0)
EMULATOR_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (EMULATOR_DOMAIN, EMULATOR_EVENT), 0)
EMULATOR_NVTX(void, nvtxRangeEnd, (EMULATOR_UNUSED(nvtxRangeId_t, range)), (void)0)
EMULATOR_NVTX(void, nvtxDomainRangeEnd, (EMULATOR_DOMAIN, EMULATOR_UNUSED(nvtxRangeId_t, range)),
              (void)0)
EMULATOR_NVTX(int, nvtxRangePushEx, (EMULATOR_EVENT), NVTX_NO_PUSH_POP_TRACKING)
EMULATOR_NVTX(int, nvtxDomainRangePushEx, (EMULATOR_DOMAIN, EMULATOR_EVENT),
              NVTX_NO_PUSH_POP_TRACKING)
EMULATOR_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
EMULATOR_NVTX(int, nvtxDomainRangePop, (EMULATOR_DOMAIN), NVTX_NO_PUSH_POP_TRACKING)
EMULATOR_NVTX(nvtxResourceHandle_t, nvtxDomainResourceCreate,
              (EMULATOR_DOMAIN, EMULATOR_UNUSED(nvtxResourceAttributes_t*, attributes)), NULL)
EMULATOR_NVTX(void, nvtxDomainResourceDestroy, (EMULATOR_UNUSED(nvtxResourceHandle_t, resource)),
              (void)0)
EMULATOR_NVTX(void, nvtxDomainDestroy, (EMULATOR_DOMAIN), (void)0)

// The forms for char, with A, and for wchar_t, with W.
#define EMULATOR_NVTX_TEXT(letter, type)                                                           \
    EMULATOR_NVTX(void, nvtxMark##letter, (EMULATOR_TEXT(type)), (void)0)                          \
    EMULATOR_NVTX(nvtxRangeId_t, nvtxRangeStart##letter, (EMULATOR_TEXT(type)), 0)                 \
    EMULATOR_NVTX(int, nvtxRangePush##letter, (EMULATOR_TEXT(type)), NVTX_NO_PUSH_POP_TRACKING)    \
    EMULATOR_NVTX(void, nvtxNameCategory##letter, (EMULATOR_NUMBER, EMULATOR_TEXT(type)), (void)0) \
    EMULATOR_NVTX(void, nvtxDomainNameCategory##letter,                                            \
                  (EMULATOR_DOMAIN, EMULATOR_NUMBER, EMULATOR_TEXT(type)), (void)0)                \
    EMULATOR_NVTX(void, nvtxNameOsThread##letter, (EMULATOR_NUMBER, EMULATOR_TEXT(type)), (void)0) \
    EMULATOR_NVTX(nvtxStringHandle_t, nvtxDomainRegisterString##letter,                            \
                  (EMULATOR_DOMAIN, EMULATOR_TEXT(type)), NULL)                                    \
    EMULATOR_NVTX(nvtxDomainHandle_t, nvtxDomainCreate##letter, (EMULATOR_TEXT(type)), NULL)
EMULATOR_NVTX_TEXT(A, char)
EMULATOR_NVTX_TEXT(W, wchar_t)

#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA

#undef EMULATOR_NVTX_TEXT
#undef EMULATOR_NUMBER
#undef EMULATOR_TEXT
#undef EMULATOR_EVENT
#undef EMULATOR_DOMAIN
#undef EMULATOR_UNUSED
#undef EMULATOR_NVTX
