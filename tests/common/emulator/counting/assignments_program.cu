// SPDX-License-Identifier: MIT
// Every form in which C++ writes to shared or global memory, or reads from it. A line's comment
// says what each thread accesses there: the bytes that it loads and stores, each once.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

struct Two {
    int a, b;
};
struct Three {
    float x, y, z;
};
struct Five {
    int v[5];
};
struct Pair {
    Two two;
    Five five;
};
union Either {
    int whole;
    float real;
};
struct Bits {
    unsigned low : 3, high : 7;
};
struct Copied {
    int a, b;
    __device__ Copied(int x) : a(x), b(x + 1) {}  // global store 8
    __device__ Copied(const Copied& other) : a(other.a), b(other.b) {}
    __device__ Copied& operator=(const Copied& other) = default;
};
struct Built {
    Two two;
    Five five;
    __device__ Built();
};
struct Added {
    int a, b;
    __device__ Added operator+(Added other) const;
};
template <class T>
struct Box {
    T value;
};

// nvcc takes __noinline__; g++ must not look into the functions either.
#define CALL __attribute__((noipa)) __device__
CALL Two two(int x) { return Two{x, x + 1}; }
CALL Two twice(int x) { return two(2 * x); }
CALL Three three(int x) { return Three{x + 0.5f, 1, 2}; }
CALL Five five(int x) { return Five{{x, x, x, x, x}}; }
CALL Five named_five(int x) {
    Five result;
    for (int i = 0; i < 5; ++i) result.v[i] = x + i;
    return result;
}
CALL Either either(int x) { return Either{x}; }
CALL Bits bits(unsigned x) { return Bits{x, x}; }
CALL Copied copied(int x) { return Copied(x); }
CALL std::array<int, 4> four(int x) { return {x, x, x, x}; }
CALL float4 vector4(float x) { return make_float4(x, x, x, x); }
CALL float3 vector3(float x) { return make_float3(x, x, x); }
CALL int sum(Two two) { return two.a + two.b; }
CALL int sum(Five five) { return five.v[0] + five.v[4]; }
CALL Added Added::operator+(Added other) const { return Added{1, other.b}; }
CALL Built::Built() : two(::two(1)), five(::five(2)) {}
template <class T>
CALL Box<T> box(T value) {
    return Box<T>{value};
}

constexpr int kThreads = 32;

// g++ records no store to an array whose address nobody has.
CALL void see(const void*) {}

// What lies in memory may have changed: g++ keeps nothing in registers, and drops no store.
#define FORGET __syncthreads()

__global__ void store_kernel(Two* two_out, Five* five_out, Pair* pair_out, int n) {
    __shared__ Two s_two[kThreads];
    __shared__ Five s_five[kThreads];
    __shared__ Three s_three[kThreads];
    const int i = threadIdx.x;
    two_out[i] = two(i);  // global store 8
    s_two[i] = two(i);  // shared store 8
    s_two[i] = n > 0 ? two(i) : two(-i);  // shared store 8
    s_two[i] = n > 0 ? s_two[i] : two(-i);  // shared load 8, shared store 8
    s_two[i] = (two(i), two(n));  // shared store 8
    s_two[i] = twice(i);  // shared store 8
    FORGET;
    s_two[i] = Two{i, n};  // shared store 8
    FORGET;
    s_two[i] = {i, n};  // shared store 8
    FORGET;
    s_two[i] = std::move(two_out[i]);  // global load 8, shared store 8
    FORGET;
    two_out[i] = s_two[i] = two(i);  // shared store 8, shared load 8, global store 8
    s_three[i] = three(i);  // shared store 12
    see(s_three);
    five_out[i] = five(i);  // global store 20
    s_five[i] = named_five(i);  // shared store 20
    FORGET;
    s_five[i] = five_out[i];  // global load 20, shared store 20
    pair_out[i].two = two(i);  // global store 8
    pair_out[i].five = five(i);  // global store 20
    pair_out[i] = Pair{two(i), five(i)};  // global store 28
    FORGET;
    pair_out[i].five.v[2] = two(i).b;  // global store 4
    Two& reference = s_two[i];
    reference = two(i);  // shared store 8
    Two* next = two_out + i;
    *next++ = two(i);  // global store 8
    const auto by_lambda = [&] { return two(n); };
    s_two[i] = by_lambda();  // shared store 8
    FORGET;
    auto [first, second] = s_two[i];  // shared load 8
    FORGET;
    s_two[i].a = second;  // shared store 4
    FORGET;
    s_two[i].b += first;  // shared load 4, shared store 4
    FORGET;
    s_two[i].a++;  // shared load 4, shared store 4
    FORGET;
    s_two[i].a = s_two[i].b = second;  // shared store 8
    FORGET;
    std::memcpy(&s_five[i], &five_out[i], sizeof(Five));  // global load 20, shared store 20
    std::memset(&s_five[i], 0, sizeof(Five));  // shared store 20
    FORGET;
    s_five[i].v[3] = two(i).a;  // shared store 4
}

