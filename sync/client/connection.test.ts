import { describe, expect, test, vi } from 'vitest';
import { HEALTH_ATTEMPTS_MAX, HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { captivePortal, json, noResponse, type Reply, scriptedTransport } from '#sync/testing/fake-transport.ts';
import type { TransportRequest } from './capabilities.ts';
import { type ConnectionState, connectionStep } from './connection.ts';
import { createConnectionMonitor, monitoredTransport } from './connection-monitor.ts';
import { NetworkFailure } from './engine-errors.ts';

const healthy = json(200, { status: 'ok', app: 'this-or-that', version: '1' });

function monitor(initial: Reply) {
  const clock = fakeClock();
  const network = { reply: initial, checks: 0, isOnline: true };
  const transport = async (request: TransportRequest) => {
    network.checks += 1;
    const response = await network.reply(request);
    if (response === 'no_response') throw new NetworkFailure('no response');
    return response;
  };
  const onRestored = vi.fn();
  const isOnline = () => network.isOnline;
  const { state, report, wentOffline } = createConnectionMonitor({ transport, clock, isOnline }, onRestored);
  const settled = () => vi.waitFor(() => new Promise((resolve) => setTimeout(resolve, 0)));
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  return { network, state, report, wentOffline, pass, settled, onRestored };
}

describe('the connection monitor', () => {
  test('checks once at the start and not again without a problem', async () => {
    const { network, state, pass, settled, onRestored } = monitor(healthy);
    expect(state.get().phase).toBe('checking');
    await settled();
    expect(state.get().phase).toBe('connected');
    await pass(600_000);
    expect(network.checks).toBe(1);
    expect(onRestored).not.toHaveBeenCalled();
  });

  test('checks every five seconds after a failure and stops after five attempts', async () => {
    const { network, state, pass, settled } = monitor(noResponse);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      expect(state.get()).toEqual({ phase: 'disconnected', attempt });
      await pass(4_999);
      expect(network.checks).toBe(attempt);
      await pass(1);
    }
    expect(state.get()).toEqual({ phase: 'failed' });
    await pass(600_000);
    expect(network.checks).toBe(5);
  });

  test("treats a captive portal's page as a failure", async () => {
    const { state, settled } = monitor(captivePortal);
    await settled();
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
  });

  test('one failed request leads to a check, not to a message', async () => {
    const { network, state, report, settled } = monitor(healthy);
    await settled();
    report('trouble');
    expect(state.get().phase).toBe('connected');
    await settled();
    expect(network.checks).toBe(2);
    expect(state.get().phase).toBe('connected');
  });

  test('responses that arrive just after the browser went offline do not hide this', async () => {
    const { network, state, report, wentOffline, pass, settled } = monitor(healthy);
    await settled();
    network.isOnline = false;
    wentOffline();
    await settled();
    expect(state.get().phase).toBe('connected');
    network.reply = noResponse;
    await pass(HEALTH_INTERVAL_MS);
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
    report('reached');
    expect(state.get().phase).toBe('restored');
    await pass(HEALTH_INTERVAL_MS);
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
  });

  test('rechecks five times while the browser claims to be offline, and no more once it is online', async () => {
    const { network, wentOffline, pass, settled } = monitor(healthy);
    await settled();
    network.isOnline = false;
    wentOffline();
    await settled();
    for (let times = 0; times < 20; times += 1) await pass(HEALTH_INTERVAL_MS);
    expect(network.checks).toBe(1 + HEALTH_ATTEMPTS_MAX);

    wentOffline();
    await settled();
    network.isOnline = true;
    for (let times = 0; times < 20; times += 1) await pass(HEALTH_INTERVAL_MS);
    expect(network.checks).toBe(2 + HEALTH_ATTEMPTS_MAX);
  });

  test('reports that it is restored for a while, and starts again when the browser comes online', async () => {
    const { network, state, report, pass, settled, onRestored } = monitor(noResponse);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) await pass(5_000);
    expect(state.get().phase).toBe('failed');
    network.reply = healthy;
    report('signal');
    await settled();
    expect(state.get().phase).toBe('restored');
    expect(onRestored).toHaveBeenCalledTimes(1);
    report('signal');
    await settled();
    await pass(4_000);
    expect(state.get().phase).toBe('connected');
  });

  test('starts five more attempts when the user requests a check', async () => {
    const { network, state, report, pass, settled } = monitor(noResponse);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) await pass(5_000);
    expect(state.get().phase).toBe('failed');
    report('signal');
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 0 });
    await settled();
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
    for (let attempt = 1; attempt <= 4; attempt += 1) await pass(5_000);
    expect(state.get().phase).toBe('failed');
    expect(network.checks).toBe(10);
  });

  test('any response restores the connection', async () => {
    const { state, report, settled } = monitor(noResponse);
    await settled();
    report('reached');
    expect(state.get().phase).toBe('restored');
  });
});

