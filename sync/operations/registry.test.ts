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
  const operation = operationOf({ type: 'vote', schemaVersion: 2 });
  const view = { poll: samplePoll(), vote: null, voteOp: null, createOp: null };
  expect(operation.overlay(view, {} as Op, true)).toBe(view);
  expect(operation.visibilityChange).toBeNull();
  expect(operation.points({})).toEqual({ earned: 0, spent: 0 });
  expect(operation).not.toHaveProperty('queue');
  expect(operation).toMatchObject({
    newPoll: null,
    dropsMissingPoll: false,
    marksRead: null,
    changesPolls: false,
  });
  expect(() => operation.request({})).toThrow('Update the app to send this');
});
