// SPDX-License-Identifier: MIT
// EMULATOR_VIEW: what `make view` draws. Of each instruction a few requests with the addresses of
// their lanes; of each kernel the steps of one block, and the shapes of its launches.
//
// Of an instruction's requests are kept: the first ones, those number 8, 16, 32, …, the one with
// the most needless sectors or wavefronts, and those in which a check found something. Of a warp's
// steps the first ones are kept. The output says how many requests and steps there were.
#pragma once

#include <cstdint>
#include <string>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

extern constinit bool viewing;

// Both end the program if the file cannot be written. It appears when it is finished.
void start_view(const std::string& path);
void finish_view();

void view_grid(std::uint16_t kernel, const Grid& grid);
void begin_block_view();
// After a barrier of the block.
void next_view_interval();
// Lanes of a warp have executed an instruction or basic block together. `running`: the lanes that
// have not returned.
void view_step(Worker& worker, int warp, PlaceId place, std::uint32_t lanes, std::uint32_t running);
// `found`: a check found something in this request.
void view_request(Worker& worker, int warp, const Request& request, const Cost& cost, bool found);

}  // namespace emulator::counting
