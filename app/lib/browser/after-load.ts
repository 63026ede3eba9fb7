/** Resolves once the page has loaded, for work that must not delay the first paint. */
export const afterLoad: Promise<void> = new Promise((resolve) => {
  // Never resolves while pages are prerendered.
  if (typeof document === 'undefined') return;
  if (document.readyState === 'complete') resolve();
  else window.addEventListener('load', () => resolve(), { once: true });
});
