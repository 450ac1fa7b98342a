// SPDX-License-Identifier: MIT
// Waves for kernels that add rounds of 128 particles to tiles of up to 1280 cells by steps.
// Included behind wave_cases.cuh.

TEST(Rounds, OfAnyNumberOfParticles) {
    for (const int count : {1, 7, 8, 9, 127, 128, 129, 255, 256, 257, 385}) {
        expect_right(std::vector<float>(1300, 1e5f), random_wave(count, 30'000, 100, count));
        expect_right(std::vector<float>(1300, 0.0f), random_wave(count, 30'000, 100, count));
    }
}

TEST(Rounds, OnLayersOfAnySize) {
    for (const int size : {1, 2, 9, 10, 11, 1279, 1280, 1281, 2559, 2561}) {
        expect_right(std::vector<float>(size, 1e5f), random_wave(200, 20'000, 100, size));
        expect_right(std::vector<float>(size, 1e5f), random_wave(200, size, 100, size));
    }
}

// From energies of millions of units, which have too many steps, to energies below one unit.
TEST(Rounds, OfCellsOfAnySize) {
    for (int exponent = 4; exponent < 28; ++exponent) {
        const auto cell = std::ldexp(1.25f, exponent);
        expect_right(std::vector<float>(2600, cell), random_wave(256, 60'000, 100, exponent));
    }
}

// A tile of one to five binades, in any order: with three, a third of the cells is in the third.
TEST(Rounds, InSeveralBinades) {
    for (const int binades : {1, 2, 3, 4, 5}) {
        std::vector<float> layer(2600);
        for (int k = 0; k < 2600; ++k) layer[k] = std::ldexp(1.0f, 14 + k % binades);
        expect_right(layer, random_wave(300, 100'000, 100, binades));
        for (int k = 0; k < 2600; ++k) layer[k] = std::ldexp(1.0f, 14 + k / 300 % binades);
        expect_right(layer, random_wave(300, 100'000, 100, binades));
    }
}

// The cells of a tile leave their binade at different particles: some at the first one, some at
// the last one, and some never.
TEST(Rounds, ThatLeadToTheNextBinadeAtAnyPlace) {
    for (const int exponent : {12, 16, 20}) {
        const Wave wave = random_wave(384, 100'000, 100, exponent);
        const float top = std::ldexp(1.0f, exponent);
        std::vector<float> layer(2600);
        // A wave adds some 20 to each cell.
        for (int k = 0; k < 2600; ++k) layer[k] = std::nextafter(top, 0.0f) - 0.02f * (k % 1300);
        expect_right(layer, wave);
        // Fewer cells, so that the others need not be added to in order.
        for (int k = 0; k < 2600; ++k) layer[k] = top * (k % 7 == 0 ? 1 - 0x1p-20f * k : 1.3f);
        expect_right(layer, wave);
    }
}

// Energies in the middle of two floats: the shares are 2, 4, ..., and the distances and 1 powers of
// four. At the ends of a tile, of threads and of warps, and between them.
TEST(Rounds, InTheMiddleOfTwoFloats) {
    for (int exponent = 12; exponent < 22; ++exponent) {
        Wave wave = random_wave(384, 20'000, 32, exponent);
        for (std::int64_t i = 0; i < wave.count(); i += 3) {
            const std::int64_t away = (std::int64_t{1} << (12 + 2 * (i % 4))) - 1;
            const std::int64_t cells[] = {0, 1279, 1280, 319, 320, i, 10 * (i % 129), 9};
            const std::int64_t cell = cells[i / 3 % 8];
            wave.positions[i] = i % 2 == 0 ? cell - away : cell + away;
            wave.values[i] = 2 << i % 4;
        }
        std::vector<float> layer(2000);
        for (int k = 0; k < 2000; ++k) {
            layer[k] = std::ldexp(1.0f + 0x1p-23f * (k % 3), exponent + k / 7 % 2);
        }
        expect_right(layer, wave);
    }
}

// The same of near particles: no other cell needs exact energies of them.
TEST(Rounds, InTheMiddleOfTwoFloatsWithinTheTile) {
    for (int exponent = 12; exponent < 22; ++exponent) {
        Wave wave = random_wave(256, 200'000, 3, exponent);
        for (std::int64_t i = 0; i < wave.count(); i += 5) wave.positions[i] = i * 37 % 1280;
        std::vector<float> layer(1280);
        for (int k = 0; k < 1280; ++k) {
            layer[k] = std::ldexp(1.0f + 0x1p-23f * (k % 3), exponent + k / 7 % 2);
        }
        layer.resize(1000);  // shares of whole numbers
        expect_right(layer, wave);
    }
}

// A particle within the tile that leads the cells around it beyond their binade, also by far.
TEST(Rounds, OfStrongNearParticles) {
    for (const int value : {100'000, 1'000'000, 100'000'000, 2'000'000'000}) {
        Wave wave = random_wave(130, 500'000, 100, value);
        wave.positions[77] = 400;
        wave.values[77] = value;
        expect_right(std::vector<float>(1400, 0x1.8p15f), wave);
        expect_right(std::vector<float>(1400, 0x1.8p24f), wave);
    }
}

TEST(Rounds, AtTheLongestDistances) {
    for (const float cell : {100.0f, 1e6f}) {
        Wave wave = random_wave(300, 3000, 2'000'000'000, 1);
        for (std::int64_t i = 0; i < 300; ++i) {
            wave.positions[i] = i % 2 == 0 ? wave.positions[i] - kShort : kShort - i;
            if (i % 3 == 0) wave.values[i] %= 100'000;
            wave.values[i] += 1;
        }
        expect_right(std::vector<float>(2600, cell), wave);
    }
}

// Cells around the least power of two for which steps are counted.
TEST(Rounds, OfVerySmallCells) {
    for (const int exponent : {-64, -63, -62}) {
        expect_right(std::vector<float>(1300, std::ldexp(1.5f, exponent)),
                     random_wave(40, 30'000, 100, 3));
    }
}
