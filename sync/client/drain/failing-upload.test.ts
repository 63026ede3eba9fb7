import { beforeEach, describe, expect, test } from 'vitest';
import { makeDue, queuePoll, resetOpBackoff } from '#sync/client/outbox/outbox.ts';
import { keepsFailing } from '#sync/client/outbox/retry.ts';
import { type DrainHarness, drainHarness } from '#sync/testing/drain-harness.ts';
import { json, noResponse, type Reply, scriptedTransport } from '#sync/testing/fake-transport.ts';
import { sampleDraft } from '#sync/testing/samples.ts';
import { drainLane } from './drain.ts';

let device: DrainHarness;

beforeEach(async () => {
  device = await drainHarness();
});

describe('a poll whose upload keeps failing', () => {
  const gatewayError = json(413, null, { 'Idempotency-Key': '' });

  /** Drains repeatedly until `seconds` have passed. Resolves with the time of each attempt in seconds. */
  async function attemptsWithin(seconds: number, reply: Reply): Promise<number[]> {
    const startedAt = device.clock.now();
    const attempts: number[] = [];
    const { transport } = scriptedTransport((request) => {
      attempts.push((device.clock.now() - startedAt) / 1000);
      return reply(request);
    });
    const context = device.context(transport);
    while (device.clock.now() < startedAt + seconds * 1000) {
      const waitMs = await drainLane(context, 'creations');
      // The shortest and the longest time between two drains, as in `createDrainer`.
      device.clock.advance(Math.min(Math.max(waitMs ?? 0, 50), 30_000));
      // The app does this whenever the page becomes visible.
      await resetOpBackoff(device.db);
    }
    return attempts;
  }

  beforeEach(() => queuePoll(device.db, device.userId, sampleDraft(), device.clock.now()));

  test('is retried at growing intervals of up to an hour', async () => {
    const attempts = await attemptsWithin(8 * 3_600, gatewayError);
    const pauseSeconds = attempts.slice(1).map((attemptAt, index) => attemptAt - (attempts[index] ?? 0));
    expect(attempts.length).toBeLessThan(25);
    expect(pauseSeconds).toEqual(pauseSeconds.toSorted((a, b) => a - b));
    expect(Math.max(...pauseSeconds.slice(0, 3))).toBeLessThanOrEqual(30);
    // An op is sent by the first drain after it is due, which starts up to 30 s later.
    expect(pauseSeconds.at(-1)).toBeGreaterThanOrEqual(3_600);
    expect(pauseSeconds.at(-1)).toBeLessThanOrEqual(3_630);
    const [op] = await device.db.ops.toArray();
    expect(op).toMatchObject({ state: 'queued' });
    expect(op !== undefined && keepsFailing(op)).toBe(true);
  });

  test('is recognised after uploads that take too long', async () => {
    const slowFailure: Reply = () => {
      device.clock.advance(120_000);
      return 'no_response';
    };
    await attemptsWithin(3_600, slowFailure);
    expect((await device.db.ops.toArray()).map(keepsFailing)).toEqual([true]);
  });

  test('is distinguished from a poll that only lacks a network', async () => {
    await attemptsWithin(600, noResponse);
    expect((await device.db.ops.toArray()).map(keepsFailing)).toEqual([false]);
  });

  test('is due at once if the user retries it or the server is reachable again', async () => {
    await attemptsWithin(3_600, gatewayError);
    const [op] = await device.db.ops.toArray();
    const { transport, sent } = scriptedTransport(gatewayError);
    await drainLane(device.context(transport), 'creations');
    expect(sent).toHaveLength(0);
    await makeDue(device.db, op?.opId ?? '');
    await drainLane(device.context(transport), 'creations');
    expect(sent).toHaveLength(1);
    await resetOpBackoff(device.db, { wasUnreachable: true });
    await drainLane(device.context(transport), 'creations');
    expect(sent).toHaveLength(2);
  });

  test('does not delay the next poll', async () => {
    await attemptsWithin(3_600, gatewayError);
    await queuePoll(device.db, device.userId, sampleDraft({ question: 'Next?' }), device.clock.now());
    const { transport, sent } = scriptedTransport(device.applied());
    await drainLane(device.context(transport), 'creations');
    expect(sent.map(({ body }) => (body as FormData).get('question'))).toEqual(['Next?']);
  });
});
