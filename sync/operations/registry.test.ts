import { expect, test } from 'vitest';
import { samplePoll } from '#sync/testing/samples.ts';
import { laneOf, type Op, operationOf } from './registry.ts';

const lane = (type: string, schemaVersion: number) =>
  laneOf({ type, schemaVersion } as Pick<Op, 'type' | 'schemaVersion'>);

test('votes and polls of known versions have different lanes', () => {
  expect([lane('vote', 0), lane('vote', 1), lane('createPoll', 1)]).toEqual(['votes', 'votes', 'creations']);
});

test('ops unknown to this version have no lane', () => {
  expect([lane('vote', 2), lane('comment', 1)]).toEqual([undefined, undefined]);
});

test('the operation of an op that only a newer version of the app knows has no effects', () => {
  const newer = operationOf({ type: 'vote', schemaVersion: 2 });
  const view = { poll: samplePoll(), vote: null, voteOp: null, createOp: null };
  expect(newer.overlay(view, {} as Op, true)).toBe(view);
  expect(newer.visibilityChange).toBeNull();
  expect(newer.points({})).toEqual({ earned: 0, spent: 0 });
  expect(newer).not.toHaveProperty('queue');
  expect(newer).toMatchObject({ newPoll: null, dropsMissingPoll: false });
  expect(() => newer.request({})).toThrow('newer version');
});
