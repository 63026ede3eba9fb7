/** Whether passkeys work in this browser at this address. */
export function arePasskeysSupported(): boolean {
  // Set by public/early.js.
  return document.documentElement.dataset.passkeys !== undefined;
}
