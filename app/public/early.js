// Shows the login page at once where nobody has ever logged in. The app would redirect, too, but only once it runs and knows the
// session.
(() => {
  const { pathname, search, hash } = location;
  const isStart = pathname === '/' || pathname === '/home';
  // Cookies of the server (shared/http.ts): `logged_in` lasts as long as the session, `device` remains after a logout.
  if (!isStart || /(?:^|; )(?:logged_in|device)=/.test(document.cookie)) return;
  location.replace(`/auth?${new URLSearchParams({ next: pathname + search + hash })}`);
})();

// Runs before the first paint, so that the page never flashes in the wrong theme, and nothing shifts later.
(() => {
  let storedTheme = null;
  try {
    storedTheme = localStorage.getItem('theme');
  } catch {
    // Without storage the default theme applies.
  }
  const isLight =
    storedTheme === 'light' ||
    (storedTheme === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
  document
    .querySelector('meta[name="theme-color"]')
    ?.setAttribute('content', isLight ? '#f6f3ee' : '#171310');

  // Passkeys need a host name, not an IP address. Without the attribute, the styles hide buttons that need passkeys.
  if ('PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname)) {
    document.documentElement.dataset.passkeys = '';
  }

  // Keeps the browser's install prompt, which the app shows later (app/lib/install/install-method.ts).
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    window.installPrompt = event;
  });
  addEventListener('appinstalled', () => {
    window.installPrompt = null;
  });
})();

// Shows the snapshot of the Polls tab, which app/features/polls/lib/home-snapshot.ts has taken, until the app runs.
(() => {
  // A snapshot fits only the build and the layout in which it was taken; `look` identifies them.
  window.homeLook = () =>
    [
      document.querySelector('script[type="module"]')?.getAttribute('src'),
      document.querySelector('link[rel="stylesheet"]')?.getAttribute('href'),
      matchMedia('(min-width: 48.0625rem)').matches ? 'desktop' : 'phone',
    ].join(' ');
  if (location.pathname !== '/home' || new URLSearchParams(location.search).has('tab')) return;
  /** @param {{ value: number, html: string, look?: string }} stored The entry of the snapshot; `value` is the id of its user. */
  const insertSnapshot = ({ value, html, look }) => {
    const host = document.getElementById('home-snapshot');
    if (host === null || look !== window.homeLook()) return;
    const snapshot = document.createElement('div');
    snapshot.dataset.user = String(value);
    snapshot.innerHTML = html;
    // The Content Security Policy forbids `style` attributes, but not styles set by a script.
    for (const element of snapshot.querySelectorAll('[data-style]'))
      element.style.cssText = element.dataset.style;
    const onImageError = ({ target }) => {
      const empty = document.createElement('div');
      empty.className = target.className;
      target.replaceWith(empty);
    };
    snapshot.addEventListener('error', onImageError, { capture: true });
    window.homeSnapshot = snapshot;
    host.replaceChildren(snapshot);
  };
  /** @param {{ value: number, html: string, look?: string }} stored */
  const insertOnceParsed = (stored) => {
    // Not on `DOMContentLoaded`, which waits for the app's scripts.
    if (document.readyState !== 'loading') insertSnapshot(stored);
    else document.addEventListener('readystatechange', () => insertSnapshot(stored), { once: true });
  };
  try {
    const request = indexedDB.open('this-or-that-device');
    // Does not create the database where there is none yet.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = (event) => event.preventDefault();
    request.onsuccess = () => {
      const db = request.result;
      if (!db.objectStoreNames.contains('entries')) return db.close();
      // `DeviceEntry` in sync/client/db.ts describes the keys.
      const entries = db.transaction('entries').objectStore('entries');
      const [user, logout, sessionEnd, snapshot] = [
        'lastUserId',
        'signedOut',
        'sessionEndedAt',
        'homeSnapshot',
      ].map((key) => entries.get(key));
      entries.transaction.oncomplete = () => {
        db.close();
        const isLoggedIn = logout.result === undefined && sessionEnd.result === undefined;
        if (snapshot.result && isLoggedIn && user.result?.value === snapshot.result.value)
          insertOnceParsed(snapshot.result);
      };
    };
  } catch {
    // Without the database the page shows skeletons.
  }
})();

// Marks buttons of a prerendered page that are clicked before the app runs. The app replays the clicks and removes `data-page`.
// Not on /home, where the menu opens without scripts and everything else needs the session; there `data-page` remains.
document.addEventListener('click', (event) => {
  const { target } = event;
  const button = target instanceof Element && target.closest('[data-page]:not([data-page="home"]) button');
  if (!button) return;
  event.preventDefault();
  button.dataset.earlyClick = '';
});

// Some prerendered pages keep the app's scripts in a template, because the scripts would compete for the network with what is
// painted first. They start once the page is painted and its images are decoded, or after a timeout.
document.addEventListener('DOMContentLoaded', () => {
  const TIMEOUT_MS = 3_000;
  const template = document.querySelector('template');
  if (template === null) return;
  const start = () => template.replaceWith(template.content);

  // A service worker needs no network for the scripts, and a hidden page is not painted.
  if (navigator.serviceWorker?.controller || document.visibilityState === 'hidden') {
    start();
    return;
  }
  document.addEventListener('visibilitychange', start);
  setTimeout(start, TIMEOUT_MS);
  const firstPaint = new Promise((resolve) => {
    new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
  });
  const decodedImages = Array.from(document.images, (image) => image.decode());
  Promise.allSettled([firstPaint, ...decodedImages]).then(start);
});
