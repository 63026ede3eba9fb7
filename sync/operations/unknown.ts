import * as z from 'zod/mini';
import type { Operation } from './operation.ts';

/** Stands in for an operation that only a newer version of the app knows. */
export const unknownOperation: Operation<unknown> = {
  lane: 'votes',
  isBatchable: false,
  schemaVersion: 0,
  timeoutMs: 15_000,
  payloadSchema: z.unknown(),
  entityOf: () => '',
  request() {
    throw new Error('Only a newer version of the app can send this');
  },
  queue: () => ({ removes: [], adds: null }),
  overlay: (view) => view,
  hiding: null,
  marksRead: null,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  changesPolls: false,
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
