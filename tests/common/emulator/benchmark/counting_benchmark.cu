// SPDX-License-Identifier: MIT
// The cost of counting and checking, for kernels of several kinds: arithmetic and global loads, one
// block in shared memory, many threads with shared atomics, and many tiny launches. Compiled for
// the plain engine and for the one with counters; counting_ratios.py compares the two.
//
//     counting_benchmark CASE REPEATS
//
// prints the best time in seconds, the words touched and the most memory that the process had, in
// kB.
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kBlockSize = 256;

void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "counting_benchmark: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

__global__ void accelerate_kernel(const float4* __restrict__ bodies,
                                  float3* __restrict__ accelerations, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float4 body = bodies[i];
    float3 acceleration = make_float3(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < count; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - body.x;
        const float dy = other.y - body.y;
        const float dz = other.z - body.z;
        const float distance_squared = dx * dx + dy * dy + dz * dz + 1e-3f;
        const float pull = other.w * rsqrtf(distance_squared * distance_squared * distance_squared);
        acceleration.x += dx * pull;
        acceleration.y += dy * pull;
        acceleration.z += dz * pull;
    }
    accelerations[i] = acceleration;
}

// One block sorts all keys: one thread per pair.
__global__ void sort_kernel(unsigned* __restrict__ keys, int count) {
    extern __shared__ unsigned s_keys[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) s_keys[i] = keys[i];
    for (int size = 2; size <= count; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            const bool ascending = (i & size) == 0;
            const unsigned left = s_keys[i];
            const unsigned right = s_keys[i + stride];
            if ((left > right) == ascending) {
                s_keys[i] = right;
                s_keys[i + stride] = left;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) keys[i] = s_keys[i];
}

constexpr int kClusters = 16;

// A point's nearest mean, and the sums for the next means.
__global__ void assign_kernel(const float2* __restrict__ points, const float2* __restrict__ means,
                              int* __restrict__ labels, int* __restrict__ sizes, int count) {
    __shared__ float2 s_means[kClusters];
    __shared__ int s_sizes[kClusters];
    if (threadIdx.x < kClusters) {
        s_means[threadIdx.x] = means[threadIdx.x];
        s_sizes[threadIdx.x] = 0;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const float2 point = points[i];
        int nearest = 0;
        float least = FLT_MAX;
        for (int k = 0; k < kClusters; ++k) {
            const float2 mean = s_means[k];
            const float dx = point.x - mean.x;
            const float dy = point.y - mean.y;
            const float distance = dx * dx + dy * dy;
            if (distance < least) {
                least = distance;
                nearest = k;
            }
        }
        labels[i] = nearest;
        atomicAdd(&s_sizes[nearest], 1);
    }
    __syncthreads();
    if (threadIdx.x < kClusters) atomicAdd(&sizes[threadIdx.x], s_sizes[threadIdx.x]);
}

// All paths through one vertex: one launch per vertex, one thread per pair.
__global__ void relax_kernel(int* __restrict__ distances, int count, int via) {
    const int to = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = blockIdx.y * blockDim.y + threadIdx.y;
    if (from >= count || to >= count) return;
    const int detour = distances[from * count + via] + distances[via * count + to];
    if (detour < distances[from * count + to]) distances[from * count + to] = detour;
}

template <class Value>
class DeviceArray {
  public:
    explicit DeviceArray(const std::vector<Value>& values) : count_(values.size()) {
        check(cudaMalloc(&data_, count_ * sizeof(Value)));
        check(cudaMemcpy(data_, values.data(), count_ * sizeof(Value), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(data_); }
    Value* data() const { return data_; }
    std::size_t words() const { return count_ * sizeof(Value) / 4; }

  private:
    Value* data_ = nullptr;
    std::size_t count_;
};

// Numbers without a pattern, the same on every machine.
unsigned next_random() {
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

template <class Value, class Make>
std::vector<Value> make_values(std::size_t count, Make make) {
    std::vector<Value> values(count);
    for (Value& value : values) value = make();
    return values;
}

// The most physical memory that this process had. (getrusage's number starts with the parent's.)
long peak_kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
    }
    return 0;
}

// The noise of a shared machine only adds.
template <class Function>
void measure(int repeats, std::size_t words, Function run) {
    double best = DBL_MAX;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        run();
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        best = std::min(best, time.count());
    }
    std::printf("%.6f %zu %ld\n", best, words, peak_kilobytes());
}

float next_coordinate() { return static_cast<float>(next_random()) / (1u << 24); }

void run_nbody(int count, int repeats) {
    const DeviceArray<float4> bodies(make_values<float4>(count, [] {
        return make_float4(next_coordinate(), next_coordinate(), next_coordinate(), 1.0f);
    }));
    const DeviceArray<float3> accelerations{std::vector<float3>(count)};
    measure(repeats, bodies.words() + accelerations.words(), [&] {
        accelerate_kernel<<<(count + kBlockSize - 1) / kBlockSize, kBlockSize>>>(
            bodies.data(), accelerations.data(), count);
    });
}

void run_bitonic(int count, int repeats) {
    const DeviceArray<unsigned> keys(make_values<unsigned>(count, next_random));
    measure(repeats, 2 * keys.words(),
            [&] { sort_kernel<<<1, count / 2, count * sizeof(unsigned)>>>(keys.data(), count); });
}

void run_kmeans(int count, int repeats) {
    const auto make_point = [] { return make_float2(next_coordinate(), next_coordinate()); };
    const DeviceArray<float2> points(make_values<float2>(count, make_point));
    const DeviceArray<float2> means(make_values<float2>(kClusters, make_point));
    const DeviceArray<int> labels(std::vector<int>(count, 0));
    const DeviceArray<int> sizes(std::vector<int>(kClusters, 0));
    measure(repeats, points.words() + means.words() + labels.words() + sizes.words(), [&] {
        assign_kernel<<<(count + kBlockSize - 1) / kBlockSize, kBlockSize>>>(
            points.data(), means.data(), labels.data(), sizes.data(), count);
    });
}

void run_floyd(int count, int repeats) {
    const DeviceArray<int> distances(make_values<int>(static_cast<std::size_t>(count) * count, [] {
        return static_cast<int>(next_random() % 1000);
    }));
    const dim3 block(32, 8);
    const dim3 grid((count + block.x - 1) / block.x, (count + block.y - 1) / block.y);
    measure(repeats, distances.words(), [&] {
        for (int via = 0; via < count; ++via) {
            relax_kernel<<<grid, block>>>(distances.data(), count, via);
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string_view name = argv[1];
    const int repeats = std::atoi(argv[2]);
    if (name == "nbody-1024") {
        run_nbody(1024, repeats);
    } else if (name == "bitonic-2048") {
        run_bitonic(2048, repeats);
    } else if (name == "kmeans-65536x16") {
        run_kmeans(65536, repeats);
    } else if (name == "floyd-128") {
        run_floyd(128, repeats);
    } else if (name == "floyd-512") {
        run_floyd(512, repeats);
    } else {
        return 2;
    }
    return 0;
}
