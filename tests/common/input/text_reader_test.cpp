// SPDX-License-Identifier: MIT
#include "common/input/text_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/error.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::InputError;
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

TEST(TextReader, CommasSemicolonsTabsAndBlanksSeparate) {
    ScratchFolder folder;
    TextReader reader(folder.write("points",
                                   "\xef\xbb\xbf"
                                   "1 2\r\n 3 , 4\r\n5,6\n7\t8 # 9, 10\n% 0 0\n9;10\n"
                                   "\"11\"; '12'\n13,14,\n"));
    for (const std::int64_t x : {1, 3, 5, 7, 9, 11, 13}) {
        ASSERT_TRUE(reader.next_row("x y"));
        EXPECT_EQ(reader.integer(0, "x"), x);
        EXPECT_EQ(reader.integer(1, "y"), x + 1);
    }
    EXPECT_FALSE(reader.next_row("x y"));
}

TEST(TextReader, BetweenTwoCommasIsAnEmptyField) {
    ScratchFolder folder;
    TextReader reader(folder.write("edges.csv", "1, 2,,4\n,5\n"));
    ASSERT_TRUE(reader.next_line());
    ASSERT_EQ(reader.fields().size(), 4U);
    EXPECT_EQ(reader.integer(1, "to"), 2);
    EXPECT_EQ(reader.fields()[2], "");
    EXPECT_EQ(message_of<InputError>([&] { reader.integer(2, "weight"); }),
              folder / "edges.csv" + ":1: weight '' is empty; a number is expected");
    ASSERT_TRUE(reader.next_line());
    ASSERT_EQ(reader.fields().size(), 2U);
    EXPECT_EQ(reader.fields()[0], "");
}

// Each of these tables holds the points (1, 2) and (3, 4).
TEST(TextReader, AHeaderRowIsSkippedAndOrdersTheColumns) {
    ScratchFolder folder;
    for (const char* content :
         {"x,y\n1,2\n3,4\n", "\xef\xbb\xbf\"X\";\"Y\"\r\n1;2\r\n3;4\r\n",
          "# points\n\nlon lat\n1 2\n3 4\n", "y\tx\n2\t1\n4\t3\n",
          "id,y,name,x\n0,2,a,1\n1,4,b,3\n", ",x,y\n0,1,2\n1,3,4\n", "x [m],y [m]\n1,2\n3,4\n",
          "x,y,name\n1,2,\"A, B\"\n3,4,C D\n", "\xc3\xa4,\xc3\xb6\n1,2\n3,4\n"}) {
        TextReader reader(folder.write("points.csv", content));
        for (const std::int64_t x : {1, 3}) {
            ASSERT_TRUE(reader.next_row("x y")) << content;
            EXPECT_EQ(reader.integer(0, "x"), x) << content;
            EXPECT_EQ(reader.integer(1, "y"), x + 1) << content;
        }
        EXPECT_FALSE(reader.next_row("x y")) << content;
    }
    // One table after another, with a header row of its own.
    TextReader reader(folder.write("wave", "2\nposition value\n4 80\n"));
    ASSERT_TRUE(reader.next_row("count"));
    ASSERT_TRUE(reader.next_row("position value"));
    EXPECT_EQ(reader.integer(1, "value"), 80);
}

TEST(TextReader, RowsThatAreNoneNameTheirPlaceAndWhatStandsThere) {
    ScratchFolder folder;
    const std::string path = folder / "points.csv";
    const std::pair<const char*, const char*> kFaults[] = {
        {"1,2\nx,y\n", ":2: x 'x' is not a number"},
        {"x,y\nx,y\n1,2\n", ":2: x 'x' is not a number"},
        {"x 1\n1 2\n", ":1: x 'x' is not a number"},
        {"nan,inf\n1,2\n", ":1: x 'nan' is not finite"},
        {"x,y\n", ":1: the file ends after its header row"},
        {"1,2\n3\n", ":2: 1 field where 2 are expected: x y; the line is '3'"},
        {"id,lon,lat\n1,2,3\n", ":2: 3 fields where 2 are expected: x y; the line is '1,2,3'"},
        {"id,x,y\n1,2\n", ":2: 2 fields where the header row names 3; the line is '1,2'"},
        {"1,5;2,5\n", ":1: x '1,5' is not a number; write decimals with a point"}};
    for (const auto& [content, message] : kFaults) {
        folder.write("points.csv", content);
        EXPECT_EQ(message_of<InputError>([&] {
                      TextReader reader(path);
                      while (reader.next_row("x y")) {
                          reader.real(0, "x");
                          reader.real(1, "y");
                      }
                  }),
                  path + message)
            << content;
    }
    TextReader reader(path);
    reader.explain_format("read as points");
    reader.next_line();
    EXPECT_EQ(message_of<InputError>([&] { reader.fail("no"); }), path + ":1: no (read as points)");
}

TEST(TextReader, CompressedFilesAndUtf16AreRefusedByName) {
    ScratchFolder folder;
    const std::pair<std::string, const char*> kKinds[] = {
        {std::string("\x1f\x8b\x08\x00\n1 2\n", 9), "is compressed by gzip: unpack it first"},
        {"BZh91AY&SY", "is compressed by bzip2"},
        {std::string("\xfd\x37zXZ\x00", 6), "is compressed by xz"},
        {"\x28\xb5\x2f\xfd", "is compressed by zstd"},
        {"PK\x03\x04", "is a zip archive"},
        {std::string("\xff\xfe\x31\x00", 4), "is UTF-16 text: save it as UTF-8"},
        {std::string("\xfe\xff\x00\x31", 4), "is UTF-16 text"}};
    for (const auto& [content, message] : kKinds) {
        const std::string path = folder.write("points.txt.gz", content);
        const std::string said = message_of<InputError>([&] { TextReader(path).next_line(); });
        EXPECT_TRUE(said.starts_with(path + ": " + message)) << said;
    }
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
              path + ":1: 3 fields where 4 are expected: mass x y z; the line is '1 2 3'");
    EXPECT_EQ(fault([&] { reader.real(3, "z"); }),
              path + ":1: z is missing: the line has 3 fields");
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(fault([&] { reader.real(1, "x"); }), path + ":3: x 'five' is not a number");
    EXPECT_EQ(fault([&] { reader.integer(1, "x"); }), path + ":3: x 'five' is not a number");
    ASSERT_TRUE(reader.next_line());
    EXPECT_EQ(fault([&] { reader.expect_fields(3, "mass x y"); }),
              path + ":4: 2 fields where 3 are expected: mass x y; the line is '7 8'");
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
