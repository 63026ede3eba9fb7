import { describe, expect, test, vi } from 'vitest';
import { HEALTH_ATTEMPTS_MAX, HEALTH_INTERVAL_MS } from '#shared/connection.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { captivePortal, json, lost, type Reply } from '#sync/testing/fake-transport.ts';
import { createConnectionMonitor } from './connection-monitor.ts';
import { NetworkFailure, type TransportRequest } from './types.ts';

const healthy = json(200, { status: 'ok', app: 'this-or-that', version: '1' });

function monitor(initial: Reply) {
  const clock = fakeClock();
  const network = { reply: initial, checks: 0, isOnline: true };
  const transport = async (request: TransportRequest) => {
    network.checks += 1;
    const answer = await network.reply(request);
    if (answer === 'lost') throw new NetworkFailure('lost');
    return answer;
  };
  const onRestored = vi.fn();
  const isOnline = () => network.isOnline;
  const { state, tell, wentOffline } = createConnectionMonitor({ transport, clock, isOnline }, onRestored);
  const settled = () => vi.waitFor(() => new Promise((resolve) => setTimeout(resolve, 0)));
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  return { network, state, tell, wentOffline, pass, settled, onRestored };
}

describe('the connection monitor', () => {
  test('checks once at start and not again while all is well', async () => {
    const { network, state, pass, settled, onRestored } = monitor(healthy);
    expect(state.get().phase).toBe('checking');
    await settled();
    expect(state.get().phase).toBe('connected');
    await pass(600_000);
    expect(network.checks).toBe(1);
    expect(onRestored).not.toHaveBeenCalled();
  });

  test('checks every five seconds in trouble and stops after five attempts', async () => {
    const { network, state, pass, settled } = monitor(lost);
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

  test("takes a captive portal's page for a failure", async () => {
    const { state, settled } = monitor(captivePortal);
    await settled();
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
  });

  test('one failed request leads to a check, not to a message', async () => {
    const { network, state, tell, settled } = monitor(healthy);
    await settled();
    tell('trouble');
    expect(state.get().phase).toBe('connected');
    await settled();
    expect(network.checks).toBe(2);
    expect(state.get().phase).toBe('connected');
  });

  test('answers that come just after the network went do not hide the loss', async () => {
    const { network, state, tell, wentOffline, pass, settled } = monitor(healthy);
    await settled();
    network.isOnline = false;
    wentOffline();
    await settled();
    expect(state.get().phase).toBe('connected');
    network.reply = lost;
    await pass(HEALTH_INTERVAL_MS);
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
    tell('reached');
    expect(state.get().phase).toBe('restored');
    await pass(HEALTH_INTERVAL_MS);
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
  });

  test('a browser that is wrong about its network is believed five times, one that has it again no more', async () => {
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

  test('says that it is restored, for a while, and starts again on a regained signal', async () => {
    const { network, state, tell, pass, settled, onRestored } = monitor(lost);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) await pass(5_000);
    expect(state.get().phase).toBe('failed');
    network.reply = healthy;
    tell('signal');
    await settled();
    expect(state.get().phase).toBe('restored');
    expect(onRestored).toHaveBeenCalledTimes(1);
    tell('signal');
    await settled();
    await pass(4_000);
    expect(state.get().phase).toBe('connected');
  });

  test('a new round of five attempts begins when the person asks for it', async () => {
    const { network, state, tell, pass, settled } = monitor(lost);
    await settled();
    for (let attempt = 1; attempt <= 4; attempt += 1) await pass(5_000);
    expect(state.get().phase).toBe('failed');
    tell('signal');
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 0 });
    await settled();
    expect(state.get()).toEqual({ phase: 'disconnected', attempt: 1 });
    for (let attempt = 1; attempt <= 4; attempt += 1) await pass(5_000);
    expect(state.get().phase).toBe('failed');
    expect(network.checks).toBe(10);
  });

  test('an answer to any other request ends the trouble', async () => {
    const { state, tell, settled } = monitor(lost);
    await settled();
    tell('reached');
    expect(state.get().phase).toBe('restored');
  });
});
