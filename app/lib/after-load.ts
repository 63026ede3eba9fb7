/** Resolves once the page has loaded: what nobody needs in the first instant does not get in its way. */
export const afterLoad: Promise<void> = new Promise((resolve) => {
  if (document.readyState === 'complete') resolve();
  else window.addEventListener('load', () => resolve(), { once: true });
});
