import { browserLock } from './lock.ts';
import { fetchTransport } from './transport.ts';
import type { Capabilities, Engine, SessionChannel } from './types.ts';

/** The other tabs of this device; a browser without broadcast channels has each tab follow the server alone. */
function tabChannel(): SessionChannel {
  if (typeof BroadcastChannel === 'undefined') return { announce() {}, listen() {} };
  const channel = new BroadcastChannel('this-or-that-session');
  return {
    announce: () => channel.postMessage('changed'),
    listen: (listener) => channel.addEventListener('message', listener),
  };
}

/** What a real browser (or its service worker) offers the engine. */
export function browserCapabilities(): Capabilities {
  return {
    transport: fetchTransport(),
    clock: {
      now: () => Date.now(),
      setTimeout(run, delayMs) {
        const id = setTimeout(run, delayMs);
        return () => clearTimeout(id);
      },
    },
    lock: browserLock(),
    tabs: tabChannel(),
    random: () => Math.random(),
  };
}

/** Makes the engine send what waits whenever the page comes back to life or to the network. */
export function drainOnPageEvents(engine: Engine): void {
  const drain = () => engine.drain();
  window.addEventListener('online', drain);
  window.addEventListener('pageshow', drain);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') drain();
  });
}

/**
 * On the first visit the pictures arrive before the service worker does: asks for them once more (they come
 * from the HTTP cache), so that they are there without a network too.
 */
export async function keepPicturesOfFirstVisit(): Promise<void> {
  if (!('serviceWorker' in navigator) || navigator.serviceWorker.controller !== null) return;
  await new Promise((resolve) =>
    navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
  );
  for (const image of document.images) {
    if (new URL(image.currentSrc || image.src, location.href).pathname.startsWith('/uploads/')) {
      void fetch(image.currentSrc || image.src).catch(() => {});
    }
  }
}
