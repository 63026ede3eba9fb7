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

  // The app offers to install itself later, when the person knows it (app/lib/install/install-way.ts).
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    window.installPrompt = event;
  });
  addEventListener('appinstalled', () => {
    window.installPrompt = null;
  });
})();
