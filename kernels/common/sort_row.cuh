// A thread sorts a row of its own.
#pragma once

// Moves the item at `root` down a heap whose greatest item is the first.
template <class Item>
__device__ __forceinline__ void sift(Item* items, unsigned root, unsigned count) {
    const Item item = items[root];
    while (true) {
        unsigned child = 2 * root + 1;
        if (child >= count) break;
        if (child + 1 < count && items[child + 1] > items[child]) ++child;
        if (items[child] <= item) break;
        items[root] = items[child];
        root = child;
    }
    items[root] = item;
}

// Ascending: short rows by insertion, others as a heap.
template <class Item>
__device__ __forceinline__ void sort_row(Item* items, unsigned count) {
    constexpr unsigned SHORT = 48;
    if (count <= SHORT) {
        for (unsigned i = 1; i < count; ++i) {
            const Item item = items[i];
            unsigned k = i;
            for (; k > 0 && items[k - 1] > item; --k) items[k] = items[k - 1];
            items[k] = item;
        }
        return;
    }
    for (unsigned i = count / 2; i > 0; --i) sift(items, i - 1, count);
    for (unsigned last = count - 1; last > 0; --last) {
        const Item greatest = items[0];
        items[0] = items[last];
        sift(items, 0, last);
        items[last] = greatest;
    }
}

// Sorts a row and drops repetitions; returns how many items stay.
template <class Item>
__device__ __forceinline__ unsigned tidy_row(Item* items, unsigned count) {
    sort_row(items, count);
    unsigned kept = 0;
    Item last = 0;
    for (unsigned i = 0; i < count; ++i) {
        const Item item = items[i];
        if (i > 0 && item == last) continue;
        if (kept < i) items[kept] = item;
        last = item;
        ++kept;
    }
    return kept;
}
