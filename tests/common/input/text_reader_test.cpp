// SPDX-License-Identifier: MIT
#include "common/input/text_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/error.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::InputError;
using course::Separator;
using course::TextReader;
using course_test::message_of;
using course_test::ScratchFolder;

TEST(TextReader, SkipsBlanksAndComments) {
    ScratchFolder folder;
    const std::string path = folder.write("bodies.txt",
                                          "# mass x\n\n  \t\n1.5  2e3 # the sun\r\n\t-7\t8\r\n"
                                          "   # end\n9 10");
    TextReader reader(path);
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(reader.line_number(), 4);
    reader.expect_fields(2, "mass x");
    EXPECT_EQ(reader.real(0, "mass"), 1.5);
    EXPECT_EQ(reader.real(1, "x"), 2000.0);
    EXPECT_EQ(reader.integer(1, "x"), 2000);
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(reader.line_number(), 5);
    EXPECT_EQ(reader.integer(0, "mass"), -7);
    ASSERT_TRUE(reader.next_line());  // without a line end
    EXPECT_EQ(reader.line_number(), 7);
    EXPECT_FALSE(reader.next_line());
}

TEST(TextReader, CommasKeepEmptyFields) {
    ScratchFolder folder;
    TextReader reader(folder.write("edges.csv",
                                   "\xef\xbb\xbf"
                                   "1, 2,,4\n"),
                      Separator::kCommas);
    ASSERT_TRUE(reader.next_line());
    ASSERT_EQ(reader.fields().size(), 4U);
    EXPECT_EQ(reader.integer(0, "from"), 1);
    EXPECT_EQ(reader.integer(1, "to"), 2);
    EXPECT_EQ(reader.fields()[2], "");
    EXPECT_EQ(message_of<InputError>([&] { reader.integer(2, "weight"); }),
              folder / "edges.csv" + ":1: weight '' is empty; a number is expected");
}

TEST(TextReader, EitherSeparatorIsALinesOwn) {
    ScratchFolder folder;
    TextReader reader(folder.write("points", "1 2\n 3 , 4\n5,6\n7\t8 # 9, 10\n11,\n"),
                      Separator::kEither);
    for (const std::int64_t x : {1, 3, 5, 7}) {
        ASSERT_TRUE(reader.next_line());
        ASSERT_EQ(reader.fields().size(), 2U);
        EXPECT_EQ(reader.integer(0, "x"), x);
        EXPECT_EQ(reader.integer(1, "y"), x + 1);
    }
    ASSERT_TRUE(reader.next_line());
    ASSERT_EQ(reader.fields().size(), 2U);
    EXPECT_EQ(reader.fields()[1], "");
}

TEST(TextReader, FilesThatCannotBeRead) {
    ScratchFolder folder;
    EXPECT_EQ(message_of<InputError>([&] { TextReader reader(folder / "missing"); }),
              folder / "missing" + ": cannot be read: No such file or directory");
    EXPECT_EQ(message_of<InputError>([&] { TextReader reader(folder.path()); }),
              folder.path() + ": is a directory");
    for (const char* content : {"", "\n\n", "# only a comment\n"}) {
        const std::string path = folder.write("empty", content);
        EXPECT_EQ(message_of<InputError>([&] { TextReader(path).next_line(); }),
                  path + ": holds no data");
    }
}

TEST(TextReader, ReadsLinesLongerThanItsParts) {
    ScratchFolder folder;
    for (const int blanks : {4090, 4092, 4093, 4094, 4095, 4096, 8190, 20'000}) {
        for (const char* end : {"", "\n", "\n5"}) {
            TextReader reader(folder.write("long", std::string(blanks, ' ') + "7" + end));
            ASSERT_TRUE(reader.next_line()) << blanks;
            EXPECT_EQ(reader.integer(0, "x"), 7) << blanks;
            EXPECT_EQ(reader.next_line(), std::string_view(end).size() == 2) << blanks;
            EXPECT_EQ(reader.line_number(), std::string_view(end).size() == 2 ? 2 : 1) << blanks;
        }
    }
}

TEST(TextReader, RefusesATextWithoutAnEnd) {
    for (const std::string path : {"/dev/zero", "/dev/full"}) {
        const std::string message = message_of<InputError>([&] { TextReader(path).next_line(); });
        EXPECT_TRUE(message.starts_with(path + ": the text is longer than ")) << message;
        EXPECT_NE(message.find("the limit of a pipe or a device"), std::string::npos) << message;
    }
    // A hole of a terabyte is more than the memory.
    ScratchFolder folder;
    const std::string path = folder.write("hole", "");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
    const std::string message = message_of<InputError>([&] { TextReader(path).next_line(); });
    EXPECT_NE(message.find("of the free memory"), std::string::npos) << message;
}

TEST(TextReader, EachFaultNamesItsPlace) {
    ScratchFolder folder;
    const std::string path =
        folder.write("bodies.txt", "1 2 3\n\n4 five 6\n7 8\n9 nan 1e999\n-1 inf 3.5\n");
    TextReader reader(path);
    const auto fault = [&](const auto& work) { return message_of<InputError>(work); };
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(fault([&] { reader.expect_fields(4, "mass x y z"); }),
              path + ":1: 3 fields where 4 are expected: mass x y z");
    EXPECT_EQ(fault([&] { reader.real(3, "z"); }),
              path + ":1: z is missing: the line has 3 fields");
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(fault([&] { reader.real(1, "x"); }), path + ":3: x 'five' is not a number");
    EXPECT_EQ(fault([&] { reader.integer(1, "x"); }), path + ":3: x 'five' is not a number");
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(fault([&] { reader.expect_fields(3, "mass x y"); }),
              path + ":4: 2 fields where 3 are expected: mass x y");
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(fault([&] { reader.real(1, "x"); }), path + ":5: x 'nan' is not finite");
    EXPECT_EQ(fault([&] { reader.real(2, "y"); }), path + ":5: y '1e999' is out of range");
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(fault([&] { reader.real(0, "mass", 0.0); }), path + ":6: mass '-1' is below 0");
    EXPECT_EQ(fault([&] { reader.integer(0, "mass", -9, -2); }),
              path + ":6: mass '-1' is above -2");
    EXPECT_EQ(fault([&] { reader.real(1, "x"); }), path + ":6: x 'inf' is not finite");
    EXPECT_EQ(fault([&] { reader.integer(2, "y"); }), path + ":6: y '3.5' is not an integer");
    EXPECT_EQ(fault([&] { reader.fail("negative mass"); }), path + ":6: negative mass");
}

TEST(TextReader, BinaryDataGivesAShortPrintableMessage) {
    ScratchFolder folder;
    const std::string path = folder.write("binary", std::string(5000, '\x01'));
    const std::string message = message_of<InputError>([&] {
        TextReader reader(path);
        reader.next_line();
        reader.real(0, "mass");
    });
    EXPECT_EQ(message, path + ":1: mass '" + std::string(40, '?') + "...' is not a number");
}

}  // namespace
