// What is known of other blocks: a graph of what was made known, asked only when two
// accesses meet that nothing nearer orders.
//
// Most questions are answered within a few steps (a block looks back at its neighbours).
// For the others all that a node reaches is collected once, by block, and kept for the
// questions that follow: the last block of a grid asks about all others.

#include "race.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA = 1 << 18, FEW = 64, CLOSURES = 8 };

void *race_room(struct races *r, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (!r->arena || r->arena->used + bytes > ARENA) {
        struct arena_of *more = calloc(1, sizeof *more + ARENA);
        if (!more)
            abort();
        more->next = r->arena;
        r->arena = more;
    }
    void *room = r->arena->bytes + r->arena->used;
    r->arena->used += bytes;
    return room;
}

enum { FAR = 4096 };

// Has n grown out of `from`? What flags collect is a chain, the older part behind.
static bool older(const know *n, const know *from)
{
    for (int i = 0; n && i < FAR; i++, n = n->b)
        if (n == from || n->a == from || (n->a && n->a->a == from))
            return true;
    return false;
}

// Does n hold all that `part` holds? (No, where it takes long to tell.)
static bool holds(const know *n, const know *part, int depth)
{
    if (!part || older(n, part))
        return true;
    return depth && !part->row_count && holds(n, part->a, depth - 1) &&
           holds(n, part->b, depth - 1);
}

know *know_join(struct races *r, know *a, know *b)
{
    if (!a || a == b)
        return b;
    if (!b || a->a == b || older(a, b))
        return a;
    if (b->a == a || holds(b, a, 3))
        return b;
    know *n = race_room(r, sizeof *n);
    n->a = b; // the newer one is looked at first
    n->b = a;
    return n;
}

static bool covers(const know *n, uint32_t block, uint32_t at, uint32_t lane)
{
    uint32_t warp = at & 31, time = at >> 5;
    if (!n->row_count || n->block != block)
        return false;
    return (warp < n->row_count && time <= n->row[warp]) ||
           (n->warp == warp && n->lanes >> lane & 1 && time <= n->time);
}

// ---- All that a node reaches ----------------------------------------------------

typedef struct entry { // of one block
    uint32_t block, row_count;
    uint32_t *row;      // the most of any node; NULL: a free slot
    struct some { struct some *next; const know *node; } *some; // for their lanes
} entry;

typedef struct closure {
    struct closure *next;
    know *root;
    uint32_t id, count, slots;
    entry *entries;
} closure;

static void closure_drop(closure *c)
{
    for (uint32_t i = 0; i < c->slots; i++)
        free(c->entries[i].row);
    free(c->entries);
    free(c);
}

void closures_forget(struct races *r)
{
    while (r->closure) {
        closure *next = r->closure->next;
        closure_drop(r->closure);
        r->closure = next;
    }
}

static entry *entry_of(const closure *c, uint32_t block)
{
    uint32_t at = block * 2654435769u & (c->slots - 1);
    while (c->entries[at].row && c->entries[at].block != block)
        at = (at + 1) & (c->slots - 1);
    return &c->entries[at];
}

static void more_entries(closure *c)
{
    closure old = *c;
    c->slots = c->slots ? c->slots * 2 : 64;
    c->entries = calloc(c->slots, sizeof *c->entries);
    if (!c->entries)
        abort();
    for (uint32_t i = 0; i < old.slots; i++)
        if (old.entries[i].row)
            *entry_of(c, old.entries[i].block) = old.entries[i];
    free(old.entries);
}

static void add_node(struct races *r, closure *c, const know *n)
{
    if (2 * c->count >= c->slots)
        more_entries(c);
    entry *e = entry_of(c, n->block);
    if (!e->row) {
        *e = (entry){n->block, n->row_count, calloc(n->row_count, sizeof *e->row), NULL};
        if (!e->row)
            abort();
        c->count++;
    }
    for (uint32_t i = 0; i < n->row_count; i++)
        if (e->row[i] < n->row[i])
            e->row[i] = n->row[i];
    if (n->lanes == 0xffffffffu && e->row[n->warp] < n->time) {
        e->row[n->warp] = n->time;
    } else if (n->lanes && e->row[n->warp] < n->time) {
        for (struct some *s = e->some; s; s = s->next)
            if (s->node->warp == n->warp && s->node->lanes == n->lanes) {
                s->node = s->node->time < n->time ? n : s->node;
                return;
            }
        struct some *s = race_room(r, sizeof *s);
        *s = (struct some){e->some, n};
        e->some = s;
    }
}

static void push(struct races *r, uint32_t *top, know *n)
{
    if (!n)
        return;
    if (*top == r->stack_capacity) {
        r->stack_capacity = r->stack_capacity ? r->stack_capacity * 2 : 256;
        r->stack = realloc(r->stack, r->stack_capacity * sizeof *r->stack);
        if (!r->stack)
            abort();
    }
    r->stack[(*top)++] = n;
}

// Add what root reaches and the closure has not.
static void closure_grow(struct races *r, closure *c, know *root)
{
    uint32_t top = 0;
    c->root = root;
    push(r, &top, root);
    while (top) {
        know *n = r->stack[--top];
        if (n->closure == c->id)
            continue;
        n->closure = c->id;
        if (n->row_count)
            add_node(r, c, n);
        push(r, &top, n->b);
        push(r, &top, n->a);
    }
}

static bool closure_covers(const closure *c, uint32_t block, uint32_t at, uint32_t lane)
{
    uint32_t warp = at & 31, time = at >> 5;
    if (!c->slots)
        return false;
    const entry *e = entry_of(c, block);
    if (!e->row)
        return false;
    if (warp < e->row_count && time <= e->row[warp])
        return true;
    for (const struct some *s = e->some; s; s = s->next)
        if (covers(s->node, block, at, lane))
            return true;
    return false;
}

static closure *closure_of(struct races *r, know *root)
{
    closure **at = &r->closure, *c;
    int count = 0;
    for (; (c = *at) && c->root != root; at = &c->next)
        if (++count == CLOSURES) { // the one asked for longest ago
            *at = NULL;
            closure_drop(c);
            break;
        }
    if (*at) {
        *at = c->next;
    } else if ((c = r->closure) && older(root, c->root)) { // blocks see more and more
        r->closure = c->next;
        closure_grow(r, c, root);
    } else {
        c = calloc(1, sizeof *c);
        if (!c)
            abort();
        c->id = ++r->closures;
        closure_grow(r, c, root);
    }
    c->next = r->closure;
    r->closure = c;
    return c;
}

// ---- Asking ---------------------------------------------------------------------

// The nearest nodes first: 1 found, 0 not there, -1 there are more.
static int among_few(struct races *r, know *root, uint32_t block, uint32_t at, uint32_t lane)
{
    know *queue[FEW + 2];
    int head = 0, tail = 0;
    uint32_t mark = ++r->marks;
    queue[tail++] = root;
    root->mark = mark;
    while (head < tail) {
        know *n = queue[head++];
        if (covers(n, block, at, lane))
            return 1;
        for (int i = 0; i < 2; i++) {
            know *next = i ? n->b : n->a;
            if (!next || next->mark == mark)
                continue;
            if (tail == FEW)
                return -1;
            next->mark = mark;
            queue[tail++] = next;
        }
    }
    return 0;
}

bool know_covers(struct races *r, know *root, uint32_t block, uint32_t at, uint32_t lane)
{
    if (!root)
        return false;
    int few = among_few(r, root, block, at, lane);
    if (few >= 0)
        return few;
    return closure_covers(closure_of(r, root), block, at, lane);
}
