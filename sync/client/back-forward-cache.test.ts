import type { Transaction } from 'dexie';
import { forceCloseDatabase } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Op } from '#sync/operations/registry.ts';
import {
  type EngineHarness,
  engineHarness,
  userSessionOf,
  VOTE_ROUTE,
} from '#sync/testing/engine-harness.ts';
import { noResponse, type Reply } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { watchPageEvents } from './browser.ts';
import type { Engine } from './engine.ts';

let device: EngineHarness;
let engine: Engine;
let window: EventTarget;

beforeEach(async () => {
  device = engineHarness();
  window = new EventTarget();
  vi.stubGlobal('window', window);
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  engine = device.newEngine();
  watchPageEvents(engine);
  await engine.start();
  await settled();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/**
 * Acts as WebKit when it puts a page into the back/forward cache: closes database connections and aborts their transactions.
 */
function suspendPage(transaction?: Transaction): void {
  transaction?.abort();
  // The type of `forceCloseDatabase` expects the class instead of an instance.
  forceCloseDatabase(userSessionOf(engine).db.backendDB() as never);
}

function restorePage(): void {
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
}

test('a page restored from the back/forward cache reopens its database and sends waiting ops', async () => {
  const accept = device.routes[VOTE_ROUTE] as Reply;
  device.routes[VOTE_ROUTE] = noResponse;
  await engine.queue(newVote(POLL_ID, 1));
  await settled();
  device.routes[VOTE_ROUTE] = accept;
  const { db } = userSessionOf(engine);
  suspendPage();
  expect(db.isOpen()).toBe(false);
  restorePage();
  await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
  expect(device.sent.filter((route) => route === VOTE_ROUTE)).toHaveLength(2);
  expect(userSessionOf(engine).db).toBe(db);
});

test('a page that was suspended while it stored a response sends the op again once it is restored', async () => {
  const { db } = userSessionOf(engine);
  const suspendOnce = (_seq: number, _op: Op, transaction: Transaction) => {
    db.ops.hook('deleting').unsubscribe(suspendOnce);
    suspendPage(transaction);
  };
  db.ops.hook('deleting', suspendOnce);
  await engine.queue(newVote(POLL_ID, 1));
  await settled();
  expect(await db.ops.count()).toBe(1);
  restorePage();
  await vi.waitFor(async () => expect(await db.ops.count()).toBe(0));
  expect(device.sent.filter((route) => route === VOTE_ROUTE)).toHaveLength(2);
});
