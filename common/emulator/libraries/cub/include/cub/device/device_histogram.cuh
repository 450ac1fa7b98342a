// SPDX-License-Identifier: MIT
// CUB's DeviceHistogram. A sample outside of all levels counts nowhere.
#pragma once

#include <array>
#include <emulator/cub/device_work.hpp>

namespace emulator {

// Bins of one width: [lower, upper) is divided into levels - 1 of them.
template <class Level>
struct EvenBins {
    int levels;
    Level lower;
    Level upper;

    template <class Sample>
    int operator()(Sample given) const {
        using Common = std::common_type_t<Level, Sample>;
        const auto sample = static_cast<Common>(given);
        const auto low = static_cast<Common>(lower);
        const auto high = static_cast<Common>(upper);
        if (!(sample >= low && sample < high)) return -1;
        if constexpr (std::is_integral_v<Common>) {
            using Wide = unsigned __int128;
            return static_cast<int>(static_cast<Wide>(sample - low) *
                                    static_cast<Wide>(levels - 1) / static_cast<Wide>(high - low));
        } else {
            // CUB multiplies by the rounded reciprocal of a bin's width.
            const Common scale = static_cast<Common>(levels - 1) / (high - low);
            return static_cast<int>((sample - low) * scale);
        }
    }
};

// Bins between levels that are in device memory.
template <class Level>
struct RangeBins {
    int levels;
    const Level* level;

    template <class Sample>
    int operator()(Sample sample) const {
        const Level* const above =
            std::upper_bound(level, level + levels, static_cast<Level>(sample));
        const auto bin = static_cast<int>(above - level) - 1;
        return bin >= levels - 1 ? -1 : bin;
    }
};

// `kChannels` samples make a pixel, of which the first `kActive` are counted.
template <int kChannels, int kActive, class Samples, class Counter, class Bins>
cudaError_t count_samples(DeviceCall call, Samples samples,
                          std::array<Counter*, kActive> histograms, std::array<Bins, kActive> bins,
                          std::size_t pixels, std::size_t rows, std::size_t stride) {
    constexpr std::size_t kSize = sizeof(ItemOf<Samples>);
    if (rows > 0) call.reads(samples, (rows - 1) * stride / kSize + pixels * kChannels);
    for (int channel = 0; channel < kActive; ++channel) {
        call.writes(histograms[channel], static_cast<std::size_t>(bins[channel].levels - 1));
    }
    return call.run(0, [=] {
        for (int channel = 0; channel < kActive; ++channel) {
            Counter* const histogram = histograms[channel];
            std::fill_n(histogram, bins[channel].levels - 1, Counter{});
            for (std::size_t row = 0; row < rows; ++row) {
                for (std::size_t i = 0; i < pixels; ++i) {
                    const int bin = bins[channel](samples[row * stride / kSize + i * kChannels +
                                                          static_cast<std::size_t>(channel)]);
                    if (bin >= 0) ++histogram[bin];
                }
            }
        }
    });
}

}  // namespace emulator

namespace cub {

struct DeviceHistogram {
    template <class Samples, class Counter, class Level, class Count>
    static cudaError_t HistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                     Counter* histogram, int levels, Level lower, Level upper,
                                     Count count, cudaStream_t stream = 0) {
        return HistogramEven(storage, bytes, samples, histogram, levels, lower, upper, count,
                             Count{1}, 0, stream);
    }
    // Rows whose begins are `stride` bytes apart.
    template <class Samples, class Counter, class Level, class Count>
    static cudaError_t HistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                     Counter* histogram, int levels, Level lower, Level upper,
                                     Count count, Count rows, std::size_t stride,
                                     cudaStream_t stream = 0) {
        return emulator::count_samples<1, 1, Samples, Counter, emulator::EvenBins<Level>>(
            emulator::DeviceCall("cub::DeviceHistogram::HistogramEven", storage, bytes, stream),
            samples, {histogram}, {{{levels, lower, upper}}}, static_cast<std::size_t>(count),
            static_cast<std::size_t>(rows), stride);
    }
    template <class Samples, class Counter, class Level, class Count>
    static cudaError_t HistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                      Counter* histogram, int levels, const Level* level,
                                      Count count, cudaStream_t stream = 0) {
        return HistogramRange(storage, bytes, samples, histogram, levels, level, count, Count{1}, 0,
                              stream);
    }
    template <class Samples, class Counter, class Level, class Count>
    static cudaError_t HistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                      Counter* histogram, int levels, const Level* level,
                                      Count count, Count rows, std::size_t stride,
                                      cudaStream_t stream = 0) {
        return emulator::count_samples<1, 1, Samples, Counter, emulator::RangeBins<Level>>(
            emulator::DeviceCall("cub::DeviceHistogram::HistogramRange", storage, bytes, stream)
                .reads(level, static_cast<std::size_t>(levels)),
            samples, {histogram}, {{{levels, level}}}, static_cast<std::size_t>(count),
            static_cast<std::size_t>(rows), stride);
    }
    template <int kChannels, int kActive, class Samples, class Counter, class Level, class Count>
    static cudaError_t MultiHistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                          Counter* histogram[kActive], const int levels[kActive],
                                          const Level lower[kActive], const Level upper[kActive],
                                          Count pixels, cudaStream_t stream = 0) {
        std::array<Counter*, kActive> histograms;
        std::array<emulator::EvenBins<Level>, kActive> bins;
        for (int i = 0; i < kActive; ++i) {
            histograms[i] = histogram[i];
            bins[i] = {levels[i], lower[i], upper[i]};
        }
        return emulator::count_samples<kChannels, kActive>(
            emulator::DeviceCall("cub::DeviceHistogram::MultiHistogramEven", storage, bytes,
                                 stream),
            samples, histograms, bins, static_cast<std::size_t>(pixels), 1, 0);
    }
    template <int kChannels, int kActive, class Samples, class Counter, class Level, class Count>
    static cudaError_t MultiHistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                           Counter* histogram[kActive], const int levels[kActive],
                                           const Level* const level[kActive], Count pixels,
                                           cudaStream_t stream = 0) {
        emulator::DeviceCall call("cub::DeviceHistogram::MultiHistogramRange", storage, bytes,
                                  stream);
        std::array<Counter*, kActive> histograms;
        std::array<emulator::RangeBins<Level>, kActive> bins;
        for (int i = 0; i < kActive; ++i) {
            histograms[i] = histogram[i];
            bins[i] = {levels[i], level[i]};
            call.reads(level[i], static_cast<std::size_t>(levels[i]));
        }
        return emulator::count_samples<kChannels, kActive>(call, samples, histograms, bins,
                                                           static_cast<std::size_t>(pixels), 1, 0);
    }
};

}  // namespace cub
