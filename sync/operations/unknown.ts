import * as z from 'zod/mini';
import type { Operation } from './operation.ts';

/** Stands in for an operation that only a newer version of the app knows. */
export const unknownOperation: Operation<unknown> = {
  lane: 'votes',
  schemaVersion: 0,
  timeoutMs: 15_000,
  payloadSchema: z.unknown(),
  request() {
    throw new Error('Only a newer version of the app can send this');
  },
  queue: () => ({ removes: [], adds: null }),
  overlay: (view) => view,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  dropsMissingPoll: false,
  refusedActions: [],
  words: {
    noun: 'change',
    waiting: () => 'Made by a newer version of the app, and sent by it',
    unsent: 'Not sent',
    refused: 'Not taken',
    reason: () => null,
  },
};
