import { request } from '#app/lib/api/api-client.ts';
import { isIosTab, readBrowserFacts } from '#app/lib/browser/ios-tab.ts';
import * as calls from '#shared/notifications/contract.ts';

/** How long to wait for the service worker, which is installed after the page has loaded. */
const WORKER_TIMEOUT_MS = 10_000;

/**
 * Whether this browser can receive push messages. `home_screen`: on iOS, only once the app is on the home screen; `blocked`: the
 * user has denied this site the permission for notifications.
 */
export type PushSupport = 'supported' | 'unsupported' | 'home_screen' | 'blocked';

export function pushSupport(): PushSupport {
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if (!isSupported) return isIosTab(readBrowserFacts()) ? 'home_screen' : 'unsupported';
  return Notification.permission === 'denied' ? 'blocked' : 'supported';
}

async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Whether this browser receives the push messages of this session. Throws `ApiError` or `UnreachableError`. */
export async function isPushOn(userId: number): Promise<boolean> {
  const [{ endpoint, publicKey }, subscription] = await Promise.all([
    request(calls.getPushSubscription, { userId }),
    findSubscription(),
  ]);
  return endpoint !== null && endpoint === subscription?.endpoint && hasKey(subscription, publicKey);
}

/** Asks for permission and subscribes; false if permission was not granted. Must be called in the handler of a tap. */
export async function switchPushOn(userId: number): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const { publicKey } = await request(calls.getPushSubscription, { userId });
  const { pushManager } = await waitForServiceWorker();
  const existing = await pushManager.getSubscription();
  // A subscription with another key belongs to another server, or to an earlier VAPID key of this server.
  if (existing !== null && !hasKey(existing, publicKey)) await existing.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const { endpoint, keys } = (await pushManager.subscribe(options)).toJSON();
  const json = { endpoint: endpoint ?? '', keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } };
  await request(calls.subscribeToPush, { userId, json });
  return true;
}

export async function switchPushOff(userId: number): Promise<void> {
  await request(calls.unsubscribeFromPush, { userId });
  const subscription = await findSubscription().catch(() => null);
  // An error of the browser does not matter: the server no longer sends messages.
  await subscription?.unsubscribe().catch(() => false);
}

/** Waits for the service worker to be ready. Throws after `WORKER_TIMEOUT_MS`. */
function waitForServiceWorker(): Promise<ServiceWorkerRegistration> {
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('The service worker is not installed')), WORKER_TIMEOUT_MS);
  });
  return Promise.race([navigator.serviceWorker.ready, timeout]);
}

/** Whether a subscription was made with this VAPID key, which is in base64url without padding. */
function hasKey({ options }: PushSubscription, publicKey: string): boolean {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === publicKey;
}
