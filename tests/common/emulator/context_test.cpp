// SPDX-License-Identifier: MIT
// Contexts, built with each implementation that this processor has.
#include "common/emulator/engine/fibers/context.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <string>

#include "common/emulator/engine/fibers/denormal_control.hpp"

namespace {

using emulator::Context;
using emulator::DenormalControl;
using emulator::make_context;
using emulator::switch_context;

constexpr std::size_t kStackBytes = 64 * 1024;

alignas(16) std::array<char, kStackBytes> stack;
Context main_context = nullptr;
Context other = nullptr;
std::string seen;

void enter() { switch_context(other, &main_context); }
void leave() { switch_context(main_context, &other); }

bool is_on_stack(const void* address) {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    const auto begin = reinterpret_cast<std::uintptr_t>(stack.data());
    return number >= begin && number < begin + kStackBytes;
}

void count_for_ever() {
    for (int i = 0;; ++i) {
        seen += is_on_stack(&i) ? std::to_string(i) : " elsewhere ";
        leave();
    }
}

TEST(Context, starts_when_it_is_entered_and_continues_where_it_left) {
    seen.clear();
    other = make_context(stack.data(), kStackBytes, count_for_ever);
    EXPECT_EQ(seen, "");
    for (int i = 0; i < 5; ++i) enter();
    EXPECT_EQ(seen, "01234");
    // The same stack once more: what was on it is given up.
    other = make_context(stack.data(), kStackBytes, count_for_ever);
    enter();
    EXPECT_EQ(seen, "012340");
}

bool flushes() { return (DenormalControl::read() & DenormalControl::kFlushBits) != 0; }

void note_denormals() {
    for (;;) {
        seen += flushes() ? 'f' : 'k';
        leave();
    }
}

TEST(Context, a_switch_leaves_the_floating_point_control_word_as_it_is) {
    if (DenormalControl::kFlushBits == 0) GTEST_SKIP() << "this processor keeps denormals";
    seen.clear();
    other = make_context(stack.data(), kStackBytes, note_denormals);
    for (int i = 0; i < 2; ++i) {
        enter();
        const DenormalControl control(true);
        enter();
        EXPECT_TRUE(flushes());
    }
    EXPECT_FALSE(flushes());
    EXPECT_EQ(seen, "kfkf");
}

void raise_signal() {
    std::raise(SIGUSR1);
    seen += " returned";
    leave();
}

TEST(Context, a_signal_handler_may_leave_it_again_and_again) {
    seen.clear();
    static std::array<char, kStackBytes> signal_stack;
    stack_t alternative{};
    alternative.ss_sp = signal_stack.data();
    alternative.ss_size = signal_stack.size();
    ASSERT_EQ(::sigaltstack(&alternative, nullptr), 0);
    struct sigaction action {};
    action.sa_handler = [](int) {
        seen += 's';
        leave();
    };
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
    for (int i = 0; i < 3; ++i) {
        other = make_context(stack.data(), kStackBytes, raise_signal);
        enter();
    }
    EXPECT_EQ(seen, "sss");
}

}  // namespace
