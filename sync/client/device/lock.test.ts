import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClock, fakeClock } from '#sync/testing/fake-clock.ts';
import { settled } from '#sync/testing/settled.ts';
import { holdLock } from './hold-lock.ts';
import { browserLock, localLock, stopSending } from './lock.ts';

type WebLock = { name: string } | null;
type Job = (lock: WebLock) => Promise<unknown>;

/** A lock manager in which another tab holds the locks `held`. It responds to requests once `ready` is resolved. */
function webLocks(held: string[] = [], ready: Promise<void> = Promise.resolve()) {
  const request = vi.fn(async (name: string, _options: unknown, job: Job) => {
    await ready;
    await job(held.includes(name) ? null : { name });
  });
  const query = vi.fn(async (): Promise<unknown> => ({ held: held.map((name) => ({ name })), pending: [] }));
  return { request, query };
}

let clock: FakeClock;

beforeEach(() => {
  clock = fakeClock();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

function lockOf(locks: unknown) {
  vi.stubGlobal('navigator', { locks });
  return browserLock(clock);
}

describe('a Web Lock', () => {
  test('is requested with `ifAvailable`, and the job runs once', async () => {
    const locks = webLocks();
    const lock = lockOf(locks);
    const job = vi.fn(async () => {});
    expect(lock.spansTabs).toBe(true);
    expect(await lock.run('a', job)).toBe(true);
    expect(job).toHaveBeenCalledOnce();
    expect(locks.request).toHaveBeenCalledWith('a', { ifAvailable: true }, expect.any(Function));
    expect(clock.delays()).toEqual([]);
  });

  test('does not run the job while another tab holds it', async () => {
    const job = vi.fn(async () => {});
    expect(await lockOf(webLocks(['a'])).run('a', job)).toBe(false);
    expect(job).not.toHaveBeenCalled();
  });

  test('does not run the job again if the browser grants it after the timeout', async () => {
    const responseGate = Promise.withResolvers<void>();
    const locks = webLocks([], responseGate.promise);
    const job = vi.fn(async () => {});
    const running = lockOf(locks).run('a', job);
    clock.advance(4_999);
    await settled();
    expect(job).not.toHaveBeenCalled();
    clock.advance(1);
    expect(await running).toBe(true);
    responseGate.resolve();
    await Promise.all(locks.request.mock.results.map(({ value }) => value));
    expect(job).toHaveBeenCalledOnce();
  });

  test('runs one job at a time in this tab even if the browser does not respond', async () => {
    const lock = lockOf(webLocks([], new Promise(() => {})));
    void lock.run('a', () => new Promise(() => {}));
    const secondRun = lock.run('a', async () => {});
    clock.advance(5_000);
    expect(await secondRun).toBe(false);
  });

  test('rejects if the job fails', async () => {
    const running = lockOf(webLocks()).run('a', () => Promise.reject(new Error('failed')));
    await expect(running).rejects.toThrow('failed');
  });

  test('is listed among the held locks', async () => {
    expect(await lockOf(webLocks(['a', 'b'])).heldNames()).toEqual(new Set(['a', 'b']));
  });

  test.each([
    ['no held locks', {}],
    ['a held lock without a name', { held: [{}] }],
  ])('is not listed if the browser reports %s', async (_case, snapshot) => {
    const locks = { ...webLocks(), query: async () => snapshot };
    expect(await lockOf(locks).heldNames()).toEqual(new Set());
  });
});

test.each([
  ['without Web Locks', {}],
  ['without `navigator`', undefined],
])('%s, locks within this tab are used', async (_case, navigator) => {
  vi.stubGlobal('navigator', navigator);
  const lock = browserLock(clock);
  expect(lock.spansTabs).toBe(false);
  expect(await lock.run('a', async () => {})).toBe(true);
});

describe('a lock within this tab', () => {
  test('is held by one job at a time, and listed while it is held', async () => {
    const lock = localLock();
    let hasRunTwice: boolean | null = null;
    await lock.run('a', async () => {
      hasRunTwice = await lock.run('a', async () => {});
      expect(await lock.run('b', async () => {})).toBe(true);
      expect(await lock.heldNames()).toEqual(new Set(['a']));
    });
    expect(hasRunTwice).toBe(false);
    expect(await lock.heldNames()).toEqual(new Set());
  });

  test('is free again after a failed job', async () => {
    const lock = localLock();
    await expect(lock.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await lock.run('a', async () => {})).toBe(true);
  });
});

describe('a page that is about to reload', () => {
  test('requests the locks of both lanes', async () => {
    const heldNames: string[] = [];
    const request = vi.fn((name: string, _options: unknown, hold: () => Promise<unknown>) => {
      heldNames.push(name);
      return hold();
    });
    vi.stubGlobal('navigator', { locks: { request } });
    await stopSending(7, 1_000);
    expect(heldNames).toEqual(['drain:7:votes', 'drain:7:creations']);
  });

  test('waits for a lock no longer than the timeout', async () => {
    const request = (_name: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    vi.stubGlobal('navigator', { locks: { request } });
    expect(await holdLock('a', 10)).toBe(false);
  });

  test('does not wait in a browser without Web Locks', async () => {
    vi.stubGlobal('navigator', {});
    expect(await holdLock('a', 10)).toBe(true);
  });
});
