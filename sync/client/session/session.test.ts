import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type EngineHarness, engineHarness, userSessionOf } from '#sync/testing/engine-harness.ts';
import { errorResponse, json } from '#sync/testing/fake-transport.ts';
import { sampleUser } from '#sync/testing/samples.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe('late responses', () => {
  /** Holds back responses to `GET /api/user` until the returned function is called. */
  function holdBackUser() {
    const reply = device.routes['GET /api/user'];
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    device.routes['GET /api/user'] = async (request) => {
      await gate;
      return reply?.(request) ?? 'no_response';
    };
    return () => release();
  }

  test('do not undo a logout', async () => {
    await device.newEngine().start();
    const release = holdBackUser();
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

  test('do not end a new session', async () => {
    device.routes['GET /api/user'] = errorResponse('unauthenticated');
    const release = holdBackUser();
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
    device.routes['GET /api/user'] = json(200, device.user);
    await engine.setUser(device.user);
    release();
    await started;
    expect(userSessionOf(engine).needsLogin).toBe(false);
  });
});

describe('two tabs', () => {
  test('logging out in one logs out the other', async () => {
    const [one, two] = [device.newEngine(), device.newEngine()];
    await one.start();
    await two.start();
    await one.logOut('keep');
    await vi.waitFor(() => expect(two.session.get().status).toBe('visitor'));
  });

  test('logging in as another user in one switches the other one', async () => {
    const [one, two] = [device.newEngine(), device.newEngine()];
    await one.start();
    await two.start();
    const other = sampleUser({ id: device.user.id + 20_000, username: 'ruth-a' });
    device.routes['GET /api/user'] = json(200, other);
    await one.setUser(other);
    await vi.waitFor(() => expect(userSessionOf(two).user.username).toBe('ruth-a'));
  });
});
