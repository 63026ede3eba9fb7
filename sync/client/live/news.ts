import { background } from '#sync/client/background.ts';
import { isSending, knownPolls, type NewsBatch, storeNews } from '#sync/client/cache/cached-news.ts';
import type { Puller } from '#sync/client/cache/puller.ts';
import { type Observable, observable } from '#sync/client/observable.ts';
import type { Capabilities, Engine, Session } from '#sync/client/types.ts';
import type { News } from './live-socket.ts';
import { createWatchedPolls, type WatchedPolls } from './watched-polls.ts';

/**
 * News wait this long for more: they are stored together, and what this device did itself comes with the answer to
 * it, before the news of it do (a point would be counted twice for a moment, as earned and as expected).
 */
const GATHER_MS = 600;
/** While changes of this user's are on their way the news wait on, but not for a long upload. */
const HOLDS_MAX = 8;
/** The questions of a user's tabs and devices, which all hear the same, are spread over this time. */
const SPREAD_MS = 2_000;
/** More than one is enough for a dot. */
const UNSEEN_MAX = 100;

/** What is made of the socket's messages in one tab. */
export type LiveUpdates = Pick<Engine, 'hasNewPolls' | 'watchPoll' | 'pullFeed'> &
  Pick<WatchedPolls, 'look' | 'lookAgain'> & { handle(news: News): void };

export type NewsContext = Pick<Capabilities, 'clock' | 'random'> & {
  session: Observable<Session>;
  puller: Puller;
  /** Asks the server who is signed in, and what they are by now. */
  checkSession(): Promise<void>;
};

export function createLiveUpdates(context: NewsContext): LiveUpdates {
  const { clock, random, session, puller } = context;
  const hasNewPolls = observable(false);
  const unseen = new Set<string>();
  let batch: NewsBatch | null = null;
  let heardFor: string | null = null;
  let isUserDue = false;

  const db = () => {
    const current = session.get();
    return current.status === 'user' ? current.db : null;
  };
  const watched = createWatchedPolls({
    clock,
    random,
    read: async (pollId) => db()?.polls.get(pollId),
    pull: puller.pullPoll,
  });

  function showDot(): void {
    if (hasNewPolls.get() !== unseen.size > 0) hasNewPolls.set(unseen.size > 0);
  }

  /** What was meant for one user is nothing for the next, and revisions of a former server are nothing for a restored one. */
  session.subscribe(() => {
    const current = session.get();
    const next = current.status === 'user' ? `${current.user.id} ${current.user.epoch}` : null;
    if (next === heardFor) return;
    heardFor = next;
    batch = null;
    unseen.clear();
    showDot();
  });

  function gather(): NewsBatch {
    if (batch !== null) return batch;
    const started: NewsBatch = { votes: new Map(), created: new Set(), removed: new Set(), points: null };
    batch = started;
    storeLater(started, HOLDS_MAX);
    return started;
  }

  function storeLater(gathered: NewsBatch, holdsLeft: number): void {
    clock.setTimeout(() => background(storeWhenQuiet(gathered, holdsLeft)), GATHER_MS);
  }

  async function storeWhenQuiet(gathered: NewsBatch, holdsLeft: number): Promise<void> {
    const current = db();
    const isBusy = current !== null && holdsLeft > 0 && (await isSending(current));
    // Meanwhile it may have become somebody else's device.
    if (batch !== gathered) return;
    if (isBusy) return storeLater(gathered, holdsLeft - 1);
    batch = null;
    await store(gathered);
  }

  async function store(news: NewsBatch): Promise<void> {
    const current = session.get();
    if (current.status !== 'user') return;
    if (await storeNews(current.db, current.user.id, news)) askForUser();
    const known = await knownPolls(current.db, [...news.created]);
    for (const id of news.created) if (!known.has(id) && unseen.size < UNSEEN_MAX) unseen.add(id);
    for (const id of news.removed) unseen.delete(id);
    showDot();
    watched.look(news.votes.keys());
  }

  /** Points that came from elsewhere may be a friend's doing: what friends have earned is told with the user alone. */
  function askForUser(): void {
    if (isUserDue) return;
    isUserDue = true;
    clock.setTimeout(() => {
      isUserDue = false;
      if (session.get().status === 'user') background(context.checkSession());
    }, random() * SPREAD_MS);
  }

  return {
    hasNewPolls,
    watchPoll: watched.watch,
    look: watched.look,
    lookAgain: watched.lookAgain,
    handle(news) {
      const { votes, created, removed } = gather();
      switch (news.type) {
        case 'poll.votes':
          if ((votes.get(news.id)?.rev ?? 0) < news.rev) votes.set(news.id, news);
          break;
        case 'poll.created':
          created.add(news.id);
          break;
        case 'poll.removed':
          created.delete(news.id);
          removed.add(news.id);
          break;
        case 'user':
          if ((gather().points?.rev ?? 0) < news.rev) gather().points = news;
          break;
      }
    },
    async pullFeed() {
      const before = [...unseen];
      const result = await puller.pullFeed();
      const current = db();
      if (current === null || (result !== 'updated' && result !== 'unchanged')) return result;
      // Of what was told meanwhile some may be in the answer.
      const arrived = await knownPolls(current, [...unseen]);
      for (const id of [...before, ...arrived]) unseen.delete(id);
      showDot();
      return result;
    },
  };
}
