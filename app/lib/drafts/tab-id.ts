import { holdLock } from '#sync/client/device/hold-lock.ts';

const TAB_KEY = 'tab';
/** After a reload, the previous page releases the lock within this time. */
const LOCK_TIMEOUT_MS = 500;

/** The name of the lock that a tab holds while it is open. */
export function tabLockName(tab: string): string {
  return `tab:${tab}`;
}

async function findTabId(): Promise<string | null> {
  try {
    const storedId = sessionStorage.getItem(TAB_KEY);
    // A duplicated tab has a copy of the id of a tab that is still open.
    if (storedId !== null && (await holdLock(tabLockName(storedId), LOCK_TIMEOUT_MS))) return storedId;
    // `randomUUID` needs https.
    const newId = crypto.getRandomValues(new Uint32Array(4)).join('-');
    sessionStorage.setItem(TAB_KEY, newId);
    await holdLock(tabLockName(newId), LOCK_TIMEOUT_MS);
    return newId;
  } catch {
    return null;
  }
}

let tabId: Promise<string | null> | undefined;

/** The id of this tab, which survives a reload; unique among open tabs if the browser has Web Locks. Null without storage. */
export function ownTabId(): Promise<string | null> {
  tabId ??= findTabId();
  return tabId;
}

/** After a reload, takes the lock of this tab's id at once, so that no other tab takes over its draft. */
export function claimTab(): void {
  try {
    if (sessionStorage.getItem(TAB_KEY) !== null) void ownTabId();
  } catch {
    // Without storage there are no ids.
  }
}
