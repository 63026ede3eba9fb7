import type { Eviction } from '#sync/client/types.ts';
import { changesLabel } from './changes-label.ts';

export const EVICTED_TITLE = 'This browser has removed what the app kept on this device';

/** What was lost with it. */
export function evictionWords({ lostChanges }: Eviction): string {
  if (lostChanges === null) return 'Votes and polls that were still waiting to be sent, if any, are lost.';
  return `${changesLabel(lostChanges)} that had not been sent ${lostChanges === 1 ? 'is' : 'are'} lost.`;
}
