// SPDX-License-Identifier: MIT
// Merge sort, stage multisort/04: the kernels in OpenCL C. Read with mergesort.cpp.
// Compared with multisort/03_equal_shares: qualifiers, types and the thread's number.
// The host defines GROUP_SIZE as --threads. Without it the compiler chooses the largest size of a
// group itself: on an H200 at most 256 work-items.
typedef int Key;

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void insertion_sort_kernel(
    __global Key* keys, long count, long size_i) {
    const long begin = (long)get_global_id(0) * size_i;
    const long end = min(begin + size_i, count);
    for (long i = begin + 1; i < end; ++i) {
        const Key key = keys[i];
        long place = i;
        for (; place > begin && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// Writes to[first, last) by merging from[left, left_end) and from[right, right_end). Of equal keys
// the left one goes first, so equal keys keep their order.
void merge_keys(__global const Key* restrict from, long left, long left_end, long right,
                long right_end, __global Key* restrict to, long first, long last) {
    for (long out = first; out < last; ++out) {
        const bool takes_left =
            right == right_end || (left < left_end && from[left] <= from[right]);
        to[out] = from[takes_left ? left++ : right++];
    }
}

// How many of the first `diagonal` keys of a merge come from its left run. Along the diagonal the
// keys of the left run rise and those of the right run fall. Before the crossing the left key is
// taken, also when both are equal.
long merge_path(__global const Key* left, long left_count, __global const Key* right,
                long right_count, long diagonal) {
    long low = diagonal > right_count ? diagonal - right_count : 0;
    long high = min(diagonal, left_count);
    while (low < high) {
        const long i = low + (high - low) / 2;
        if (left[i] <= right[diagonal - 1 - i]) {
            low = i + 1;
        } else {
            high = i;
        }
    }
    return low;
}

// Merges runs of run_shares * size_i keys into runs of twice as many, one work-item per share of
// size_i keys. run_shares is a power of two, so the pair of a share is found without a division.
// The last run may be short; without a partner it is copied.
__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void merge_runs_kernel(
    __global const Key* restrict from, __global Key* restrict to, long count, long size_i,
    long run_shares) {
    const long share = get_global_id(0);
    const long first = share * size_i;
    if (first >= count) return;
    const long begin = (share & ~(2 * run_shares - 1)) * size_i;
    const long middle = min(begin + run_shares * size_i, count);
    const long end = min(begin + 2 * run_shares * size_i, count);
    const long diagonal = first - begin;
    const long left =
        merge_path(from + begin, middle - begin, from + middle, end - middle, diagonal);
    merge_keys(from, begin + left, middle, middle + diagonal - left, end, to, first,
               min(first + size_i, end));
}
