import { describe, expect, test, vi } from 'vitest';
import { HEALTH_ATTEMPTS_MAX, HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import {
  captivePortal,
  json,
  noResponse,
  type Reply,
  scriptedTransport,
} from '#sync/testing/fake-transport.ts';
import { settled } from '#sync/testing/settled.ts';
import type { TransportRequest } from './capabilities.ts';
import { type ConnectionState, connectionStep } from './connection.ts';
import { createConnectionMonitor, monitoredTransport } from './connection-monitor.ts';
import { NetworkFailure } from './engine-errors.ts';

const healthy = json(200, { status: 'ok', app: 'this-or-that', version: '1' });

function startMonitor(initialReply: Reply) {
  const clock = fakeClock();
  const network = { reply: initialReply, checkCount: 0, isOnline: true };
  const transport = async (request: TransportRequest) => {
    network.checkCount += 1;
    const response = await network.reply(request);
    if (response === 'no_response') throw new NetworkFailure('no response');
    return response;
  };
  const onRestored = vi.fn();
  const isOnline = () => network.isOnline;
  const { state, report, wentOffline } = createConnectionMonitor({ transport, clock, isOnline }, onRestored);
  const advance = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  return { network, state, report, wentOffline, advance, onRestored };
}

describe('the connection monitor', () => {
  test('checks once at the start and not again without a problem', async () => {
    const { network, state, advance, onRestored } = startMonitor(healthy);
    expect(state.get().phase).toBe('checking');
    await settled();
    expect(state.get().phase).toBe('connected');
    await advance(600_000);
    expect(network.checkCount).toBe(1);
    expect(onRestored).not.toHaveBeenCalled();
  });

  test('checks every five seconds after a failure and stops after five attempts', async () => {
    const { network, state, advance } = startMonitor(noResponse);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      expect(state.get()).toEqual({ phase: 'disconnected', attempt });
      await advance(4_999);
      expect(network.checkCount).toBe(attempt);
      await advance(1);
    }
    expect(state.get()).toEqual({ phase: 'failed' });
    await advance(600_000);
    expect(network.checkCount).toBe(5);
  });

  test("treats a captive portal's page as a failure", async () => {
    const { state } = startMonitor(captivePortal);
    await settled();
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
  });

  test('checks the server after a failed request, before it shows a problem', async () => {
    const { network, state, report } = startMonitor(healthy);
    await settled();
    report('trouble');
    expect(state.get().phase).toBe('connected');
    await settled();
    expect(network.checkCount).toBe(2);
    expect(state.get().phase).toBe('connected');
  });

  test('detects that the server is unreachable despite responses just after the browser went offline', async () => {
    const { network, state, report, wentOffline, advance } = startMonitor(healthy);
    await settled();
    network.isOnline = false;
    wentOffline();
    await settled();
    expect(state.get().phase).toBe('connected');
    network.reply = noResponse;
    await advance(HEALTH_INTERVAL_MS);
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
    report('reached');
    expect(state.get().phase).toBe('restored');
    await advance(HEALTH_INTERVAL_MS);
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
  });

  test('repeats the check up to five times while the browser reports that it is offline', async () => {
    const { network, wentOffline, advance } = startMonitor(healthy);
    await settled();
    network.isOnline = false;
    wentOffline();
    await settled();
    for (let count = 0; count < 20; count += 1) await advance(HEALTH_INTERVAL_MS);
    // The check at the start, and those after the browser went offline.
    expect(network.checkCount).toBe(1 + HEALTH_ATTEMPTS_MAX);

    // The check is not repeated once the browser is online again.
    wentOffline();
    await settled();
    network.isOnline = true;
    for (let count = 0; count < 20; count += 1) await advance(HEALTH_INTERVAL_MS);
    expect(network.checkCount).toBe(2 + HEALTH_ATTEMPTS_MAX);
  });

  test('shows for a while that the connection is restored when the server is reachable again', async () => {
    const { network, state, report, advance, onRestored } = startMonitor(noResponse);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) await advance(5_000);
    expect(state.get().phase).toBe('failed');
    network.reply = healthy;
    report('signal');
    await settled();
    expect(state.get().phase).toBe('restored');
    expect(onRestored).toHaveBeenCalledTimes(1);
    report('signal');
    await settled();
    await advance(4_000);
    expect(state.get().phase).toBe('connected');
  });

  test('makes five more attempts when the user requests a check', async () => {
    const { network, state, report, advance } = startMonitor(noResponse);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) await advance(5_000);
    expect(state.get().phase).toBe('failed');
    report('signal');
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 0 });
    await settled();
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
    for (let attempt = 1; attempt <= 4; attempt += 1) await advance(5_000);
    expect(state.get().phase).toBe('failed');
    expect(network.checkCount).toBe(10);
  });

  test('starts a new round when the app becomes visible, so that five visits in a row do not end the checks', async () => {
    const { state, report } = startMonitor(noResponse);
    await settled();
    for (let visit = 1; visit <= 5; visit += 1) {
      report('signal');
      await settled();
      expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
    }
  });

  test('considers the connection restored after any response', async () => {
    const { state, report } = startMonitor(noResponse);
    await settled();
    report('reached');
    expect(state.get().phase).toBe('restored');
  });
});

