import { beforeEach, expect, test, vi } from 'vitest';
import type { OpenPath } from '#sync/protocol/worker.ts';
import { showPushMessages } from './push.ts';

const ORIGIN = 'https://polls.example';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  return () => vi.useRealTimers();
});

/** `replies`: whether the page replies when the worker asks it to open a path. */
type OpenPage = { path: string; isControlled: boolean; replies?: boolean };

/** Taps a push message about /poll/1 while `pages` are open. Returns what the worker did. */
async function tap(pages: readonly OpenPage[]): Promise<string[]> {
  const steps: string[] = [];
  const windows = pages.map(({ path, isControlled, replies = false }) => {
    const client = {
      url: ORIGIN + path,
      isControlled,
      async focus() {
        steps.push(`focus ${path}`);
        return client;
      },
      postMessage(message: OpenPath, [port]: [MessagePort]) {
        if (!replies) return;
        steps.push(`ask ${path} to ${message.type} ${message.path}`);
        port.postMessage(null);
      },
      async navigate(href: string) {
        steps.push(`navigate ${path} to ${href}`);
        return client;
      },
    };
    return client;
  });
  const work: Promise<unknown>[] = [];
  const tapEvent = {
    notification: { close() {}, data: '/poll/1' },
    waitUntil: (promise: Promise<unknown>) => work.push(promise),
  };
  const worker = {
    location: { origin: ORIGIN },
    addEventListener(type: string, listener: (event: typeof tapEvent) => void) {
      if (type === 'notificationclick') listener(tapEvent);
    },
    clients: {
      matchAll: async ({ includeUncontrolled = false }) =>
        windows.filter(({ isControlled }) => isControlled || includeUncontrolled),
      openWindow: async (href: string) => steps.push(`open ${href}`),
    },
  } as Partial<Record<keyof ServiceWorkerGlobalScope, unknown>> as ServiceWorkerGlobalScope;
  showPushMessages(worker);
  // Longer than the worker waits for a reply.
  if (!pages.some(({ replies }) => replies)) await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(work);
  return steps;
}

const HREF = `${ORIGIN}/poll/1`;

test('a tap on a push message opens its page even in a tab that was opened with this address', async () => {
  // Safari and Firefox report the address with which a tab was opened, even if it now shows another screen.
  const pages = [
    { path: '/home', isControlled: true },
    { path: '/poll/1', isControlled: true },
  ];
  expect(await tap(pages)).toEqual(['focus /poll/1', `navigate /poll/1 to ${HREF}`]);
});

test('a tap on a push message opens its page in the tab used last', async () => {
  const pages = [
    { path: '/home', isControlled: true },
    { path: '/explore', isControlled: true },
  ];
  expect(await tap(pages)).toEqual(['focus /home', `navigate /home to ${HREF}`]);
});

test('a tap on a push message does not reload a tab that opens the page by itself', async () => {
  expect(await tap([{ path: '/poll/1', isControlled: true, replies: true }])).toEqual([
    'focus /poll/1',
    'ask /poll/1 to open path /poll/1',
  ]);
});

test('a tap on a push message opens a tab if there is none that the service worker controls', async () => {
  expect(await tap([])).toEqual([`open ${HREF}`]);
  expect(await tap([{ path: '/poll/1', isControlled: false }])).toEqual([`open ${HREF}`]);
});
