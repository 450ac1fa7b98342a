// SPDX-License-Identifier: MIT
#include "common/base/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "common/base/error.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::AtomicFile;
using course::InputError;
using course_test::message_of;
using course_test::read_file;
using course_test::ScratchFolder;

TEST(AtomicFile, TheTargetAppearsOnCommitOnly) {
    ScratchFolder folder;
    AtomicFile file(folder / "out.csv");
    file.stream() << "a,b\n" << 1 << ',' << 2 << '\n';
    EXPECT_FALSE(std::filesystem::exists(folder / "out.csv"));
    file.commit();
    EXPECT_EQ(read_file(folder / "out.csv"), "a,b\n1,2\n");
    EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, AbandonedLeavesTheOldFile) {
    ScratchFolder folder;
    const std::string path = folder.write("out.csv", "old");
    {
        AtomicFile file(path);
        file.stream() << "new" << std::flush;
        EXPECT_EQ(folder.count(), 2);
    }
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, LargeContentIsWhole) {
    ScratchFolder folder;
    std::string content;
    for (int i = 0; i < 100000; ++i) content += std::to_string(i) + '\n';
    AtomicFile file(folder / "out");
    file.stream() << content;
    file.stream().put('!');
    file.commit();
    EXPECT_EQ(read_file(folder / "out"), content + '!');
}

TEST(AtomicFile, HasTheUsualPermissions) {
    ScratchFolder folder;
    AtomicFile file(folder / "out");
    file.commit();
    const mode_t mask = umask(0);
    umask(mask);
    struct stat status {};
    ASSERT_EQ(stat((folder / "out").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}

TEST(AtomicFile, ReplacesTheFileBehindALink) {
    ScratchFolder folder;
    const std::string path = folder.write("real", "old");
    std::filesystem::create_symlink("real", folder / "link");
    AtomicFile file(folder / "link");
    file.stream() << "new";
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(path), "new");
}

TEST(AtomicFile, MakesTheFileThatALinkNames) {
    ScratchFolder folder;
    std::filesystem::create_directory(folder / "below");
    std::filesystem::create_symlink("below/second", folder / "link");
    std::filesystem::create_symlink("real", folder / "below/second");
    AtomicFile file(folder / "link");
    file.stream() << "new";
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "below/second"));
    EXPECT_EQ(read_file(folder / "below/real"), "new");
}

TEST(AtomicFile, ALinkThatLeadsNowhereIsKept) {
    ScratchFolder folder;
    std::filesystem::create_symlink("second", folder / "first");
    std::filesystem::create_symlink("first", folder / "second");
    std::filesystem::create_symlink("none/file", folder / "nowhere");
    EXPECT_EQ(message_of<InputError>([&] { AtomicFile file(folder / "first"); }),
              folder / "first" + ": cannot be written: Too many levels of symbolic links");
    EXPECT_EQ(message_of<InputError>([&] { AtomicFile file(folder / "nowhere"); }),
              folder / "nowhere" + ": cannot be written: No such file or directory");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
}

TEST(AtomicFile, WhatCannotBeWrittenIsRefusedAtOnce) {
    ScratchFolder folder;
    EXPECT_EQ(message_of<InputError>([&] { AtomicFile file(folder.path()); }),
              folder.path() + ": cannot be written: Is a directory");
    EXPECT_EQ(message_of<InputError>([&] { AtomicFile file(folder / "no/such/folder"); }),
              folder / "no/such/folder" + ": cannot be written: No such file or directory");
    EXPECT_NE(message_of<InputError>([&] { AtomicFile file("/proc/rows.csv"); }), "");
    EXPECT_NE(message_of<InputError>([&] { AtomicFile file(""); }), "");
    if (geteuid() != 0) {  // the superuser may write anywhere
        std::filesystem::permissions(
            folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
        EXPECT_EQ(message_of<InputError>([&] { AtomicFile file(folder / "x"); }),
                  folder / "x" + ": cannot be written: Permission denied");
        std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
        const std::string path = folder.write("read-only", "old");
        std::filesystem::permissions(path, std::filesystem::perms::owner_read);
        EXPECT_EQ(message_of<InputError>([&] { AtomicFile file(path); }),
                  path + ": cannot be written: Permission denied");
    }
}

TEST(AtomicFile, AFullDiskIsNoticed) {
    EXPECT_EQ(message_of<InputError>([] {
                  AtomicFile file("/dev/full");
                  file.stream() << "a row\n";
                  file.commit();
              }),
              "/dev/full: cannot be written: No space left on device");
    EXPECT_EQ(message_of<InputError>([] {
                  AtomicFile file("/dev/full");
                  file.stream() << std::string(1000000, 'x');  // fails long before the commit
                  file.commit();
              }),
              "/dev/full: cannot be written: No space left on device");
}

TEST(AtomicFile, DevicesAreWrittenDirectly) {
    AtomicFile file("/dev/null");
    file.stream() << "gone";
    file.commit();
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, DashIsStdout) {
    testing::internal::CaptureStdout();
    {
        AtomicFile file("-");
        file.stream() << "rows";
        file.commit();
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "rows");
}

TEST(AtomicFile, ASignalLeavesNothing) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGABRT, SIGSEGV}) {
        ScratchFolder folder;
        const pid_t child = fork();
        if (child == 0) {
            std::signal(signal, SIG_DFL);  // nohup, for one, has SIGHUP ignored
            course::remove_temporary_files_on_signals();
            AtomicFile first(folder / "rows.csv");
            AtomicFile second(folder / "rows.json");
            first.stream() << "half" << std::flush;
            raise(signal);
            _exit(0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
        EXPECT_EQ(folder.count(), 0) << signal;
    }
}

void handle(int) {}

TEST(AtomicFile, ASignalThatTheProgramHandlesIsLeftToIt) {
    std::signal(SIGHUP, handle);
    course::remove_temporary_files_on_signals();
    EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), handle);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        std::signal(signal, SIG_DFL);  // for the other tests
    }
}

}  // namespace
