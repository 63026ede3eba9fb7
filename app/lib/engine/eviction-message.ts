import { countLabel } from '#app/lib/count-label.ts';
import type { Eviction } from '#sync/client/capabilities.ts';

export const EVICTION_TITLE = 'This browser has removed the app’s data from this device';

/** Says how many changes were lost with the storage: those that were waiting, and refused ones. */
export function evictionMessage({ lostChanges }: Eviction): string {
  if (lostChanges === null) return 'Any votes and polls waiting on this device are lost.';
  return `${countLabel(lostChanges, 'change')} waiting on this device ${lostChanges === 1 ? 'is' : 'are'} lost.`;
}
