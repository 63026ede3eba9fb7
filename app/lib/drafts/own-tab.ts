import { holdLock } from '#sync/client/device/lock.ts';

const TAB_KEY = 'tab';
/** The page before a reload lets go within this time. */
const FREED_WITHIN_MS = 500;

/** The name of the lock that a tab holds as long as it lives. */
export function tabLock(tab: string): string {
  return `tab:${tab}`;
}

async function findName(): Promise<string | null> {
  try {
    const kept = sessionStorage.getItem(TAB_KEY);
    // A duplicated tab comes with the name of one that lives on.
    if (kept !== null && (await holdLock(tabLock(kept), FREED_WITHIN_MS))) return kept;
    const made = crypto.randomUUID();
    sessionStorage.setItem(TAB_KEY, made);
    await holdLock(tabLock(made), FREED_WITHIN_MS);
    return made;
  } catch {
    return null;
  }
}

let name: Promise<string | null> | undefined;

/** The name of this tab, which a reload keeps and no other living tab has. Null without storage. */
export function ownTab(): Promise<string | null> {
  name ??= findName();
  return name;
}

/** Tells the other tabs that this one lives, if it has a name from before it was loaded anew. */
export function claimTab(): void {
  try {
    if (sessionStorage.getItem(TAB_KEY) !== null) void ownTab();
  } catch {
    // Without storage it has none.
  }
}
