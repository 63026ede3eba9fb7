import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Op } from '#sync/operations/registry.ts';
import { BACKGROUND_DRAIN_TAG } from '#sync/protocol/worker.ts';
import { FakeCookies } from '#sync/testing/fake-cookies.ts';
import { samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { settled } from '#sync/testing/settled.ts';
import { browserCapabilities, keepImagesOfFirstVisit, showOutcomes, watchPageEvents } from './browser.ts';
import type { EngineEvent } from './emitter.ts';
import type { Engine } from './engine.ts';
import { observable } from './observable.ts';
import type { Session } from './session/session-context.ts';

/** A fake of `document` with the properties that the engine uses. It dispatches real events. */
class FakeDocument extends FakeCookies {
  visibilityState = 'visible';
  images: { currentSrc: string; src: string }[] = [];
}

/** The channels of a test, closed at its end so that they do not receive messages of the next test. */
const channels: BroadcastChannel[] = [];
const NodeChannel = BroadcastChannel;
class TestChannel extends NodeChannel {
  constructor(name: string) {
    super(name);
    channels.push(this);
  }
}

let fakeDocument: FakeDocument;
let window: EventTarget;

beforeEach(() => {
  fakeDocument = new FakeDocument();
  window = new EventTarget();
  vi.stubGlobal('BroadcastChannel', TestChannel);
  vi.stubGlobal('document', fakeDocument);
  vi.stubGlobal('window', window);
  vi.stubGlobal('location', { href: 'https://app.test/poll/1', protocol: 'https:' });
});

afterEach(() => {
  for (const channel of channels.splice(0)) channel.close();
  vi.unstubAllGlobals();
});

function engineOf(session: Session = { status: 'visitor' }) {
  const sessions = observable<Session>(session);
  const listeners: ((event: EngineEvent) => void)[] = [];
  const spies = { tryConnection: vi.fn(), wentOffline: vi.fn(), setVisible: vi.fn() };
  const onEvent = (listener: (event: EngineEvent) => void) => {
    listeners.push(listener);
    return () => {};
  };
  const engine = { ...spies, onEvent, session: sessions } as Partial<Engine> as Engine;
  const emit = (event: EngineEvent) => {
    for (const listener of listeners) listener(event);
  };
  return { engine, sessions, emit, ...spies };
}

const userSession = (id: number): Session =>
  ({ status: 'user', user: sampleUser({ id }), needsLogin: false }) as Session;

describe('the page', () => {
  test('reports to the engine when the browser goes online or offline', () => {
    const { engine, tryConnection, wentOffline } = engineOf();
    watchPageEvents(engine);
    window.dispatchEvent(new Event('online'));
    expect([tryConnection.mock.calls.length, wentOffline.mock.calls.length]).toEqual([1, 0]);
    window.dispatchEvent(new Event('offline'));
    expect([tryConnection.mock.calls.length, wentOffline.mock.calls.length]).toEqual([1, 1]);
  });

  test.each([
    ['checks the server when it is restored from the back/forward cache', true, 1],
    ['does not check the server when it is shown for the first time', false, 0],
  ])('%s', (_case, persisted, times) => {
    const { engine, tryConnection } = engineOf();
    watchPageEvents(engine);
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    expect(tryConnection).toHaveBeenCalledTimes(times);
  });

  test('reports its visibility and checks the server when it becomes visible', () => {
    const { engine, tryConnection, setVisible } = engineOf();
    fakeDocument.visibilityState = 'hidden';
    watchPageEvents(engine);
    expect(setVisible.mock.calls).toEqual([[false]]);
    fakeDocument.visibilityState = 'visible';
    fakeDocument.dispatchEvent(new Event('visibilitychange'));
    expect(setVisible.mock.calls).toEqual([[false], [true]]);
    expect(tryConnection).toHaveBeenCalledTimes(1);
    fakeDocument.visibilityState = 'hidden';
    fakeDocument.dispatchEvent(new Event('visibilitychange'));
    expect(setVisible).toHaveBeenLastCalledWith(false);
    expect(tryConnection).toHaveBeenCalledTimes(1);
  });
});

describe('outcomes', () => {
  const op = { opId: 'a', userId: 7 } as Op;
  const event: EngineEvent = { type: 'applied', op, poll: samplePoll(), isNew: false };

  test('are shown at once in a visible tab', () => {
    const { engine, emit } = engineOf(userSession(7));
    const show = vi.fn();
    showOutcomes(engine, show);
    emit(event);
    expect(show).toHaveBeenCalledExactlyOnceWith(event);
  });

  test.each<[string, Session, string]>([
    ['is hidden', userSession(7), 'hidden'],
    ['shows another user', userSession(8), 'visible'],
    ['shows no user', { status: 'visitor' }, 'visible'],
  ])(
    'are shown by another visible tab if the tab that sent the op %s',
    async (_case, session, visibility) => {
      const visibleTab = engineOf(userSession(7));
      const showInVisibleTab = vi.fn();
      showOutcomes(visibleTab.engine, showInVisibleTab);
      fakeDocument.visibilityState = visibility;
      const { engine, emit } = engineOf(session);
      const show = vi.fn();
      showOutcomes(engine, show);
      emit(event);
      // From now on, the document is that of the visible tab.
      fakeDocument.visibilityState = 'visible';
      expect(show).not.toHaveBeenCalled();
      await vi.waitFor(() => expect(showInVisibleTab).toHaveBeenCalledExactlyOnceWith(event));
      expect(show).not.toHaveBeenCalled();
    },
  );

  test('are shown by the tab that sent the op, even if it is hidden, if there are no broadcast channels', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    fakeDocument.visibilityState = 'hidden';
    const { engine, emit } = engineOf(userSession(7));
    const show = vi.fn();
    showOutcomes(engine, show);
    emit(event);
    await vi.waitFor(() => expect(show).toHaveBeenCalledOnce());
  });
});

