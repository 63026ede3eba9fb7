import type { Eviction } from '#sync/client/types.ts';

/** "1 change", "3 changes". */
export function changesLabel(count: number): string {
  return `${count} ${count === 1 ? 'change' : 'changes'}`;
}

export const EVICTED_TITLE = 'This browser has removed what the app kept on this device';

/** What was lost with it. Refused changes, which wait for the person, count too. */
export function evictionWords({ lostChanges }: Eviction): string {
  if (lostChanges === null) return 'Votes and polls that waited on this device, if any, are lost.';
  return `${changesLabel(lostChanges)} that waited on this device ${lostChanges === 1 ? 'is' : 'are'} lost.`;
}
