// What a video instruction does, as its decoder tells its handler.

#ifndef SIMT_VIDEO_H
#define SIMT_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

typedef enum video_kind {
    VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_AVERAGE, VIDEO_SET,
    VIDEO_SHL, VIDEO_SHR, VIDEO_MAD,
} video_kind;

enum { VIDEO_NO_SECOND, VIDEO_PLUS, VIDEO_LEAST, VIDEO_MOST };

typedef struct video {
    video_kind kind;
    int lanes;                   // 1, or 2 halves, or 4 bytes
    bool d_signed, a_signed, b_signed, saturates;
    int second;                  // with c: VIDEO_PLUS, ...
    int comparison;              // of vset
    bool wraps;                  // vshl, vshr: .wrap
    bool plus_one;               // vmad: .po
    int scale;                   // vmad: .shr7, .shr15
    int a_bits, b_bits, d_bits;  // of an element
    uint8_t a_from[4], b_from[4]; // which element, of a, b or (lanes > 1) of b:a
    int d_at;                    // bit where the result goes
    unsigned mask;               // lanes that are computed
    bool keeps;                  // c holds what the mask or selector leaves out
} video;

#endif