describe('other tabs', () => {
  test('are notified of a login or logout', async () => {
    const [tab, otherTab] = [browserCapabilities().tabs, browserCapabilities().tabs];
    const listener = vi.fn();
    otherTab.listen(listener);
    tab.announce();
    await vi.waitFor(() => expect(listener).toHaveBeenCalledOnce());
  });

  test('are not notified, without an error, in a browser without broadcast channels', () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const { tabs } = browserCapabilities();
    const listener = vi.fn();
    tabs.listen(listener);
    tabs.announce();
    expect(listener).not.toHaveBeenCalled();
  });
});

describe('the storage of a device', () => {
  const freeBytes = (storage: unknown) => {
    vi.stubGlobal('navigator', { storage });
    return browserCapabilities().storage.freeBytes();
  };

  test('has the unused part of its quota as free space', async () => {
    expect(await freeBytes({ estimate: async () => ({ quota: 100, usage: 30 }) })).toBe(70);
  });

  test.each([
    ['has no estimate', {}],
    ['has no storage API', undefined],
    ['fails to estimate', { estimate: () => Promise.reject(new Error('no')) }],
    ['reports no quota', { estimate: async () => ({ usage: 1 }) }],
    ['reports no usage', { estimate: async () => ({ quota: 1 }) }],
  ])('has unknown free space in a browser that %s', async (_case, storage) => {
    expect(await freeBytes(storage)).toBeNull();
  });

  test('is requested as persistent, without an error if the browser rejects or does not support that', async () => {
    const persist = vi.fn().mockResolvedValueOnce(true).mockRejectedValueOnce(new Error('no'));
    for (const storage of [{ persist }, { persist }, {}, undefined]) {
      vi.stubGlobal('navigator', { storage });
      await expect(browserCapabilities().storage.persist()).resolves.toBeUndefined();
    }
    expect(persist).toHaveBeenCalledTimes(2);
  });
});

