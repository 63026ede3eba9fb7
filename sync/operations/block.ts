import * as z from 'zod/mini';
import { buildPath } from '#shared/contract.ts';
import { blockUser as call } from '#shared/reports/contract.ts';
import { makerKey, queueHiding } from './hiding.ts';
import type { Operation } from './operation.ts';

export const blockPayloadSchema = z.object({ username: z.string() });
export type BlockPayload = z.infer<typeof blockPayloadSchema>;

/** Hides all polls of a user. */
export const block: Operation<BlockPayload> = {
  lane: 'votes',
  isBatchable: false,
  schemaVersion: 1,
  timeoutMs: 15_000,
  payloadSchema: blockPayloadSchema,
  entityOf: ({ username }) => makerKey(username),
  request: ({ username }) => ({
    method: call.method,
    path: buildPath(call, { params: { username } }),
    kind: 'empty',
  }),
  queue: (payload, earlier) => queueHiding({ type: 'block', opposite: 'unblock' }, payload, earlier),
  overlay: (view) => view,
  hiding: ({ username }) => ({ key: makerKey(username), isHidden: true, username }),
  marksRead: null,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  changesPolls: false,
  dropsMissingPoll: false,
  refusedActions: [],
  words: {
    noun: 'block',
    title: ({ username }) => username,
    waiting: () => 'Blocked',
    unsent: 'Block not sent',
    refused: 'Not blocked',
    reason: (code) => (code === 'not_found' ? 'Nobody has this name any more.' : null),
  },
};
