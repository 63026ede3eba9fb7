import { beforeEach, expect, test, vi } from 'vitest';
import { DATABASE_TIMEOUT_MS } from '#sync/client/timeout.ts';
import type { DrainHarness } from '#sync/testing/drain-harness.ts';
import { type DrainerHarness, drainerHarness, IDLE_DRAIN_DELAY_MS } from '#sync/testing/drainer-harness.ts';
import { noResponse } from '#sync/testing/fake-transport.ts';
import { POLL_ID } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';

let tab: DrainerHarness;
let device: DrainHarness;

beforeEach(async () => {
  tab = await drainerHarness();
  device = tab.device;
});

/**
 * Makes `method` of the next query with `where(…).equals(…)` on the queue never settle. Queries with `anyOf`, such as those that
 * store the outcome of a request, still work.
 */
function hangNext(method: 'count' | 'modify') {
  const hung = vi.fn(() => new Promise(() => {}));
  const where = device.db.ops.where.bind(device.db.ops);
  vi.spyOn(device.db.ops, 'where').mockImplementation(((index: string) => {
    const clause = where(index);
    const equals = clause.equals.bind(clause);
    clause.equals = (key) => {
      const collection = equals(key);
      const hang = () => {
        vi.mocked(device.db.ops.where).mockRestore();
        return hung();
      };
      return Object.assign(collection, { [method]: hang });
    };
    return clause;
  }) as never);
  return hung;
}

/** Expects a second attempt even though a database call after the first attempt never settles. */
async function expectSentAgain(sent: readonly unknown[], hung: () => unknown): Promise<void> {
  await vi.waitFor(() => expect(hung).toHaveBeenCalled());
  await settled();
  device.clock.advance(DATABASE_TIMEOUT_MS);
  await settled();
  device.clock.advance(IDLE_DRAIN_DELAY_MS);
  await vi.waitFor(() => expect(sent).toHaveLength(2));
}

test('postponed ops are sent when the browser comes online, even if making them due in the database hangs', async () => {
  await device.voteOn(POLL_ID);
  let hung = () => {};
  const { drainer, sent } = tab.drainerWith([
    () => {
      drainer.drainAllAfterSignal();
      hung = hangNext('modify');
      return 'no_response';
    },
    device.applied(),
  ]);
  drainer.drain('votes');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  await expectSentAgain(sent, hung);
});

test('waiting ops are sent after a login even if moving them to `blocked_auth` never settles', async () => {
  await device.voteOn(POLL_ID);
  let hung = () => {};
  const { drainer, sent } = tab.drainerWith([
    () => {
      tab.logIn({ needsLogin: true });
      hung = hangNext('modify');
      return 'no_response';
    },
    device.applied(),
  ]);
  drainer.drain('votes');
  await vi.waitFor(() => expect(hung).toHaveBeenCalled());
  tab.logIn();
  await expectSentAgain(sent, hung);
});

test('blocked ops lead to a session check even if an earlier query for them never settled', async () => {
  await device.voteOn(POLL_ID);
  await device.db.ops.toCollection().modify({ state: 'blocked_auth' });
  const { drainer } = tab.drainerWith([noResponse]);
  drainer.drain('votes');
  await tab.expectNextDrainsIn(IDLE_DRAIN_DELAY_MS);
  const hung = hangNext('count');
  device.clock.advance(IDLE_DRAIN_DELAY_MS);
  await settled();
  expect(hung).toHaveBeenCalled();
  // The first drain ends the hanging query by its timeout, the second one repeats the query.
  for (let drains = 0; drains < 2; drains += 1) {
    device.clock.advance(IDLE_DRAIN_DELAY_MS);
    await settled();
  }
  expect(tab.calls.checkSession).toHaveBeenCalled();
});
