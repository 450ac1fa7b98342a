// SPDX-License-Identifier: MIT
// Waves that a kernel must add as one particle after another would, whatever the cells hold.
// Included behind a stage, in an unnamed namespace where launch_wave(layer, size, positions,
// values, count) adds one.

// A layer and the particles of a wave, in the memory of the device.
struct OnDevice {
    OnDevice(const std::vector<float>& cells, const Wave& wave)
        : layer(cells.size()), positions(wave.count()), values(wave.count()) {
        cuda_check(cudaMemcpy(layer.data(), cells.data(), layer.bytes(), cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(positions.data(), wave.positions.data(), positions.bytes(),
                              cudaMemcpyHostToDevice));
        cuda_check(
            cudaMemcpy(values.data(), wave.values.data(), values.bytes(), cudaMemcpyHostToDevice));
    }

    DeviceBuffer<float> layer;
    DeviceBuffer<std::int64_t> positions;
    DeviceBuffer<int> values;
};

// Adds a wave to a layer as the kernel does, and compares it with one addition after another.
void expect_right(std::vector<float> layer, const Wave& wave) {
    const std::int64_t size = std::ssize(layer), count = wave.count();
    OnDevice device(layer, wave);
    launch_wave(device.layer.data(), size, device.positions.data(), device.values.data(), count);
    cuda_check(cudaGetLastError());
    std::vector<float> got(size);
    cuda_check(
        cudaMemcpy(got.data(), device.layer.data(), device.layer.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t k = 0; k < size; ++k) {
        for (std::int64_t i = 0; i < count; ++i) {
            const float share =
                static_cast<float>(wave.values[i]) * 1000 / static_cast<float>(size);
            layer[k] += share / std::sqrt(static_cast<float>(std::abs(wave.positions[i] - k) + 1));
        }
        ASSERT_EQ(std::memcmp(&got[k], &layer[k], sizeof(float)), 0)
            << "cell " << k << " of " << size << ", " << count << " particles: " << got[k]
            << " instead of " << layer[k];
    }
}

Wave random_wave(std::int64_t count, std::int64_t range, std::int32_t most, std::uint64_t seed) {
    course::Random random(seed);
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) {
        wave.add(static_cast<std::int64_t>(random.below(range)),
                 1 + static_cast<std::int32_t>(random.below(most)));
    }
    return wave;
}

TEST(Waves, OfAnyNumberOnCellsOfZero) {
    for (const int count : {1, 2, 31, 32, 33, 895, 896, 897, 1791, 1792, 1793, 2000}) {
        expect_right(std::vector<float>(257, 0.0f), random_wave(count, 257, 100, count));
    }
}

TEST(Waves, OnLayersOfAnySize) {
    for (const int size : {1, 2, 3, 31, 255, 256, 257, 600}) {
        expect_right(std::vector<float>(size, 0.0f), random_wave(1000, 20'000, 100, size));
        expect_right(std::vector<float>(size, 1000.0f), random_wave(1000, size, 100, size));
    }
}

TEST(Waves, AtTheLongestDistances) {
    Wave wave = random_wave(600, kShort, 2'000'000'000, 1);
    for (std::int64_t i = 0; i < 600; i += 2) wave.positions[i] *= -1;
    expect_right(std::vector<float>(300, 100.0f), wave);
}

// Each cell leaves its binade at another particle, and some leave several.
TEST(Waves, ThatLeadToTheNextBinadeAtAnyPlace) {
    const Wave wave = random_wave(1792, 4000, 100, 2);
    for (const float top : {64.0f, 1024.0f, 65536.0f}) {
        std::vector<float> layer(512);
        for (int k = 0; k < 512; ++k) layer[k] = std::max(top - 12.0f * k, 0.01f * k);
        expect_right(layer, wave);
    }
}

// Energies of whole and half units: near cells have roots without a rest. Even and odd sums.
TEST(Waves, InTheMiddleOfTwoFloats) {
    for (const int halves : {1, 2, 3}) {
        std::vector<float> layer(256);
        for (int k = 0; k < 256; ++k) {
            layer[k] = std::ldexp(1.0f, 18 + halves) + std::ldexp(k % 7, halves - 5);
        }
        expect_right(layer, random_wave(1500, 256, 3, halves));
        expect_right(layer, random_wave(1500, 2, 1, halves));
        // One particle in each part but one.
        Wave wave = random_wave(2000, 100'000, 9, halves);
        for (std::int64_t i = 0; i < 2000; i += 37) wave.positions[i] = i % 256;
        expect_right(layer, wave);
    }
}

// A tie that rounds up to a power of two: an odd sum before it.
TEST(Waves, InTheMiddleBelowAPowerOfTwo) {
    std::vector<float> layer(256);
    for (int k = 0; k < 256; ++k) layer[k] = 0x1p20f - (k % 40) * 0x1p-4f;
    expect_right(layer, random_wave(1500, 256, 1, 5));
    expect_right(layer, random_wave(40, 256, 1, 6));
}

// Energies that are far below half a unit, so that nothing is added, or far above the cell.
TEST(Waves, MuchSmallerOrGreaterThanTheCells) {
    expect_right(std::vector<float>(300, 0x1p60f), random_wave(600, 300, 100, 7));
    expect_right(std::vector<float>(300, 0x1p-60f), random_wave(600, 300, 2'000'000'000, 8));
}
