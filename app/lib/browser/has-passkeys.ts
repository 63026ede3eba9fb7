/** Whether this browser has passkeys at this address. */
export function hasPasskeys(): boolean {
  // Set by public/early.js.
  return document.documentElement.dataset.passkeys !== undefined;
}
