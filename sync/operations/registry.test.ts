import { expect, test } from 'vitest';
import { laneOf, type Op } from './registry.ts';

const lane = (type: string, schemaVersion: number) =>
  laneOf({ type, schemaVersion } as Pick<Op, 'type' | 'schemaVersion'>);

test('votes and polls have lanes of their own, in the versions that this app knows', () => {
  expect([lane('vote', 0), lane('vote', 1), lane('createPoll', 1)]).toEqual(['votes', 'votes', 'creations']);
});

test('what only a newer version of the app knows has none', () => {
  expect([lane('vote', 2), lane('comment', 1)]).toEqual([undefined, undefined]);
});
