import type { Lane } from '#sync/protocol/op.ts';
import type { LaneTrouble } from './types.ts';

/** Lanes that have met no trouble. */
export function noTrouble(): Record<Lane, LaneTrouble> {
  return { votes: { times: 0, behindSeq: 0 }, creations: { times: 0, behindSeq: 0 } };
}
