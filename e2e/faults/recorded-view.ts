import {
  readLocalImages,
  readOutbox,
  readOwnPolls,
  readPoints,
  readPollsTab,
} from '#sync/client/cache/reads.ts';
import type { UserDb } from '#sync/client/db.ts';
import type { Op } from '#sync/operations/registry.ts';
import type { RecordedOp, RecordedView } from './releases.ts';

/** Reads what the screens show from a user's database at `serverNowMs`. */
export async function readView(db: UserDb, serverNowMs: number): Promise<RecordedView> {
  const [pollsTab, mine, outbox, points] = await Promise.all([
    readPollsTab(db, serverNowMs),
    readOwnPolls(db, serverNowMs),
    readOutbox(db),
    readPoints(db),
  ]);
  const toRecordedOp = async ({ opId, type, entityId, state }: Op): Promise<RecordedOp> => {
    const pictures = Object.keys(await readLocalImages(db, opId)).length;
    return { opId, type, entityId, state, pictures };
  };
  return {
    feed: [...pollsTab.trending, ...pollsTab.latest].map(({ poll, vote }) => ({
      id: poll.id,
      question: poll.question,
      vote,
    })),
    mine: mine.polls.map(({ poll }) => poll.question),
    needsYou: await Promise.all(outbox.needsDecision.map(toRecordedOp)),
    waiting: await Promise.all(outbox.waiting.map(toRecordedOp)),
    points: {
      confirmed: points?.confirmed ?? 0,
      pendingEarned: points?.pendingEarned ?? 0,
      pendingSpent: points?.pendingSpent ?? 0,
    },
  };
}
