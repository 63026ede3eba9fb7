import { describe, expect, test } from 'vitest';
import type { ConnectionState } from '#sync/client/connection.ts';
import type { Op } from '#sync/operations/registry.ts';
import { countChanges, connectionMessage as messageFor } from './connection-message.ts';

const connectionMessage = (state: ConnectionState, counts: ReturnType<typeof waiting>) =>
  messageFor(state, counts, true);

function waiting(count: number) {
  return { waiting: count, needsDecision: 0, postponed: 0 };
}

test('there is no message while connected or before the first check has ended', () => {
  expect(connectionMessage({ phase: 'checking' }, waiting(3))).toBeNull();
  expect(connectionMessage({ phase: 'connected' }, waiting(3))).toBeNull();
});

test('while disconnected, the message names the attempt and the number of waiting changes', () => {
  expect(connectionMessage({ phase: 'disconnected', attempt: 2 }, waiting(3))).toEqual({
    title: 'Connection Issue',
    text: 'Reconnecting, attempt 2 of 5',
    outbox: '3 changes waiting',
  });
  expect(connectionMessage({ phase: 'disconnected', attempt: 1 }, waiting(0))?.outbox).toBeNull();
  expect(connectionMessage({ phase: 'disconnected', attempt: 0 }, waiting(1))).toMatchObject({
    text: 'Reconnecting',
    outbox: '1 change waiting',
  });
});

test('after the last attempt, the message suggests a refresh', () => {
  expect(connectionMessage({ phase: 'failed' }, waiting(1))).toEqual({
    title: 'Connection Failed',
    text: 'Unable to connect to the server. Please try refreshing the page.',
    outbox: '1 change waiting',
  });
});

test('once restored, the message says how many changes are being sent, or that none are left', () => {
  expect(connectionMessage({ phase: 'restored' }, waiting(3))).toMatchObject({
    title: 'Connection Restored',
    text: 'Sending 3 changes now.',
  });
  expect(connectionMessage({ phase: 'restored' }, waiting(0))?.text).toBe('Everything has been sent.');
});

test('once restored, the message does not say that everything has been sent if changes were refused', () => {
  expect(connectionMessage({ phase: 'restored' }, { ...waiting(0), needsDecision: 1 })).toEqual({
    title: 'Connection Restored',
    text: 'Some changes were refused',
    outbox: '1 change to review',
  });
  expect(connectionMessage({ phase: 'restored' }, { ...waiting(2), needsDecision: 1 })?.text).toBe(
    'Sending 2 changes now.',
  );
});

test('once restored, the message counts no change that has to wait longer', () => {
  expect(connectionMessage({ phase: 'restored' }, { ...waiting(3), postponed: 1 })?.text).toBe(
    'Sending 2 changes now.',
  );
  expect(connectionMessage({ phase: 'restored' }, { ...waiting(3), postponed: 3 })).toEqual({
    title: 'Connection Restored',
    text: 'Some changes cannot be sent yet',
    outbox: '3 changes waiting',
  });
  expect(
    connectionMessage({ phase: 'restored' }, { ...waiting(3), needsDecision: 1, postponed: 3 })?.text,
  ).toBe('Some changes were refused');
});

describe('a change has to wait longer', () => {
  const op = (changes: Partial<Op>) =>
    ({ schemaVersion: 1, state: 'queued', lastError: null, ...changes }) as Op;
  const countPostponed = (...waiting: Op[]) => countChanges({ needsDecision: [], waiting }).postponed;

  test('if it, or an earlier one about the same poll, waits for the limit of votes', () => {
    const lastError = { status: 429, code: 'vote_limit', message: '' } as const;
    const limited = op({ type: 'vote', entityId: 'a', lastError });
    const later = op({ type: 'changeVote', entityId: 'a' });
    const report = op({ type: 'report', entityId: 'a' });
    expect(countPostponed(limited, later, report, op({ type: 'vote', entityId: 'b' }))).toBe(2);
  });

  test('but not if its upload keeps failing, as the restored connection retries it', () => {
    expect(countPostponed(op({ type: 'createPoll', entityId: 'a', failedUploads: 9 }))).toBe(0);
  });
});

test.each([0, 3])(
  'once restored, the message does not say that anything was or is being sent while nobody is logged in (%i waiting)',
  (count) => {
    expect(messageFor({ phase: 'restored' }, waiting(count), false)).toEqual({
      title: 'Connection Restored',
      text: null,
      outbox: null,
    });
  },
);
