// SPDX-License-Identifier: MIT
// Helpers: OS threads that wait for jobs. They run blocks in parallel with the host's thread, each
// block of a cooperative grid, and grids that device code launches.
#pragma once

#include <functional>
#include <memory>

namespace emulator {

class Helper {
  public:
    // An idle helper or a new one; nullptr if the system starts no more threads.
    static std::unique_ptr<Helper> take();
    // Keeps it for later, unless there are many.
    static void give_back(std::unique_ptr<Helper> helper);

    ~Helper();
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    void start(std::function<void()> job);
    void wait();

  private:
    struct State;
    Helper() = default;
    static void* thread_main(void* state);

    std::shared_ptr<State> state_;
};

}  // namespace emulator
