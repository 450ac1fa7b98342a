// SPDX-License-Identifier: MIT
// The order between the tasks of all streams and the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace emulator {

// Where a task runs: the number of the task in its stream. A graph's nodes are tasks of chains: a
// chain is a path along the graph's edges, and has the id of a stream that nobody else uses.
struct TaskPlace {
    std::uint64_t stream = 0;
    std::uint64_t sequence = 0;
    std::uint64_t graph = 0;  // 0: it is no node of a graph
    std::uint64_t node = 0;  // its number in the graph
    std::uint64_t instance = 0;  // of the graph
    int device = 0;
};

// For each stream, by its id, the number of its last task that is ordered before a point.
class Clock {
  public:
    void join(const Clock& other) {
        if (last_.size() < other.last_.size()) last_.resize(other.last_.size());
        for (std::size_t i = 0; i < other.last_.size(); ++i) {
            last_[i] = std::max(last_[i], other.last_[i]);
        }
    }
    void advance(std::uint64_t stream, std::uint64_t sequence) {
        if (last_.size() <= stream) last_.resize(stream + 1);
        last_[stream] = std::max(last_[stream], sequence);
    }
    // The number of the stream's last task before the point; 0: none.
    std::uint64_t last_of(std::uint64_t stream) const {
        return stream < last_.size() ? last_[stream] : 0;
    }
    // "2:1 3:4": of each stream the last task that is ordered before the point.
    std::string text() const {
        std::string found;
        for (std::size_t i = 0; i < last_.size(); ++i) {
            if (last_[i] == 0) continue;
            found +=
                (found.empty() ? "" : " ") + std::to_string(i) + ":" + std::to_string(last_[i]);
        }
        return found;
    }
    bool covers(const Clock& other) const {
        for (std::size_t i = 0; i < other.last_.size(); ++i) {
            if (last_of(i) < other.last_[i]) return false;
        }
        return true;
    }

  private:
    std::vector<std::uint64_t> last_;
};

}  // namespace emulator
