import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { BrowserContext, Page, Worker } from '@playwright/test';
import ece from 'http_ece';
import { findServiceWorker } from '#scripts/browser/service-worker.ts';

/** The result of `PushSubscription.toJSON` in a browser. */
type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

export type PushService = {
  origin: string;
  /** Gives a page's browser a subscription to this service; its messages are decrypted into `received`. */
  connect(page: Page): Promise<{ received: string[] }>;
  close(): Promise<void>;
};

/** Starts a push service on this machine, as Chromium without Google's services has none. */
export async function startPushService(): Promise<PushService> {
  const inboxes = new Map<string, (body: Buffer) => void>();
  const server = createServer(async (request, response) => {
    inboxes.get(request.url ?? '')?.(await buffer(request));
    response.writeHead(201).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async connect(page) {
      const received: string[] = [];
      const privateKey = createECDH('prime256v1');
      const keys = {
        p256dh: privateKey.generateKeys('base64url'),
        auth: randomBytes(16).toString('base64url'),
      };
      const path = `/${randomBytes(8).toString('hex')}`;
      inboxes.set(path, (body) => {
        const text = ece.decrypt(body, { version: 'aes128gcm', privateKey, authSecret: keys.auth });
        received.push(text.toString());
      });
      await page.addInitScript(fakeSubscription, { endpoint: `${origin}${path}`, keys });
      return { received };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Runs in the page: fakes a subscription that survives reloads, and a permission that is granted on request. Headless
 * Chromium has no push service and denies all notifications.
 */
function fakeSubscription({ endpoint, keys }: Subscription): void {
  const STORED = 'fake push key';
  const PERMISSION = 'fake permission';
  Object.defineProperty(Notification, 'permission', {
    get: () => localStorage.getItem(PERMISSION) ?? 'default',
  });
  Notification.requestPermission = async () => {
    localStorage.setItem(PERMISSION, 'granted');
    return 'granted';
  };
  const toSubscription = (key: string) => ({
    endpoint,
    options: {
      applicationServerKey: Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
        letter.charCodeAt(0),
      ).buffer,
    },
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => {
      localStorage.removeItem(STORED);
      return true;
    },
  });
  Object.assign(PushManager.prototype, {
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      localStorage.setItem(STORED, applicationServerKey);
      return toSubscription(applicationServerKey);
    },
    getSubscription: async () => {
      const key = localStorage.getItem(STORED);
      return key === null ? null : toSubscription(key);
    },
  });
}

type ShownNotification = { title: string; body: string; tag: string; data: string };

/**
 * Records the notifications that the service worker shows, as headless Chromium shows none. `countShown` includes those that were
 * replaced or tapped; `tapLast` taps the newest.
 */
export async function recordNotifications(page: Page) {
  const context = page.context();
  const worker: Worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(() => {
    const shownByTag = new Map<string, object>();
    Object.assign(globalThis, { shownByTag, shownCount: 0 });
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    registration.showNotification = async (title, { body, tag = '', data } = {}) => {
      shownByTag.delete(tag);
      shownByTag.set(tag, { title, body, tag, data });
      Reflect.set(globalThis, 'shownCount', Reflect.get(globalThis, 'shownCount') + 1);
    };
  });
  const read = () =>
    worker.evaluate(() => [
      ...(Reflect.get(globalThis, 'shownByTag') as Map<string, ShownNotification>).values(),
    ]);
  const countShown = () => worker.evaluate(() => Reflect.get(globalThis, 'shownCount') as number);
  const tapLast = () =>
    worker.evaluate(async () => {
      const shownByTag: Map<string, ShownNotification> = Reflect.get(globalThis, 'shownByTag');
      const newest = [...shownByTag.values()].at(-1);
      const notification = { ...newest, close: () => shownByTag.delete(newest?.tag ?? '') };
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const event = Object.assign(new Event('notificationclick'), { notification, waitUntil: resolve });
      globalThis.dispatchEvent(event);
      await promise;
    });
  return { read, countShown, tapLast };
}

/** Returns a function that delivers a push message to the service worker of `origin`, as the browser would. */
export async function createPushDelivery(
  context: BrowserContext,
  origin: string,
): Promise<(data: string) => Promise<void>> {
  const { devTools, registrationId } = await findServiceWorker(context, origin);
  return async (data) => {
    await devTools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  };
}
