// Runs before the first paint, so that a chosen theme never flashes in the other one's colours, and nothing moves aside later.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('theme');
  } catch {
    // Storage can be switched off; the default holds then.
  }
  const light =
    choice === 'light' || (choice === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', light ? '#f6f3ee' : '#171310');

  // Passkeys need a name in the address. The styles hide what needs them elsewhere.
  if ('PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname)) {
    document.documentElement.dataset.passkeys = '';
  }

  // The app offers to install itself later, when the person knows it (app/lib/install/install-method.ts).
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    window.installPrompt = event;
  });
  addEventListener('appinstalled', () => {
    window.installPrompt = null;
  });
})();

// Shows what the Polls tab last looked like until the app runs (app/features/polls/lib/home-snapshot.ts takes the snapshot).
(() => {
  // A snapshot fits only the build and the layout in which it was taken.
  window.homeLook = () =>
    [
      document.querySelector('script[type="module"]')?.getAttribute('src'),
      document.querySelector('link[rel="stylesheet"]')?.getAttribute('href'),
      matchMedia('(min-width: 48.0625rem)').matches ? 'desktop' : 'phone',
    ].join(' ');
  if (location.pathname !== '/home' || new URLSearchParams(location.search).has('tab')) return;
  /** @param {{ value: number, html: string, look?: string }} stored */
  const place = ({ value, html, look }) => {
    const host = document.getElementById('home-snapshot');
    if (host === null || look !== window.homeLook()) return;
    const snapshot = document.createElement('div');
    snapshot.dataset.user = String(value);
    snapshot.innerHTML = html;
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
  const show = (stored) => {
    // Before `DOMContentLoaded`, which waits for the scripts of the app.
    if (document.readyState !== 'loading') place(stored);
    else document.addEventListener('readystatechange', () => place(stored), { once: true });
  };
  try {
    const opening = indexedDB.open('this-or-that-device');
    // A browser without the database must not get an empty one.
    opening.onupgradeneeded = () => opening.transaction.abort();
    opening.onerror = (event) => event.preventDefault();
    opening.onsuccess = () => {
      const db = opening.result;
      if (!db.objectStoreNames.contains('entries')) return db.close();
      const entries = db.transaction('entries').objectStore('entries');
      const [user, logOut, ended, snapshot] = [
        'lastUserId',
        'signedOut',
        'sessionEndedAt',
        'homeSnapshot',
      ].map((key) => entries.get(key));
      entries.transaction.oncomplete = () => {
        db.close();
        const isLoggedIn = logOut.result === undefined && ended.result === undefined;
        if (snapshot.result && isLoggedIn && user.result?.value === snapshot.result.value)
          show(snapshot.result);
      };
    };
  } catch {
    // Without a database the page shows its skeletons.
  }
})();

// Marks the buttons of a prerendered page that are clicked before the app runs; the app then clicks them again. The shell of /home
// has none, and keeps its mark.
document.addEventListener('click', (event) => {
  const { target } = event;
  const button = target instanceof Element && target.closest('[data-page]:not([data-page="home"]) button');
  if (!button) return;
  event.preventDefault();
  button.dataset.earlyClick = '';
});

// Some prerendered pages have the scripts of the app in a template: requested earlier, they would compete for the network with
// what is painted first, and with the images.
document.addEventListener('DOMContentLoaded', () => {
  const LATEST_MS = 3_000;
  const template = document.querySelector('template');
  if (template === null) return;
  const start = () => template.replaceWith(template.content);

  // A service worker needs no network, and a hidden page is never painted.
  if (navigator.serviceWorker?.controller || document.visibilityState === 'hidden') {
    start();
    return;
  }
  document.addEventListener('visibilitychange', start);
  setTimeout(start, LATEST_MS);
  const painted = new Promise((resolve) => {
    new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
  });
  const shown = Array.from(document.images, (image) => image.decode());
  Promise.allSettled([painted, ...shown]).then(start);
});
