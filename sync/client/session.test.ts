import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type EngineHarness, engineHarness, signedIn } from '#sync/testing/engine-harness.ts';
import { json, refusal } from '#sync/testing/fake-transport.ts';
import { POLL_ID, sampleUser } from '#sync/testing/samples.ts';
import { openUserDb } from './db.ts';

let device: EngineHarness;

beforeEach(() => {
  device = engineHarness();
});

describe('logging out', () => {
  test('clears the cache and tells the server', async () => {
    const engine = device.newEngine();
    await engine.start();
    await engine.logOut('keep');
    expect(engine.session.get().status).toBe('visitor');
    expect(device.sent).toContain('POST /api/logout');
    const db = openUserDb('this-or-that', device.user.id);
    for (const table of db.tables) expect([table.name, await table.count()]).toEqual([table.name, 0]);
  });

  test('without a network works at once, and the server hears of it before anything else', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.logOut('keep');
    device.sent = [];
    const later = device.newEngine();
    await later.start();
    expect(later.session.get().status).toBe('visitor');
    device.routes = { 'POST /api/logout': json(204, null), 'GET /api/user': refusal('unauthenticated') };
    device.sent = [];
    await later.start();
    expect(device.sent[0]).toBe('POST /api/logout');
    expect(device.sent).toContain('GET /api/user');
  });

  test('discards what waits, if asked to', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.castVote(POLL_ID, 1);
    await engine.logOut('discard');
    await engine.signedIn(device.user);
    expect(await signedIn(engine).db.ops.count()).toBe(0);
  });

  test('reaches the server as soon as the network is back', async () => {
    const engine = device.newEngine();
    await engine.start();
    const reachable = device.routes;
    device.routes = {};
    await engine.logOut('keep');
    device.routes = reachable;
    device.sent.length = 0;
    engine.tryConnection();
    await vi.waitFor(() => expect(device.sent).toContain('POST /api/logout'));
  });

  test('keeps what waits for this account', async () => {
    const engine = device.newEngine();
    await engine.start();
    device.routes = {};
    await engine.castVote(POLL_ID, 1);
    await engine.logOut('keep');
    await engine.signedIn(device.user);
    expect(await signedIn(engine).db.ops.count()).toBe(1);
  });
});

describe('answers that come late', () => {
  /** Holds back the answer to `GET /api/user` until it is let go. */
  function holdBackUser() {
    const answer = device.routes['GET /api/user'];
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    device.routes['GET /api/user'] = async (request) => {
      await gate;
      return answer?.(request) ?? 'lost';
    };
    return () => letGo();
  }

  test('do not undo a log out', async () => {
    await device.newEngine().start();
    const letGo = holdBackUser();
    delete device.routes['POST /api/logout'];
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => expect(engine.session.get().status).toBe('user'));
    await engine.logOut('keep');
    letGo();
    await started;
    expect(engine.session.get().status).toBe('visitor');

    device.routes['POST /api/logout'] = json(204, null);
    device.sent.length = 0;
    await device.newEngine().start();
    expect(device.sent[0]).toBe('POST /api/logout');
  });

  test('do not end a session that has just begun', async () => {
    device.routes['GET /api/user'] = refusal('unauthenticated');
    const letGo = holdBackUser();
    const engine = device.newEngine();
    const started = engine.start();
    await vi.waitFor(() => expect(device.sent).toContain('GET /api/user'));
    device.routes['GET /api/user'] = json(200, device.user);
    await engine.signedIn(device.user);
    letGo();
    await started;
    expect(signedIn(engine).needsLogin).toBe(false);
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

  test('logging in as somebody else in one moves the other along', async () => {
    const [one, two] = [device.newEngine(), device.newEngine()];
    await one.start();
    await two.start();
    const other = sampleUser({ id: device.user.id + 20_000, username: 'ruth-a' });
    device.routes['GET /api/user'] = json(200, other);
    await one.signedIn(other);
    await vi.waitFor(() => expect(signedIn(two).user.username).toBe('ruth-a'));
  });
});
