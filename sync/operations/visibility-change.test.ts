import { describe, expect, test } from 'vitest';
import { NEVER_SENT_FIELDS, NOT_ATTEMPTED_FIELDS, type QueuedOp } from '#sync/protocol/op.ts';
import { makerKey, queueVisibilityChange } from './visibility-change.ts';

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
  test.each<[does: string, earlier: QueuedOp[], removed: number[], isAdded: boolean]>([
    ['is sent', [], [], true],
    ['leaves votes alone', [op('vote'), op('vote', { state: 'rejected' })], [], true],
    ['undoes what takes it back and was not sent, instead', [op('takeBackReport')], [0], false],
    ['takes the place of one that was not sent', [op('report')], [0], true],
    ['is not added while another one is on its way', [op('report', SENT)], [], false],
    ['follows what takes it back and is on its way', [op('takeBackReport', SENT)], [], true],
    [
      'is not added after one that is on its way, whatever preceded that',
      [op('takeBackReport', SENT), op('report', SENT)],
      [],
      false,
    ],
    ['takes the place of a refused one', [op('report', { ...SENT, state: 'rejected' })], [0], true],
    [
      'takes the place of a refused report, and is not added beside one on its way',
      [op('report', { ...SENT, state: 'rejected' }), op('report', SENT)],
      [0],
      false,
    ],
    [
      'is sent though what takes it back was refused',
      [op('takeBackReport', { ...SENT, state: 'rejected' })],
      [0],
      true,
    ],
    [
      'is not added where what takes it back has certainly had no effect',
      [op('takeBackReport', { ...SENT, attempts: 5, refusals: 5, state: 'needs_attention' })],
      [0],
      false,
    ],
    [
      'is sent where what takes it back may have had an effect',
      [op('takeBackReport', { ...SENT, attempts: 5, refusals: 4, state: 'needs_attention' })],
      [0],
      true,
    ],
  ])('%s', (_, earlier, removed, isAdded) => {
    expect(queueVisibilityChange(REPORT, PAYLOAD, earlier)).toEqual({
      removes: removed.map((nth) => earlier[nth]),
      adds: isAdded ? ADDED : null,
    });
  });
});

test('a maker has one key, however the name is written', () => {
  expect(makerKey('Mara.Lind')).toBe('maker mara.lind');
});
