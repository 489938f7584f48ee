// Another order of blocks, warps and splits, the same for the same seed.
//
// A program whose result depends on the order has a race, or relies on an order that CUDA
// does not promise. Blocks change places with their neighbours only, since a block may wait
// for one before it (a look-back), and so many can be live; what they do is cut at memory
// operations (exec_check.c), where others then have a turn. All on one worker.

#include "exec.h"

enum { NEIGHBOURS = 32, SELDOM = 16 };

void schedule_start(worker *k)
{
    const simt_device *d = k->launch->device;
    k->dice = d->config.schedule ? d->config.schedule * 0x9e3779b97f4a7c15ull + d->grid_number : 0;
    if (d->config.schedule && !k->dice)
        k->dice = 1;
}

// splitmix64's output, of a counter.
static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// A number below n. (0 in the fixed order.)
uint32_t schedule_pick(worker *k, uint32_t n)
{
    if (!k->dice || n < 2)
        return 0;
    k->dice++;
    return (uint32_t)(mixed(k->dice) % n);
}

bool schedule_interrupts(worker *k)
{
    return k->dice && schedule_pick(k, SELDOM) == 0;
}

// The order of n things.
void schedule_order(worker *k, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; k->dice && i > 1; i--) {
        uint32_t j = schedule_pick(k, i), keep = order[i - 1];
        order[i - 1] = order[j];
        order[j] = keep;
    }
}

// The cluster that is the number-th to run.
uint64_t schedule_cluster(const launch *run, uint64_t number)
{
    uint64_t seed = run->device->config.schedule, all = run->blocks / run->cluster_size;
    uint64_t first = number / NEIGHBOURS * NEIGHBOURS;
    uint32_t order[NEIGHBOURS], n = all - first < NEIGHBOURS ? (uint32_t)(all - first) : NEIGHBOURS;
    if (!seed || number >= all)
        return number;
    worker k = {.dice = mixed(seed ^ mixed(first + run->device->grid_number)) | 1};
    schedule_order(&k, order, n);
    return first + order[number - first];
}