test('`restored` lasts 4 s, whenever the next check was due', async () => {
  const { state, report, pass, settled } = monitor(noResponse);
  await settled();
  await pass(2_000);
  report('reached');
  await pass(3_999);
  expect(state.get().phase).toBe('restored');
  await pass(1);
  expect(state.get().phase).toBe('connected');
});

test('only one check runs at a time', async () => {
  const { network, report, settled } = monitor(healthy);
  await settled();
  report('signal');
  report('signal');
  await settled();
  expect(network.checks).toBe(2);
});

test('listeners are called only when the state changes', async () => {
  const { state, report, settled } = monitor(healthy);
  await settled();
  const listener = vi.fn();
  state.subscribe(listener);
  report('signal');
  await settled();
  expect(listener).not.toHaveBeenCalled();
  report('trouble');
  expect(listener).toHaveBeenCalledTimes(1);
});

describe('the state machine', () => {
  const checking: ConnectionState = { phase: 'checking' };
  const connected: ConnectionState = { phase: 'connected' };
  const disconnected: ConnectionState = { phase: 'disconnected', attempt: 2 };
  const failed: ConnectionState = { phase: 'failed' };
  const restored: ConnectionState = { phase: 'restored' };

  test('`trouble` leads to a check while connected, and changes nothing otherwise', () => {
    for (const state of [connected, restored]) {
      expect(connectionStep(state, 'trouble')).toEqual({ state: connected, check: true });
    }
    for (const state of [checking, disconnected, failed]) {
      expect(connectionStep(state, 'trouble')).toBeNull();
    }
  });

  test('`signal` leads to a check, and after the last attempt to five more', () => {
    for (const state of [checking, connected, disconnected, restored]) {
      expect(connectionStep(state, 'signal')).toEqual({ state, check: true });
    }
    const newRound = { phase: 'disconnected', attempt: 0 };
    expect(connectionStep(failed, 'signal')).toEqual({ state: newRound, check: true });
  });

  test('`timer` leads to the next check, or ends `restored`', () => {
    expect(connectionStep(disconnected, 'timer')).toEqual({ state: disconnected, check: true });
    expect(connectionStep(restored, 'timer')).toEqual({ state: connected });
    for (const state of [checking, connected, failed]) expect(connectionStep(state, 'timer')).toBeNull();
  });

  test('a check that fails after the last attempt changes nothing', () => {
    expect(connectionStep(failed, 'check_failed')).toBeNull();
  });
});

describe('a request reports to the monitor', () => {
  const request: TransportRequest = { method: 'GET', path: '/', headers: {}, body: null, timeoutMs: 1 };
  const watched = (reply: Reply) => {
    const report = vi.fn();
    const { transport } = scriptedTransport(reply);
    return { report, send: () => monitoredTransport(transport, { ...monitor(healthy), report })(request) };
  };

  test.each<[event: string, response: string, reply: Reply]>([
    ['reached', 'a success', json(200, {})],
    ['reached', 'a refusal', json(499, {})],
    ['reached', 'a 304', json(304, null)],
    ['reached', 'an empty response', json(204, null)],
    ['trouble', 'an error of the server', json(500, {})],
    ['trouble', 'a captive portal’s page', captivePortal],
  ])('%s after %s', async (event, _answer, reply) => {
    const { report, send } = watched(reply);
    expect(await send()).toEqual(await reply(request));
    expect(report).toHaveBeenCalledExactlyOnceWith(event);
  });

  test('trouble without a response, and still fails', async () => {
    const { report, send } = watched(noResponse);
    await expect(send()).rejects.toThrow(NetworkFailure);
    expect(report).toHaveBeenCalledExactlyOnceWith('trouble');
  });
});
