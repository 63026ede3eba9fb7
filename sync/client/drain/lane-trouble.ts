import type { LaneTrouble } from '#sync/client/types.ts';
import type { Lane } from '#sync/operations/operation.ts';

/** Lanes that have met no trouble. */
export function noTrouble(): Record<Lane, LaneTrouble> {
  const none = { times: 0, behindSeq: 0, notBeforeMs: 0, blocks: 0 };
  return { votes: none, creations: none };
}
