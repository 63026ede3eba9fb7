import { describe, expect, test } from 'vitest';
import { NEVER_SENT_FIELDS, NOT_ATTEMPTED_FIELDS, type QueuedOp } from '#sync/protocol/op.ts';
import { makerKey, queueChangeWithOpposite } from './visibility-change.ts';

const REPORT = { type: 'report', opposite: 'takeBackReport' };
const PAYLOAD = { pollId: 'p' };
const ADDED = { type: 'report', payload: PAYLOAD };

const op = (type: string, changes: Partial<QueuedOp> = {}): QueuedOp => ({
  ...NOT_ATTEMPTED_FIELDS,
  ...NEVER_SENT_FIELDS,
  opId: type,
  userId: 1,
  seq: 1,
  type,
  schemaVersion: 1,
  payload: PAYLOAD,
  entityId: 'p',
  createdAt: 0,
  ...changes,
});
const SENT = { firstLeasedAt: 1, leaseUntil: 1, attempts: 1 };

describe('a report that is added to the queue', () => {
  test.each<[title: string, earlier: QueuedOp[], removedIndexes: number[], isAdded: boolean]>([
    ['is sent', [], [], true],
    ['does not affect votes', [op('vote'), op('vote', { state: 'rejected' })], [], true],
    ['removes an unsent take-back instead of being sent', [op('takeBackReport')], [0], false],
    ['replaces an unsent report', [op('report')], [0], true],
    ['is not added if another report may have been sent', [op('report', SENT)], [], false],
    ['follows a take-back that may have been sent', [op('takeBackReport', SENT)], [], true],
    [
      'is not added after a report that may have been sent, even if that follows a take-back',
      [op('takeBackReport', SENT), op('report', SENT)],
      [],
      false,
    ],
    ['replaces a refused report', [op('report', { ...SENT, state: 'rejected' })], [0], true],
    [
      'removes a refused report, and is not added if another report may have been sent',
      [op('report', { ...SENT, state: 'rejected' }), op('report', SENT)],
      [0],
      false,
    ],
    [
      'is sent if the take-back was refused',
      [op('takeBackReport', { ...SENT, state: 'rejected' })],
      [0],
      true,
    ],
    [
      'is not added if the take-back certainly had no effect',
      [op('takeBackReport', { ...SENT, attempts: 5, refusals: 5, state: 'needs_attention' })],
      [0],
      false,
    ],
    [
      'is not added if the take-back was only sent to a server that has been replaced',
      [
        op('takeBackReport', {
          ...SENT,
          state: 'needs_attention',
          lastError: { status: 0, code: 'server_replaced', message: '' },
        }),
      ],
      [0],
      false,
    ],
    [
      'is not added if the take-back needs a decision and was never sent, though attempts without a network count',
      [op('takeBackReport', { attempts: 1, state: 'needs_attention' })],
      [0],
      false,
    ],
    [
      'is sent if the take-back may have taken effect',
      [op('takeBackReport', { ...SENT, attempts: 5, refusals: 4, state: 'needs_attention' })],
      [0],
      true,
    ],
    [
      'is sent if the take-back may have taken effect in a tab that was closed while it was being sent',
      [
        op('takeBackReport', {
          ...SENT,
          attempts: 5,
          refusals: 5,
          wasTakenOver: true,
          state: 'needs_attention',
        }),
      ],
      [0],
      true,
    ],
  ])('%s', (_, earlier, removedIndexes, isAdded) => {
    expect(queueChangeWithOpposite(REPORT, PAYLOAD, earlier)).toEqual({
      removes: removedIndexes.map((index) => earlier[index]),
      adds: isAdded ? ADDED : null,
    });
  });
});

test('the key of a maker does not depend on the case of the name', () => {
  expect(makerKey('Mara.Lind')).toBe('maker mara.lind');
});
