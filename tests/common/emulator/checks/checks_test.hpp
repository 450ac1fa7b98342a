// SPDX-License-Identifier: MIT
// What the tests of the checks share: how to get the findings of a run.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/emulator/counting/output/findings.hpp"

namespace counting = emulator::counting;
using counting::Finding;
using counting::FindingKind;

// Runs host code that launches kernels, waits for its end, and returns the findings.
template <class Function>
std::vector<Finding> findings_of(Function run) {
    counting::clear_findings();
    testing::internal::CaptureStderr();
    run();
    static_cast<void>(cudaDeviceSynchronize());
    testing::internal::GetCapturedStderr();
    std::vector<Finding> found = counting::findings();
    counting::clear_findings();  // so that the process ends with 0
    cudaDeviceReset();
    return found;
}

// Device memory of `count` elements. All bytes have the value `value`.
template <class T>
T* device_array(std::size_t count, int value = 0) {
    T* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, count * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemset(data, value, count * sizeof(T)), cudaSuccess);
    return data;
}

inline std::string text_of(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
        text += "kind " + std::to_string(static_cast<int>(finding.kind)) + " " + finding.kernel;
        for (const counting::Actor& actor : finding.actors) {
            text += ", block " + std::to_string(actor.block) + " thread " +
                    std::to_string(actor.thread) + " " + actor.line.text() + " " + actor.did;
        }
        text += ", " + finding.what + "\n";
    }
    return text;
}

inline testing::AssertionResult is_silent(const std::vector<Finding>& findings) {
    if (findings.empty()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << text_of(findings);
}

// Whether there is a finding of this kind whose actors are at these lines. 0 means any line.
inline testing::AssertionResult has(const std::vector<Finding>& findings, FindingKind kind,
                                    int first, int second = 0) {
    for (const Finding& finding : findings) {
        if (finding.kind != kind || finding.actors.empty()) continue;
        if (first != 0 && finding.actors[0].line.line != first) continue;
        if (second != 0 && (finding.actors.size() < 2 || finding.actors[1].line.line != second)) {
            continue;
        }
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "no such finding in:\n" << text_of(findings);
}

// A name for the number of the next line.
#define NEXT_LINE(name) constexpr int name = __LINE__ + 1
