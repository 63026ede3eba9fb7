import { expect, test } from 'vitest';
import { connectionWords } from './connection-words.ts';

function waiting(count: number) {
  return { waiting: count, needsYou: 0 };
}

test('nothing is said while all is well, or while nothing is known yet', () => {
  expect(connectionWords({ phase: 'checking' }, waiting(3))).toBeNull();
  expect(connectionWords({ phase: 'connected' }, waiting(3))).toBeNull();
});

test('trouble names the try and what waits', () => {
  expect(connectionWords({ phase: 'disconnected', attempt: 2 }, waiting(3))).toEqual({
    title: 'Connection Issue',
    text: 'Try 2 of 5',
    outbox: '3 changes waiting',
  });
  expect(connectionWords({ phase: 'disconnected', attempt: 1 }, waiting(0))?.outbox).toBeNull();
  expect(connectionWords({ phase: 'disconnected', attempt: 0 }, waiting(1))).toMatchObject({
    text: 'Trying again',
    outbox: '1 change waiting',
  });
});

test('after the last try it says what can be done', () => {
  expect(connectionWords({ phase: 'failed' }, waiting(1))).toEqual({
    title: 'Connection Failed',
    text: 'Unable to connect to the server. Please try refreshing the page.',
    outbox: '1 change waiting',
  });
});

test('back again it says what is being sent', () => {
  expect(connectionWords({ phase: 'restored' }, waiting(3))).toMatchObject({
    title: 'Connection Restored',
    text: 'Sending 3 changes now.',
  });
  expect(connectionWords({ phase: 'restored' }, waiting(0))?.text).toBe('Everything is sent.');
});

test('back again it does not say that all is sent when something came back', () => {
  expect(connectionWords({ phase: 'restored' }, { waiting: 0, needsYou: 1 })).toEqual({
    title: 'Connection Restored',
    text: 'Not everything was taken',
    outbox: '1 change to look at',
  });
  expect(connectionWords({ phase: 'restored' }, { waiting: 2, needsYou: 1 })?.text).toBe(
    'Sending 2 changes now.',
  );
});

test('while nobody is logged in it does not say that everything is sent', () => {
  expect(connectionWords({ phase: 'restored' }, null)).toEqual({
    title: 'Connection Restored',
    text: null,
    outbox: null,
  });
});