describe('a request for a background drain', () => {
  test('registers a background sync', async () => {
    const register = vi.fn(async () => {});
    vi.stubGlobal('navigator', { serviceWorker: { ready: Promise.resolve({ sync: { register } }) } });
    browserCapabilities().requestBackgroundDrain();
    await vi.waitFor(() => expect(register).toHaveBeenCalledExactlyOnceWith(BACKGROUND_DRAIN_TAG));
  });

  test.each([
    ['service workers', undefined],
    ['background sync', {}],
    ['permission for background sync', { sync: { register: () => Promise.reject(new Error('no')) } }],
  ])('causes no error in a browser without %s', async (_case, registration) => {
    const serviceWorker = registration && { ready: Promise.resolve(registration) };
    vi.stubGlobal('navigator', serviceWorker === undefined ? {} : { serviceWorker });
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    expect(() => browserCapabilities().requestBackgroundDrain()).not.toThrow();
    await settled();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

test('the network state, random numbers and the prefix of database names are provided', () => {
  vi.stubGlobal('navigator', { onLine: false });
  const { isOnline, random, databasePrefix } = browserCapabilities();
  expect(isOnline()).toBe(false);
  expect(databasePrefix).toBe('this-or-that');
  expect(new Set(Array.from({ length: 20 }, random)).size).toBeGreaterThan(1);
});

describe('a socket', () => {
  async function connect() {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    vi.stubGlobal('location', { href: `http://127.0.0.1:${port}/poll/1` });
    const events = { opened: vi.fn(), received: vi.fn(), closed: vi.fn() };
    const connected = once(server, 'connection');
    const socket = browserCapabilities().openSocket('/live', events);
    // Not an error, although the socket is not open yet.
    socket.send('too early');
    const [serverSocket, request] = await connected;
    return { socket, events, serverSocket, request };
  }

  test('connects to the server of the page and transfers text both ways', async () => {
    const { socket, events, serverSocket, request } = await connect();
    expect(request.url).toBe('/live');
    await vi.waitFor(() => expect(events.opened).toHaveBeenCalledOnce());
    const received = once(serverSocket, 'message');
    socket.send('ping');
    expect(String((await received)[0])).toBe('ping');
    serverSocket.send('pong');
    await vi.waitFor(() => expect(events.received).toHaveBeenCalledExactlyOnceWith('pong'));
    serverSocket.close(4_001);
    await vi.waitFor(() => expect(events.closed).toHaveBeenCalledExactlyOnceWith(4_001));
  });

  test('is encrypted if the page is', () => {
    const urls: string[] = [];
    vi.stubGlobal('location', { href: 'https://app.test/poll/1' });
    vi.stubGlobal(
      'WebSocket',
      class extends EventTarget {
        constructor(url: URL) {
          super();
          urls.push(url.href);
        }
      },
    );
    browserCapabilities().openSocket('/live', { opened() {}, received() {}, closed() {} });
    expect(urls).toEqual(['wss://app.test/live']);
  });

  test('can be closed by the client', async () => {
    const { socket, events, serverSocket } = await connect();
    await vi.waitFor(() => expect(events.opened).toHaveBeenCalledOnce());
    const closed = once(serverSocket, 'close');
    socket.close();
    await closed;
  });
});

describe('on the first visit', () => {
  const visit = async (worker: unknown, afterLoad: () => void = () => {}) => {
    const fetched = vi.fn(async () => new Response());
    vi.stubGlobal('fetch', fetched);
    vi.stubGlobal('navigator', worker === undefined ? {} : { serviceWorker: worker });
    fakeDocument.images = [
      { currentSrc: '', src: '/uploads/a.webp' },
      { currentSrc: 'https://app.test/uploads/b.webp', src: '/uploads/small.webp' },
      { currentSrc: '', src: '/icons/logo.svg' },
    ];
    const kept = keepImagesOfFirstVisit();
    await settled();
    expect(fetched).not.toHaveBeenCalled();
    afterLoad();
    await kept;
    return fetched.mock.calls.map((args: unknown[]) => args[0]);
  };

  test('the images of polls are fetched again once the service worker controls the page', async () => {
    const worker = Object.assign(new EventTarget(), { controller: null });
    const fetched = await visit(worker, () => worker.dispatchEvent(new Event('controllerchange')));
    expect(fetched).toEqual(['/uploads/a.webp', 'https://app.test/uploads/b.webp']);
  });

  test('no image is fetched again if a service worker controls the page already or is not supported', async () => {
    expect(await visit(Object.assign(new EventTarget(), { controller: {} }))).toEqual([]);
    expect(await visit(undefined)).toEqual([]);
  });
});