__global__ void special_kernel(Bits* bits_out, Copied* copied_out, std::array<int, 4>* four_out,
                               float4* vector_out, Box<Three>* boxes, Built* built_out,
                               Added* added_out, volatile Two* plain, Either* either_out) {
    __shared__ float3 s_vectors[kThreads];
    [[maybe_unused]] __shared__ volatile int s_words[kThreads];
    const int i = threadIdx.x;
    bits_out[i] = bits(i);  // global store 4
    FORGET;
    copied_out[i] = copied(i);  // global store 8
    four_out[i] = four(i);  // global store 16
    vector_out[i] = vector4(i);  // global store 16
    FORGET;
    vector_out[i] = make_float4(i, 1, 2, 3);  // global store 16
    FORGET;
    vector_out[i].y += 1;  // global load 4, global store 4
    s_vectors[i] = vector3(i);  // shared store 12
    see(s_vectors);
    boxes[i] = box(three(i));  // global store 12
    FORGET;
    boxes[i].value = box(three(i)).value;  // global store 12
    built_out[i] = Built();  // global store 28
    added_out[i] = Added{i, i};  // global store 8
    FORGET;
    added_out[i] = Added{1, 2} + Added{i, 2};  // global store 8
    plain[i].a = two(i).a;  // global store 4
    s_words[i] = two(i).b;  // shared store 4
    either_out[i] = either(i);  // global store 4
    FORGET;
    if (i >= 0) either_out[i] = either(-i);  // global store 4
    new (&copied_out[i]) Copied(i);
}

__global__ void load_kernel(const Two* twos, const Five* fives, const float3* vectors, int* out) {
    const int i = threadIdx.x;
    const Two local = twos[i];  // global load 8
    FORGET;
    int total = sum(local);
    const Five five = fives[i];  // global load 20
    FORGET;
    total += sum(five);
    const float3 vector = vectors[i];  // global load 12
    total += static_cast<int>(vector.x + vector.y + vector.z);
    const auto add = [](Two given) { return given.a + given.b; };
    total += add(twos[i]);  // global load 8
    out[i] = total;  // global store 4
}

template <class T>
T* array() {
    T* pointer;
    cudaMalloc(&pointer, kThreads * sizeof(T));
    cudaMemset(pointer, 0, kThreads * sizeof(T));
    return pointer;
}

int main() {
    store_kernel<<<1, kThreads>>>(array<Two>(), array<Five>(), array<Pair>(), 1);
    special_kernel<<<1, kThreads>>>(array<Bits>(), array<Copied>(), array<std::array<int, 4>>(),
                                    array<float4>(), array<Box<Three>>(), array<Built>(),
                                    array<Added>(), array<Two>(), array<Either>());
    load_kernel<<<1, kThreads>>>(array<Two>(), array<Five>(), array<float3>(), array<int>());
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
