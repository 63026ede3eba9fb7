import { expect, test } from 'vitest';
import { connectionWords } from './connection-words.ts';

test('nothing is said while all is well, or while nothing is known yet', () => {
  expect(connectionWords({ phase: 'checking' }, 3)).toBeNull();
  expect(connectionWords({ phase: 'connected' }, 3)).toBeNull();
});

test('trouble names the try and what waits', () => {
  expect(connectionWords({ phase: 'disconnected', attempt: 2 }, 3)).toEqual({
    title: 'Connection Issue',
    text: 'Try 2 of 5',
    waiting: '3 changes waiting',
  });
  expect(connectionWords({ phase: 'disconnected', attempt: 1 }, 0)?.waiting).toBeNull();
  expect(connectionWords({ phase: 'disconnected', attempt: 0 }, 1)).toMatchObject({
    text: 'Trying again',
    waiting: '1 change waiting',
  });
});

test('after the last try it says what can be done', () => {
  expect(connectionWords({ phase: 'failed' }, 1)).toEqual({
    title: 'Connection Failed',
    text: 'Unable to connect to the server. Please try refreshing the page.',
    waiting: '1 change waiting',
  });
});

test('back again it says what is being sent', () => {
  expect(connectionWords({ phase: 'restored' }, 3)).toMatchObject({
    title: 'Connection Restored',
    text: 'Sending 3 changes now.',
  });
  expect(connectionWords({ phase: 'restored' }, 0)?.text).toBe('Everything is sent.');
});
