import { expect, test } from 'vitest';
import type { EngineEvent } from '#sync/client/emitter.ts';
import type { VoteOp } from '#sync/operations/registry.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { createOutcomeRelay } from './outcome-relay.ts';

const SECOND_MS = 1_000;
const USER_ID = 100;
const OTHER_USER_ID = 7;

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

/** A device to which tabs can be added. */
function newDevice() {
  const clock = fakeClock();
  const listeners: ((message: unknown) => void)[] = [];
  /** Tabs and offers are numbered in the order of their creation. */
  let idCount = 0;
  const newId = () => {
    idCount += 1;
    return `id-${idCount}`;
  };
  return {
    clock,
    /** Posts a message to all tabs. */
    broadcast(message: unknown) {
      for (const listener of listeners) listener(message);
    },
    /**
     * Adds a tab. `relay` passes an outcome of the tab to its relay, `shown` lists the events that the tab has shown, and
     * `setUser` logs another user in.
     */
    addTab({ isVisible, userId = USER_ID }: { isVisible: boolean; userId?: number }) {
      let currentUserId = userId;
      const shown: EngineEvent[] = [];
      let ownListener = (_message: unknown) => {};
      const channel = {
        post(message: unknown) {
          for (const listener of listeners) if (listener !== ownListener) listener(message);
        },
        listen(listener: (message: unknown) => void) {
          ownListener = listener;
          listeners.push(listener);
        },
      };
      const relay = createOutcomeRelay({
        channel,
        clock,
        newId,
        isVisible: () => isVisible,
        hasUser: (id) => id === currentUserId,
        show: (event) => shown.push(event),
      });
      const setUser = (id: number) => {
        currentUserId = id;
      };
      return { shown, relay, setUser };
    },
  };
}

test('a visible tab shows its own outcomes, and no other tab does', () => {
  const { addTab, clock } = newDevice();
  const visibleTab = addTab({ isVisible: true });
  const otherTabs = [addTab({ isVisible: false }), addTab({ isVisible: true })];
  visibleTab.relay(APPLIED);
  clock.advance(SECOND_MS);
  expect(visibleTab.shown).toEqual([APPLIED]);
  expect(otherTabs.map(({ shown }) => shown)).toEqual([[], []]);
});

test('an outcome of a hidden tab is shown once, by a visible tab', () => {
  const { addTab, clock } = newDevice();
  const newTab = (isVisible: boolean) => addTab({ isVisible });
  const tabs = [newTab(false), newTab(false), newTab(true), newTab(true)] as const;
  tabs[0].relay(APPLIED);
  clock.advance(SECOND_MS);
  expect(tabs.map(({ shown }) => shown.length)).toEqual([0, 0, 1, 0]);
});

test('a hidden tab shows its own outcome if no visible tab belongs to the user', () => {
  const { addTab, clock } = newDevice();
  const hiddenTab = addTab({ isVisible: false });
  const otherTabs = [addTab({ isVisible: false }), addTab({ isVisible: true, userId: OTHER_USER_ID })];
  hiddenTab.relay(APPLIED);
  expect(hiddenTab.shown).toEqual([]);
  clock.advance(SECOND_MS);
  expect(hiddenTab.shown).toEqual([APPLIED]);
  expect(otherTabs.map(({ shown }) => shown)).toEqual([[], []]);
});

test('an outcome that two tabs relay is shown once', () => {
  const { addTab, clock } = newDevice();
  const [hiddenTab, visibleTab] = [addTab({ isVisible: false }), addTab({ isVisible: true })];
  const delayed: EngineEvent = { type: 'delayed', op };
  visibleTab.relay(delayed);
  hiddenTab.relay(delayed);
  hiddenTab.relay(APPLIED);
  clock.advance(SECOND_MS);
  expect([hiddenTab.shown, visibleTab.shown]).toEqual([[], [delayed, APPLIED]]);
});

test('an outcome is not shown to another user who has logged in since', () => {
  const { addTab, clock, broadcast } = newDevice();
  const hiddenTab = addTab({ isVisible: false });
  hiddenTab.relay(APPLIED);
  hiddenTab.setUser(OTHER_USER_ID);
  clock.advance(SECOND_MS);
  expect(hiddenTab.shown).toEqual([]);

  const visibleTab = addTab({ isVisible: true, userId: OTHER_USER_ID });
  // The first two ids are those of the hidden tab and its offer.
  const visibleTabId = 'id-3';
  // The tab had responded to an offer when its user was still logged in.
  broadcast({ kind: 'tell', to: visibleTabId, event: APPLIED });
  expect(visibleTab.shown).toEqual([]);
  visibleTab.setUser(USER_ID);
  broadcast({ kind: 'tell', to: visibleTabId, event: APPLIED });
  expect(visibleTab.shown).toEqual([APPLIED]);
});

test('messages of other versions of the app are ignored', () => {
  const { addTab, clock, broadcast } = newDevice();
  const tab = addTab({ isVisible: true });
  broadcast({ kind: 'later', to: 'id-1', userId: USER_ID, event: APPLIED });
  clock.advance(SECOND_MS);
  expect(tab.shown).toEqual([]);
});
