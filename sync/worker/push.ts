import * as z from 'zod/mini';
import { type PushMessage, pushMessageSchema } from '#shared/notifications/schema.ts';
import { loggedInUser } from './logged-in-user.ts';

/** What is shown in place of a message that cannot be read, or is not for whoever is logged in: browsers insist on something. */
const NEUTRAL = { tag: 'neutral', title: 'This or That?', body: 'There is something new.', path: '/' };
/** Relative to the worker, which is at the root. */
const ICONS = { icon: '/icons/icon-192.png', badge: '/icons/monochrome-512.png' };

/** Shows push messages, and opens what they are about. */
export function showPushMessages(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => event.waitUntil(show(worker, event.data)));
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(open(worker, String(event.notification.data)));
  });
}

async function show({ registration }: ServiceWorkerGlobalScope, data: PushMessageData | null): Promise<void> {
  const userId = await loggedInUser().catch(() => null);
  const message = parse(data);
  const { title, body, tag, path } = message?.userId === userId && message !== null ? message : NEUTRAL;
  await registration.showNotification(title, { ...ICONS, body, tag, data: path });
}

function parse(data: PushMessageData | null): PushMessage | null {
  try {
    return z.parse(pushMessageSchema, data?.json());
  } catch {
    return null;
  }
}

/** Shows a path of the app: in the window that was used last, else in a new one. */
async function open({ clients, location }: ServiceWorkerGlobalScope, path: string): Promise<void> {
  const { href } = new URL(path, location.origin);
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const used = windows.find(({ url }) => url === href) ?? windows[0];
  if (used === undefined) {
    await clients.openWindow(href);
    return;
  }
  // Browsers refuse it where they see no tap.
  await used.focus().catch(() => used);
  // A page that this worker does not control cannot be led anywhere.
  if (used.url !== href) await used.navigate(href).catch(() => clients.openWindow(href));
}
