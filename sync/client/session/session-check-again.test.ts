import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { json, noResponse } from '#sync/testing/fake-transport.ts';
import { sampleUser } from '#sync/testing/samples.ts';
import { type SessionHarness, sessionHarness } from '#sync/testing/session-harness.ts';
import { settled } from '#sync/testing/settled.ts';
import { checkUser, startSession } from './session.ts';
import { createSessionCheck } from './session-check.ts';

const RECHECK_DELAY_MS = 10_000;
const user = sampleUser({ id: 7_000 });

let tab: SessionHarness;
let clock: ReturnType<typeof fakeClock>;
let onChecked: ReturnType<typeof vi.fn<() => void>>;
let checkSession: ReturnType<typeof createSessionCheck>;

beforeEach(() => {
  tab = sessionHarness();
  clock = fakeClock();
  tab.context.clock = clock;
  onChecked = vi.fn<() => void>();
  checkSession = createSessionCheck(tab.context, onChecked, checkUser);
});

describe('a tab without a working session', () => {
  test('repeats the session check every 10 seconds until there is a response', async () => {
    const sent = tab.answer(noResponse, noResponse, json(200, user));
    await checkSession();
    expect(clock.delays()).toEqual([RECHECK_DELAY_MS]);
    clock.advance(RECHECK_DELAY_MS);
    await vi.waitFor(() => expect(clock.delays()).toEqual([RECHECK_DELAY_MS]));
    clock.advance(RECHECK_DELAY_MS);
    await vi.waitFor(() => expect(onChecked).toHaveBeenCalledTimes(3));
    expect(tab.current().user.id).toBe(user.id);
    expect(clock.delays()).toEqual([]);
    expect(sent).toHaveLength(3);
  });

  test('has only one timer after several failed checks', async () => {
    tab.answer(noResponse);
    await checkSession();
    await checkSession();
    await Promise.all([checkSession(), checkSession()]);
    expect(clock.delays()).toEqual([RECHECK_DELAY_MS]);
  });

  test('does not repeat the check after a successful one', async () => {
    tab.answer(noResponse, json(200, user));
    await checkSession();
    await checkSession();
    expect(clock.delays()).toEqual([]);
  });
});

test('a tab with a user repeats a failed check only if the session has ended', async () => {
  await startSession(tab.context, user);
  tab.answer(noResponse);
  await checkSession();
  expect(clock.delays()).toEqual([]);
  expect(onChecked).toHaveBeenCalledOnce();
  tab.context.session.set({ ...tab.current(), needsLogin: true });
  await checkSession();
  expect(clock.delays()).toEqual([RECHECK_DELAY_MS]);
});

describe('a session check that waits for a blocked database', () => {
  const neverSettle = () => new Promise<boolean>(() => {});

  test('sets `storage_blocked` after 45 seconds and is repeated', async () => {
    const checking = checkSession(neverSettle);
    clock.advance(44_999);
    await settled();
    expect(tab.context.session.get().status).toBe('loading');
    clock.advance(1);
    await checking;
    expect(tab.context.session.get().status).toBe('storage_blocked');
    expect(clock.delays()).toEqual([RECHECK_DELAY_MS]);
    expect(onChecked).toHaveBeenCalledOnce();
  });

  test('does not affect a user who is already shown', async () => {
    await startSession(tab.context, user);
    const checking = checkSession(neverSettle);
    clock.advance(45_000);
    await checking;
    expect(tab.context.session.get().status).toBe('user');
  });

  test('does not set `storage_blocked` if the check fails for another reason', async () => {
    await expect(checkSession(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(tab.context.session.get().status).toBe('loading');
  });
});
