import { request } from '#app/lib/api/api-client.ts';
import { isIosTab, readBrowserFacts } from '#app/lib/browser/ios-tab.ts';
import * as calls from '#shared/notifications/contract.ts';

/** The service worker is installed after the page has loaded. */
const WORKER_TIMEOUT_MS = 10_000;

/**
 * Whether this browser has push messages: `home_screen` once the app is on the home screen (iOS), `blocked` when its user has
 * refused notifications.
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

/** Whether push messages of this session come to this browser. Throws `ApiError` or `UnreachableError`. */
export async function isPushOn(userId: number): Promise<boolean> {
  const [{ endpoint, publicKey }, subscription] = await Promise.all([
    request(calls.readPush, { userId }),
    findSubscription(),
  ]);
  return endpoint !== null && endpoint === subscription?.endpoint && hasKey(subscription, publicKey);
}

/** Asks for permission, to be called on a tap only, and subscribes. False when it was not given. */
export async function switchPushOn(userId: number): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const { publicKey } = await request(calls.readPush, { userId });
  const { pushManager } = await workerInTime();
  const former = await pushManager.getSubscription();
  // It was made for another server, or for another key of this one.
  if (former !== null && !hasKey(former, publicKey)) await former.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const { endpoint, keys } = (await pushManager.subscribe(options)).toJSON();
  const json = { endpoint: endpoint ?? '', keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } };
  await request(calls.subscribeToPush, { userId, json });
  return true;
}

export async function switchPushOff(userId: number): Promise<void> {
  await request(calls.unsubscribeFromPush, { userId });
  // The server sends none any more, whatever the browser says to it.
  await findSubscription().then(
    (subscription) => subscription?.unsubscribe(),
    () => false,
  );
}

async function workerInTime(): Promise<ServiceWorkerRegistration> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The service worker is not installed')), WORKER_TIMEOUT_MS);
  try {
    return await Promise.race([navigator.serviceWorker.ready, late]);
  } finally {
    clearTimeout(timer);
  }
}

function hasKey({ options }: PushSubscription, publicKey: string): boolean {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === publicKey;
}
