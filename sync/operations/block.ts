import * as z from 'zod/mini';
import { blockUser, unblockUser } from '#shared/reports/contract.ts';
import { emptyRequest, OPERATION_DEFAULTS, type SmallOperation } from './operation.ts';
import { makerKey, queueChangeWithOpposite } from './visibility-change.ts';

const blockPayloadSchema = z.object({ username: z.string() });
type BlockPayload = z.infer<typeof blockPayloadSchema>;

/** Blocks a user, whose polls are then hidden. */
export const block: SmallOperation<BlockPayload> = {
  ...OPERATION_DEFAULTS,
  payloadSchema: blockPayloadSchema,
  entityOf: ({ username }) => makerKey(username),
  request: ({ username }) => emptyRequest(blockUser, { params: { username } }),
  queueChange: (payload, earlier) =>
    queueChangeWithOpposite({ type: 'block', opposite: 'unblock' }, payload, earlier),
  visibilityChange: ({ username }) => ({ key: makerKey(username), isHidden: true, username }),
  texts: {
    noun: 'block',
    title: ({ username }) => username,
    waiting: () => 'Blocked',
    unsent: 'Block not sent',
    refused: 'Not blocked',
    reason: (code) => (code === 'not_found' ? 'There is no longer a user with this name.' : null),
  },
};

/** Unblocks a user, whose polls are then shown again. */
export const unblock: SmallOperation<BlockPayload> = {
  ...OPERATION_DEFAULTS,
  payloadSchema: blockPayloadSchema,
  entityOf: ({ username }) => makerKey(username),
  request: ({ username }) => emptyRequest(unblockUser, { params: { username } }),
  queueChange: (payload, earlier) =>
    queueChangeWithOpposite({ type: 'unblock', opposite: 'block' }, payload, earlier),
  visibilityChange: ({ username }) => ({ key: makerKey(username), isHidden: false, username }),
  texts: {
    noun: 'change',
    title: ({ username }) => username,
    waiting: () => 'Unblocked',
    unsent: 'Not unblocked',
    refused: 'Not unblocked',
    reason: () => null,
  },
};
