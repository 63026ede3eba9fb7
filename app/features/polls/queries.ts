import { useAtomValue } from 'jotai';
import { useState } from 'react';
import {
  type FeedLoadState,
  feedLoadStateAtom,
  feedLoadStateOf,
  feedUserDb,
  justHiddenAtom,
  loadedFeedDbAtom,
} from '#app/features/polls/atoms.ts';
import type { InitialForm } from '#app/features/polls/lib/create-poll-form.ts';
import { sessionState } from '#app/lib/engine/engine.ts';
import { useServerNow } from '#app/lib/engine/server-now.ts';
import { useSession } from '#app/lib/engine/session.ts';
import { useUserQuery, useUserQueryOf } from '#app/lib/engine/user-query.ts';
import { store } from '#app/lib/store.ts';
import {
  type OwnPollsView,
  type PollsTabView,
  readHasNoPolls,
  readIsPollsTabEmpty,
  readLocalImages,
  readOwnPolls,
  readPoll,
  readPollsTab,
} from '#sync/client/cache/reads.ts';
import type { PollView } from '#sync/operations/operation.ts';

/**
 * The polls of the Polls tab that are on this device; undefined until they are read. `hasLoaded`, for an empty view only: whether it
 * was read after page 1 was loaded since the app was started; otherwise the feed may not be empty.
 */
export function usePollsTab(): (PollsTabView & { hasLoaded: boolean }) | undefined {
  const now = useServerNow();
  const justHiddenIds = useAtomValue(justHiddenAtom);
  const [isEmpty, setEmpty] = useState(false);
  // Once page 1 has been loaded, an empty view is read again: it may have been read before.
  const mustReadAgain = useHasLoadedFeed() && isEmpty;
  const view = useUserQueryOf(
    async (db) => {
      const hasLoaded = store.get(loadedFeedDbAtom) === db;
      return { ...(await readPollsTab(db, now, justHiddenIds)), hasLoaded };
    },
    [now, justHiddenIds, mustReadAgain],
  );
  const isViewEmpty = view !== undefined && view.latest.length + view.trending.length === 0;
  if (isViewEmpty !== isEmpty) setEmpty(isViewEmpty);
  return view;
}

/** Whether page 1 was loaded since the app was started. */
function useHasLoadedFeed(): boolean {
  const db = feedUserDb(useSession());
  return useAtomValue(loadedFeedDbAtom) === db && db !== null;
}

/** Whether the Polls tab has no polls, not even waiting polls; false while that is unknown, and after a failed load. */
export function useIsPollsTabEmpty(): boolean {
  const hasLoaded = useHasLoadedFeed();
  const isEmpty = useUserQueryOf(async (db) => hasLoaded && readIsPollsTabEmpty(db), [hasLoaded]);
  return useFeedLoadState() !== 'failed' && isEmpty === true;
}

/** Whether there are no polls at all, as far as this device knows, not even polls that the feed lacks. */
export function useHasNoPolls(): boolean {
  return useUserQuery(readHasNoPolls) === true;
}

export function useFeedLoadState(): FeedLoadState {
  return feedLoadStateOf(useAtomValue(feedLoadStateAtom), feedUserDb(useSession()));
}

/** The user's own polls that are on this device; undefined until they are read. */
export function useOwnPolls(): OwnPollsView | undefined {
  const now = useServerNow();
  return useUserQueryOf((db) => readOwnPolls(db, now), [now]);
}

/** A poll; null when it is not on this device, undefined until that is known. */
export function usePoll(id: string): PollView | null | undefined {
  const now = useServerNow();
  return useUserQueryOf((db) => readPoll(db, id, now), [id, now]);
}

/** The form with the content of a refused poll; null when it is no longer in the outbox. */
export async function readRefusedPollForm(opId: string): Promise<InitialForm | null> {
  const session = sessionState.get();
  if (session.status !== 'user') return null;
  const op = await session.db.ops.where('opId').equals(opId).first();
  if (op?.type !== 'createPoll') return null;
  const { question, option1Caption, option2Caption, durationDays, responsesWanted } = op.payload;
  return {
    texts: {
      pollId: op.entityId,
      question,
      captions: { 1: option1Caption, 2: option2Caption },
      durationDays,
      responsesWanted,
    },
    pictures: await readLocalImages(session.db, opId),
    replacesOpId: opId,
  };
}
