import type { Lane } from '#sync/protocol/op.ts';
import type { LaneTrouble } from './types.ts';

/** Lanes that have met no trouble. */
export function noTrouble(): Record<Lane, LaneTrouble> {
  const none = { times: 0, behindSeq: 0, notBeforeMs: 0, blocks: 0 };
  return { votes: none, creations: none };
}
