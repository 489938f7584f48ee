// Inside the front end: graphs.

#ifndef SIMT_GRAPH_H
#define SIMT_GRAPH_H

#include "front.h"

#include <pthread.h>

enum { MOST_ATTRIBUTES = 16 };

struct node {
    graph *graph;
    enum cudaGraphNodeType type;
    int device;
    work work;
    node **after; // nodes that it waits for
    size_t after_count, after_room;
    size_t place;       // in its graph
    const node *source; // of which it is a copy
    bool off;
    bool visited;
    graph *child;
    // What the program said, to be told again.
    int copy_kind;
    struct cudaMemcpy3DParms copy;
    struct cudaMemsetParams fill;
    struct cudaKernelNodeParams kernel;
    struct cudaMemAllocNodeParams alloc;
    void **pointers; // of kernel.kernelParams
    cudaLaunchAttribute attributes[MOST_ATTRIBUTES];
    unsigned attribute_count;
};

struct graph {
    node **nodes; // in the order in which they were made
    size_t count, room;
    const graph *source; // of which it is a copy
    bool owned;          // by a node
    bool memory;         // has nodes that allocate
    struct held *held;   // user objects
};

typedef struct exec {
    struct exec *next;
    graph *graph; // its own copy
    node **order;
    size_t count;
    unsigned long long flags;
} exec;

struct capture {
    capture *next;
    unsigned long long id;
    graph *graph;
    stream *origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    bool invalid, into; // into: a graph of the program's
};

// ---- capture.c ----------------------------------------------------------------------

// May this thread make a call that could wait? cudaError_t; a capture that it breaks is
// lost.
int capture_allows(void);
// May work go into the stream? (Not the legacy one if a capture would depend on it.)
int capture_allows_work(stream *s);
int capture_break(capture *c, int code); // it is lost; returns the code
int capture_add(stream *s, work w);
int capture_event(event *e, stream *s);
int capture_wait(stream *s, event *e);
int capture_node(stream *s, node **made, enum cudaGraphNodeType type);
int capture_take(stream *s, size_t bytes, void **at); // memory in a graph
int capture_give(stream *s, void *at);
int capture_begin(stream *s, graph *g, const cudaGraphNode_t *after, size_t count,
                  int mode);
int capture_end(stream *s, cudaGraph_t *g);
int capture_status(stream *s, enum cudaStreamCaptureStatus *status);
int capture_info(stream *s, enum cudaStreamCaptureStatus *status,
                 unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **after,
                 size_t *count);
int capture_update(stream *s, cudaGraphNode_t *after, size_t count, unsigned flags);
capture *capture_of_event(const event *e); // that still goes on, or NULL

// ---- graph.c ------------------------------------------------------------------------

graph *graph_new(void);
void graph_free(graph *g);
graph *graph_copy(const graph *g);
int node_new(graph *g, enum cudaGraphNodeType type, const cudaGraphNode_t *after,
             size_t count, node **made);
bool node_follow(node *n, node *before); // false: no memory
void node_free(node *n);
node *node_like(const graph *copy, const node *n); // its copy there, or NULL

void held_drop(graph *g); // graph_more.c: what it keeps alive

// ---- node.c, node_calls.c: what the nodes do
// ------------------------------------------

int node_set_kernel(node *n, const struct cudaKernelNodeParams *p);
int node_set_copy(node *n, const struct cudaMemcpy3DParms *p);
int node_set_line(node *n, void *to, const void *from, size_t bytes, int kind);
int node_set_fill(node *n, const struct cudaMemsetParams *p);
int node_set_call(node *n, const struct cudaHostNodeParams *p);
int node_set_event(node *n, cudaEvent_t e);
int node_set_child(node *n, const graph *child);
int node_set_into(node *n, const void *symbol, const void *from, size_t bytes,
                  size_t offset, int kind);
int node_set_out_of(node *n, void *to, const void *symbol, size_t bytes, size_t offset,
                    int kind);
#if CUDART_VERSION >= 12020
int node_set_any(node *n, struct cudaGraphNodeParams *p);
#endif
int node_set_alloc(node *n, struct cudaMemAllocNodeParams *p);
int node_set_free(node *n, void *at);
int node_take_over(node *n, const node *from); // all that it does
int node_from_work(node *n, work w);           // of a capture; the work is taken over

// ---- exec.c -------------------------------------------------------------------------

int exec_new(exec **made, graph *g, unsigned long long flags);
exec *exec_of(cudaGraphExec_t handle); // NULL: none
int exec_instantiate(cudaGraphExec_t *made, cudaGraph_t g, unsigned long long flags);
#if CUDART_VERSION >= 12000
int exec_instantiate_with(cudaGraphExec_t *made, cudaGraph_t g,
                          cudaGraphInstantiateParams *p, stream *s);
#endif
int exec_launch(cudaGraphExec_t handle, stream *s);
int exec_upload(cudaGraphExec_t handle, stream *s);

#endif