test('`restored` lasts 4 s, even if a check was due before', async () => {
  const { state, report, advance } = startMonitor(noResponse);
  await settled();
  await advance(2_000);
  report('reached');
  await advance(3_999);
  expect(state.get().phase).toBe('restored');
  await advance(1);
  expect(state.get().phase).toBe('connected');
});

test('two signals during a check start no second check', async () => {
  const { network, report } = startMonitor(healthy);
  await settled();
  report('signal');
  report('signal');
  await settled();
  expect(network.checkCount).toBe(2);
});

test('subscribers are called only when the state changes', async () => {
  const { network, state, report } = startMonitor(healthy);
  await settled();
  const listener = vi.fn();
  state.subscribe(listener);
  for (const event of ['signal', 'trouble'] as const) {
    report(event);
    await settled();
  }
  expect(listener).not.toHaveBeenCalled();
  network.reply = noResponse;
  report('trouble');
  await settled();
  expect(listener).toHaveBeenCalledTimes(1);
});

describe('in the state machine of the connection', () => {
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

  test('`signal` leads to a check, and to five attempts if the server was unreachable', () => {
    for (const state of [checking, connected, restored]) {
      expect(connectionStep(state, 'signal')).toEqual({ state, check: true });
    }
    const newRound = { phase: 'disconnected', attempt: 0 };
    for (const state of [disconnected, failed]) {
      expect(connectionStep(state, 'signal')).toEqual({ state: newRound, check: true });
    }
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

describe('a monitored request reports', () => {
  const request: TransportRequest = { method: 'GET', path: '/', headers: {}, body: null, timeoutMs: 1 };
  const monitoredRequest = (reply: Reply) => {
    const report = vi.fn();
    const { transport } = scriptedTransport(reply);
    return {
      report,
      send: () => monitoredTransport(transport, { ...startMonitor(healthy), report })(request),
    };
  };

  test.each<[event: string, response: string, reply: Reply]>([
    ['reached', 'a success', json(200, {})],
    ['reached', 'a client error', json(499, {})],
    ['reached', 'a 304', json(304, null)],
    ['reached', 'an empty response', json(204, null)],
    ['trouble', 'a server error', json(500, {})],
    ['trouble', 'a captive portal’s page', captivePortal],
  ])('`%s` after %s', async (event, _response, reply) => {
    const { report, send } = monitoredRequest(reply);
    expect(await send()).toEqual(await reply(request));
    expect(report).toHaveBeenCalledExactlyOnceWith(event);
  });

  test('`trouble` without a response, and rejects', async () => {
    const { report, send } = monitoredRequest(noResponse);
    await expect(send()).rejects.toThrow(NetworkFailure);
    expect(report).toHaveBeenCalledExactlyOnceWith('trouble');
  });
});
