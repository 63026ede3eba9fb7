import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type EngineHarness, engineHarness, userSessionOf } from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { sampleUser } from '#sync/testing/samples.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe('a late response to a session check', () => {
  /** Delays responses to `GET /api/user` until the returned function is called. */
  function delayUserResponses() {
    const reply = device.routes['GET /api/user'];
    const released = Promise.withResolvers<void>();
    device.routes['GET /api/user'] = async (request) => {
      await released.promise;
      return reply?.(request) ?? 'no_response';
    };
    return () => released.resolve();
  }

  test('does not undo a logout', async () => {
    await device.newEngine().start();
    const release = delayUserResponses();
    delete device.routes['POST /api/logout'];
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => expect(engine.session.get().status).toBe('user'));
    await engine.logOut('keep');
    release();
    await started;
    expect(engine.session.get().status).toBe('visitor');

    device.routes['POST /api/logout'] = json(204, null);
    device.sent.length = 0;
    await device.newEngine().start();
    expect(device.sent[0]).toBe('POST /api/logout');
  });

  test('does not end a new session', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const release = delayUserResponses();
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
    device.routes['GET /api/user'] = json(200, device.serverUser);
    await engine.setUser(device.serverUser);
    release();
    await started;
    expect(userSessionOf(engine).needsLogin).toBe(false);
  });
});

describe('with two tabs', () => {
  test('a logout in one tab logs out the other tab', async () => {
    const [tab, otherTab] = [device.newEngine(), device.newEngine()];
    await tab.start();
    await otherTab.start();
    await tab.logOut('keep');
    await vi.waitFor(() => expect(otherTab.session.get().status).toBe('visitor'));
  });

  test('a login of another user in one tab also logs that user in to the other tab', async () => {
    const [tab, otherTab] = [device.newEngine(), device.newEngine()];
    await tab.start();
    await otherTab.start();
    const otherUser = sampleUser({ id: device.serverUser.id + 20_000, username: 'ruth-a' });
    device.routes['GET /api/user'] = json(200, otherUser);
    await tab.setUser(otherUser);
    await vi.waitFor(() => expect(userSessionOf(otherTab).user.username).toBe('ruth-a'));
  });
});
