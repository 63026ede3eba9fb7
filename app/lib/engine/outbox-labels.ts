import type { Eviction } from '#sync/client/types.ts';

/** "1 change", "3 changes". */
export function changesLabel(count: number): string {
  return `${count} ${count === 1 ? 'change' : 'changes'}`;
}

export const EVICTION_TITLE = 'This browser has removed the app’s data from this device';

/** What was lost with the storage, including refused changes. */
export function evictionMessage({ lostChanges }: Eviction): string {
  if (lostChanges === null) return 'Any votes and polls that waited on this device are lost.';
  return `${changesLabel(lostChanges)} that waited on this device ${lostChanges === 1 ? 'is' : 'are'} lost.`;
}
