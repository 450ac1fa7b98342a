// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/textures/texture.hpp"

#include <deque>
#include <memory>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/runtime/library_hooks.hpp"

namespace emulator {
namespace {

// Kernels look objects up while a host thread may make others: the table never moves.
constexpr std::size_t kChunk = 4096;
constexpr std::size_t kChunks = 16384;
using Chunk = std::array<std::atomic<const TextureObject*>, kChunk>;
std::array<std::atomic<Chunk*>, kChunks> chunks;
std::size_t object_count = 0;

std::atomic<const TextureObject*>* slot_of(unsigned long long number) {
    if (number == 0 || number > kChunk * kChunks) return nullptr;
    Chunk* const chunk = chunks[(number - 1) / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : &(*chunk)[(number - 1) % kChunk];
}

// As cudaDeviceReset() does.
const AtReset objects_at_reset([](int) {
    for (std::size_t number = 1; number <= object_count; ++number) remove_object(number);
});

}  // namespace

cudaTextureObject_t keep_object(const TextureObject& object) {
    if (object_count == kChunk * kChunks) return 0;
    std::atomic<Chunk*>& chunk = chunks[object_count / kChunk];
    if (chunk.load() == nullptr) chunk.store(new Chunk{});
    const cudaTextureObject_t number = ++object_count;
    slot_of(number)->store(new TextureObject(object), std::memory_order_release);
    return number;
}

const TextureObject* find_object(unsigned long long number) {
    const auto* const slot = slot_of(number);
    return slot == nullptr ? nullptr : slot->load(std::memory_order_acquire);
}

void remove_object(unsigned long long number) { delete slot_of(number)->exchange(nullptr); }

const char* describe(TextureShape shape) {
    switch (shape) {
        case TextureShape::linear:
            return "linear memory";
        case TextureShape::line:
            return "a 1D array";
        case TextureShape::plane:
            return "a 2D array or pitched memory";
        case TextureShape::volume:
            return "a 3D array";
        case TextureShape::lines:
            return "a layered 1D array";
        case TextureShape::planes:
            return "a layered 2D array";
        case TextureShape::cube:
            return "a cubemap";
        case TextureShape::cubes:
            return "a layered cubemap";
    }
    return "";
}

}  // namespace emulator
