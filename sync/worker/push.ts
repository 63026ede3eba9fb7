import * as z from 'zod/mini';
import { type PushMessage, pushMessageSchema } from '#shared/notifications/schema.ts';
import { OPEN_PATH, type OpenPath } from '#sync/protocol/worker.ts';
import { readLoggedInUserId } from './logged-in-user-id.ts';

/**
 * Shown if a message cannot be read or is for another user, because browsers require that each push message shows something.
 */
const NEUTRAL_MESSAGE = {
  tag: 'neutral',
  title: 'This or That?',
  body: 'There is something new.',
  path: '/',
};
/** The paths of the icons of a message. */
const ICONS = { icon: '/icons/icon-192.png', badge: '/icons/monochrome-512.png' };
/** How long a tab may take to reply to `OPEN_PATH`; one that is starting cannot reply yet. */
const REPLY_TIMEOUT_MS = 2_000;

/** Shows push messages, and opens the page of a message that is tapped. */
export function showPushMessages(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => event.waitUntil(showMessage(worker, event.data)));
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(openPage(worker, String(event.notification.data)));
  });
}

async function showMessage(
  { registration }: ServiceWorkerGlobalScope,
  data: PushMessageData | null,
): Promise<void> {
  const userId = await readLoggedInUserId().catch(() => null);
  const message = parse(data);
  const { title, body, tag, path } =
    message !== null && message.userId === userId ? message : NEUTRAL_MESSAGE;
  await registration.showNotification(title, { ...ICONS, body, tag, data: path });
}

function parse(data: PushMessageData | null): PushMessage | null {
  try {
    return z.parse(pushMessageSchema, data?.json());
  } catch {
    return null;
  }
}

/**
 * Opens a path of the app: in a tab with this address, else in the tab used last, else in a new one. Only tabs that this worker
 * controls can be navigated. A tab that does not reply is navigated even if its `url` is the path, because `url` in Safari and
 * Firefox is the address with which the tab was opened. A tab saves its draft before it is navigated.
 */
async function openPage({ clients, location }: ServiceWorkerGlobalScope, path: string): Promise<void> {
  const { href } = new URL(path, location.origin);
  const tabs = await clients.matchAll({ type: 'window' });
  const target = tabs.find(({ url }) => url === href) ?? tabs[0];
  if (target === undefined) {
    await clients.openWindow(href);
    return;
  }
  // Refused if the tap was too long ago; the page is opened nevertheless.
  await target.focus().catch(() => target);
  if (!(await askToOpen(target, path))) await target.navigate(href);
}

/** Asks a tab to show `path` without a reload. Resolves with whether it has replied in time. */
function askToOpen(tab: WindowClient, path: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const end = (hasReplied: boolean) => {
      port1.close();
      resolve(hasReplied);
    };
    port1.onmessage = () => end(true);
    setTimeout(() => end(false), REPLY_TIMEOUT_MS);
    tab.postMessage({ type: OPEN_PATH, path } satisfies OpenPath, [port2]);
  });
}
