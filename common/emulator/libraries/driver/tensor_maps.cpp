// SPDX-License-Identifier: MIT
// The rules are those of the CUDA Driver API, "Tensor Map Object Management".
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <emulator/async/tensor_copies.hpp>
#include <emulator/tensor_maps.hpp>

#include "common/emulator/process/errors.hpp"

using emulator::TensorMap;

static_assert(sizeof(TensorMap) <= sizeof(CUtensorMap));

namespace {

constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxStride = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxBox = 256;
constexpr std::uint32_t kMaxStep = 8;

// 0: no such type.
unsigned bytes_of_type(CUtensorMapDataType type) {
    switch (type) {
        case CU_TENSOR_MAP_DATA_TYPE_UINT8:
            return 1;
        case CU_TENSOR_MAP_DATA_TYPE_UINT16:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
            return 2;
        case CU_TENSOR_MAP_DATA_TYPE_UINT32:
        case CU_TENSOR_MAP_DATA_TYPE_INT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
            return 4;
        case CU_TENSOR_MAP_DATA_TYPE_UINT64:
        case CU_TENSOR_MAP_DATA_TYPE_INT64:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
            return 8;
    }
    return 0;
}

bool lies_at_multiple(const void* pointer, std::uintptr_t unit) {
    return reinterpret_cast<std::uintptr_t>(pointer) % unit == 0;
}

CUresult refuse_map(const char* rule, CUresult result = CUDA_ERROR_INVALID_VALUE) {
    emulator::explain("cuTensorMapEncodeTiled: %s", rule);
    return result;
}

// The rule that an argument breaks, or nullptr.
const char* broken_rule(unsigned bytes, cuuint32_t rank, const void* address,
                        const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                        const cuuint32_t* steps, unsigned swizzle) {
    if (bytes == 0) return "there is no such type of elements";
    if (rank == 0 || rank > emulator::kMaxTensorRank) return "the rank must be 1 to 5";
    if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B) return "there is no such swizzle";
    if (address == nullptr || !lies_at_multiple(address, 16)) {
        return "the tensor's address must be a multiple of 16 bytes";
    }
    if (extents == nullptr || box == nullptr || steps == nullptr ||
        (strides == nullptr && rank > 1)) {
        return "an array is missing";
    }
    for (cuuint32_t i = 0; i < rank; ++i) {
        if (extents[i] == 0 || extents[i] > kMaxExtent) return "an extent must be 1 to 2^32";
        if (box[i] == 0 || box[i] > kMaxBox) return "a box must be 1 to 256 elements long";
        if (steps[i] == 0 || steps[i] > kMaxStep) return "an element stride must be 1 to 8";
        if (i + 1 < rank && (strides[i] % 16 != 0 || strides[i] >= kMaxStride)) {
            return "a stride must be a multiple of 16 bytes below 2^40";
        }
    }
    const std::uint64_t row = std::uint64_t{box[0]} * bytes;
    if (row % 16 != 0) return "a row of the box must be a multiple of 16 bytes";
    if (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && row > 16u << swizzle) {
        return "a row of the box must not be longer than the swizzle";
    }
    return nullptr;
}

bool is_whole_number(CUtensorMapDataType type) { return type < CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* extents, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (map == nullptr || !lies_at_multiple(map, alignof(CUtensorMap))) {
        return refuse_map("the map's address must be a multiple of 64 bytes");
    }
    const unsigned bytes = bytes_of_type(type);
    const char* const rule =
        broken_rule(bytes, rank, address, extents, strides, box, steps, swizzle);
    if (rule != nullptr) return refuse_map(rule);
    if (promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
        return refuse_map("there is no such promotion");
    if (fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA && is_whole_number(type)) {
        return refuse_map("whole numbers cannot be filled with NaN");
    }
    if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) {
        return refuse_map("NaN outside of the tensor is not available on the CPU engine",
                          CUDA_ERROR_NOT_SUPPORTED);
    }
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) {
        return refuse_map("interleaved layouts are not available on the CPU engine",
                          CUDA_ERROR_NOT_SUPPORTED);
    }
    TensorMap encoded{};
    encoded.mark = TensorMap::kMark;
    encoded.address = static_cast<char*>(address);
    encoded.rank = static_cast<std::uint8_t>(rank);
    encoded.swizzle_bits = static_cast<std::uint8_t>(swizzle);
    encoded.strides[0] = bytes;
    for (cuuint32_t i = 0; i < rank; ++i) {
        if (i > 0) encoded.strides[i] = strides[i - 1];
        encoded.last[i] = static_cast<std::uint32_t>(extents[i] - 1);
        encoded.box[i] = static_cast<std::uint16_t>(box[i]);
        // Without an interleaved layout, the first one is ignored.
        encoded.steps[i] = i == 0 ? 1 : static_cast<std::uint8_t>(steps[i]);
    }
    *map = {};
    std::memcpy(map->opaque, &encoded, sizeof encoded);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    if (map == nullptr || !lies_at_multiple(map, alignof(CUtensorMap)))
        return CUDA_ERROR_INVALID_VALUE;
    TensorMap encoded;
    std::memcpy(&encoded, map->opaque, sizeof encoded);
    if (encoded.mark != TensorMap::kMark || address == nullptr || !lies_at_multiple(address, 16)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    encoded.address = static_cast<char*>(address);
    std::memcpy(map->opaque, &encoded, sizeof encoded);
    return CUDA_SUCCESS;
}
