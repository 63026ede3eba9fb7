import { expect, test } from 'vitest';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { VoteOp } from '#sync/operations/registry.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { createOutcomeRelay } from './outcome-relay.ts';

const SECOND_MS = 1_000;
const USER_ID = 100;

const op: VoteOp = {
  seq: 1,
  opId: 'op-1',
  userId: USER_ID,
  schemaVersion: 1,
  type: 'vote',
  payload: { pollId: POLL_ID, option: 2 },
  entityId: POLL_ID,
  state: 'queued',
  attempts: 0,
  nextAttemptAt: 0,
  leaseOwner: null,
  leaseUntil: 0,
  lastError: null,
  createdAt: 0,
};
const APPLIED: EngineEvent = { type: 'applied', op, poll: null, isNew: true };

/** A device to which tabs can be added, visible or hidden, each of one user. `shown` lists the events that a tab has shown. */
function device() {
  const clock = fakeClock();
  const listeners: ((message: unknown) => void)[] = [];
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  return {
    clock,
    /** Posts a message of another version of the app to all tabs. */
    say(message: unknown) {
      for (const listener of listeners) listener(message);
    },
    addTab(isSeen: boolean, userId = USER_ID) {
      const shown: EngineEvent[] = [];
      const tab = { isSeen, shown, tell: (_event: EngineEvent) => {} };
      let own = (_message: unknown) => {};
      const channel = {
        post(message: unknown) {
          for (const listener of listeners) if (listener !== own) listener(message);
        },
        listen(listener: (message: unknown) => void) {
          own = listener;
          listeners.push(listener);
        },
      };
      const canShow = (id: number) => tab.isSeen && id === userId;
      tab.tell = createOutcomeRelay({ channel, clock, newId, canShow, show: (event) => shown.push(event) });
      return tab;
    },
  };
}

test('a visible tab shows its own outcomes, and no other tab does', () => {
  const { addTab, clock } = device();
  const [seen, hidden, other] = [addTab(true), addTab(false), addTab(true)];
  seen.tell(APPLIED);
  clock.advance(SECOND_MS);
  expect([seen.shown, hidden.shown, other.shown]).toEqual([[APPLIED], [], []]);
});

test('an outcome of a hidden tab is shown once, by a visible tab', () => {
  const { addTab, clock } = device();
  const tabs = [addTab(false), addTab(false), addTab(true), addTab(true)] as const;
  tabs[0].tell(APPLIED);
  clock.advance(SECOND_MS);
  expect(tabs.map(({ shown }) => shown.length)).toEqual([0, 0, 1, 0]);
});

test('a hidden tab shows its outcome itself when no visible tab belongs to the user', () => {
  const { addTab, clock } = device();
  const [hidden, other, otherUser] = [addTab(false), addTab(false), addTab(true, 7)];
  hidden.tell(APPLIED);
  expect(hidden.shown).toEqual([]);
  clock.advance(SECOND_MS);
  expect([hidden.shown, other.shown, otherUser.shown]).toEqual([[APPLIED], [], []]);
});

test('an outcome that two tabs report is shown once', () => {
  const { addTab, clock } = device();
  const [hidden, seen] = [addTab(false), addTab(true)];
  const delayed: EngineEvent = { type: 'delayed', op };
  seen.tell(delayed);
  hidden.tell(delayed);
  hidden.tell(APPLIED);
  clock.advance(SECOND_MS);
  expect([hidden.shown, seen.shown]).toEqual([[], [delayed, APPLIED]]);
});

test('messages of other versions of the app are ignored', () => {
  const { addTab, clock, say } = device();
  const tab = addTab(true);
  say({ kind: 'later', to: 'id-1', userId: USER_ID, event: APPLIED });
  clock.advance(SECOND_MS);
  expect(tab.shown).toEqual([]);
});
