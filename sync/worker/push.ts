import * as z from 'zod/mini';
import { type PushMessage, pushMessageSchema } from '#shared/notifications/schema.ts';
import { loggedInUser } from './logged-in-user.ts';

/** Shown if a message cannot be read or is for another user: browsers require that every push message shows something. */
const NEUTRAL = { tag: 'neutral', title: 'This or That?', body: 'There is something new.', path: '/' };
/** The paths are relative to the worker, which is at the root. */
const ICONS = { icon: '/icons/icon-192.png', badge: '/icons/monochrome-512.png' };

/** Shows push messages, and opens the page of a message that is tapped. */
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

/** Opens a path of the app: in a window that shows it already, else in the one used last, else in a new one. */
async function open({ clients, location }: ServiceWorkerGlobalScope, path: string): Promise<void> {
  const { href } = new URL(path, location.origin);
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const used = windows.find(({ url }) => url === href) ?? windows[0];
  if (used === undefined) {
    await clients.openWindow(href);
    return;
  }
  // Browsers refuse to focus a window without a user gesture.
  await used.focus().catch(() => used);
  // A page that this worker does not control cannot be navigated.
  if (used.url !== href) await used.navigate(href).catch(() => clients.openWindow(href));
}
