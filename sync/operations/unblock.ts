import { buildPath } from '#shared/contract.ts';
import { unblockUser as call } from '#shared/reports/contract.ts';
import { type BlockPayload, blockPayloadSchema } from './block.ts';
import { makerKey, queueHiding } from './hiding.ts';
import type { Operation } from './operation.ts';

/** Shows the polls of a blocked user again. */
export const unblock: Operation<BlockPayload> = {
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
  queue: (payload, earlier) => queueHiding({ type: 'unblock', opposite: 'block' }, payload, earlier),
  overlay: (view) => view,
  hiding: ({ username }) => ({ key: makerKey(username), isHidden: false, username }),
  marksRead: null,
  points: () => ({ earned: 0, spent: 0 }),
  newPoll: null,
  changesPolls: false,
  dropsMissingPoll: false,
  refusedActions: [],
  words: {
    noun: 'change',
    title: ({ username }) => username,
    waiting: () => 'Unblocked',
    unsent: 'Not unblocked',
    refused: 'Not unblocked',
    reason: () => null,
  },
};
