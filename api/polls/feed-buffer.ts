import { createReadBuffer, type ReadBuffer } from '#api/http/read-buffer.ts';

const AGE_MAX_MS = 1_000;

/**
 * What of the feed is the same for every viewer, kept for up to a second. To be dropped after a poll was made,
 * removed, activated or deactivated, before the answer goes out.
 */
export type FeedBuffer = ReadBuffer;

/** An empty buffer. `nowMs` is a clock that never goes back. */
export function createFeedBuffer(nowMs?: () => number): FeedBuffer {
  return createReadBuffer(AGE_MAX_MS, nowMs);
}
