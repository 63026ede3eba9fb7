import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sessionState } from '#app/lib/engine/engine.ts';
import { reachableState } from '#app/lib/engine/online.ts';
import { shareLink } from '#app/lib/sharing/share.ts';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import { endWarmUp, uncountWarmUpVote } from '#app/lib/warm-up.ts';
import type { Session } from '#sync/client/session/session-context.ts';
import type { CreatePollOp, VoteOp } from '#sync/operations/registry.ts';
import { sampleDraft, samplePoll } from '#sync/testing/samples.ts';
import { announceOutcome, createPoll, discardOp, refreshFeed, tryOpAgain } from './actions.ts';
import { feedLoadStateAtom } from './atoms.ts';

vi.mock('#app/lib/sharing/share.ts', () => ({ shareLink: vi.fn() }));
const failWithTimeout = async () => {
  throw Object.assign(new Error(), { code: 'browser_timeout' });
};
const pullFeed = vi.fn(async () => 'updated');
const pullTrending = vi.fn(async () => 'updated');
vi.mock('#app/lib/engine/engine.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  loadEngine: async () => ({
    discard: failWithTimeout,
    tryAgain: failWithTimeout,
    pullFeed,
    pullTrending,
    createPoll: async () => {},
    session: sessionState,
  }),
}));
const WARMING_UP_ID = 7;
vi.mock('#app/lib/warm-up.ts', () => ({
  endWarmUp: vi.fn(),
  isWarmingUp: (userId: number) => userId === WARMING_UP_ID,
  uncountWarmUpVote: vi.fn(),
}));

const OP_FIELDS = {
  seq: 1,
  opId: '019a0000-0000-7000-8000-0000000000aa',
  userId: 100,
  schemaVersion: 1,
  entityId: '019a0000-0000-7000-8000-000000000001',
  state: 'queued',
  attempts: 0,
  nextAttemptAt: 0,
  leaseOwner: null,
  leaseUntil: 0,
  lastError: null,
  createdAt: 0,
} as const;
const CREATION: CreatePollOp = {
  ...OP_FIELDS,
  type: 'createPoll',
  payload: {
    pollId: OP_FIELDS.entityId,
    question: 'Tea or coffee?',
    option1Caption: '',
    option2Caption: '',
    durationDays: 3,
    responsesWanted: 10,
  },
};
const VOTE: VoteOp = { ...OP_FIELDS, type: 'vote', payload: { pollId: OP_FIELDS.entityId, option: 1 } };

function shownToasts(): [string, string | null][] {
  return store.get(toastsAtom).map(({ title, text }) => [title, text]);
}

beforeEach(() => {
  vi.useFakeTimers();
  store.set(toastsAtom, []);
  return () => vi.useRealTimers();
});

describe('the toast about a queued poll', () => {
  test('says that the poll was created', () => {
    announceOutcome({ type: 'applied', op: CREATION, poll: null, isNew: true });
    expect(shownToasts()).toEqual([['Poll created!', 'It is open for 3 days.']]);
  });

  test('has a Share button if the poll has a share link', () => {
    const shareUrl = 'https://polls.example/s/abc';
    announceOutcome({ type: 'applied', op: CREATION, poll: samplePoll({ shareUrl }), isNew: true });
    const [toast] = store.get(toastsAtom);
    expect(toast).toMatchObject({ title: 'Poll created!', action: { label: 'Share' } });
    toast?.action?.run();
    expect(shareLink).toHaveBeenCalledExactlyOnceWith({ title: 'Tea or coffee?', url: shareUrl });
  });

  test('has no Share button if the server is older than share links', () => {
    const { shareUrl: _, ...poll } = samplePoll();
    announceOutcome({ type: 'applied', op: CREATION, poll, isNew: true });
    expect(store.get(toastsAtom).map(({ action }) => action)).toEqual([null]);
  });

  test('says that the poll was already posted, if the server had it before', () => {
    announceOutcome({ type: 'applied', op: CREATION, poll: null, isNew: false });
    expect(shownToasts()).toEqual([['Already posted', 'This poll was already posted and has not changed.']]);
  });

  test.each([
    ['being sent', true, 'It is being sent. On a slow connection this can take a while.'],
    ['saved until the server can be reached', false, 'It will be posted as soon as you are back online.'],
  ])('says that a delayed poll is %s', (_, isReachable, text) => {
    vi.spyOn(reachableState, 'get').mockReturnValue(isReachable);
    announceOutcome({ type: 'delayed', op: CREATION });
    expect(shownToasts()).toEqual([['Saved on this device', text]]);
  });

  test.each([
    ['insufficient_points', 'You need 12 points to create a poll', 'You need 12 points to create a poll'],
    ['insufficient_points', '', 'You do not have enough points.'],
    ['unknown', 'what the server said', 'what the server said'],
  ] as const)('says that creating the poll failed, and why (%s, %j)', (code, message, text) => {
    const error = { status: 402, code, message };
    announceOutcome({ type: 'rejected', op: CREATION, error });
    expect(shownToasts()).toEqual([['Failed to create poll', text]]);
  });
});

test('the toast about a created poll replaces the toast that it was saved, but no toast about another poll', () => {
  announceOutcome({ type: 'delayed', op: CREATION });
  const otherCreation = { ...CREATION, entityId: '019a0000-0000-7000-8000-000000000002' };
  announceOutcome({ type: 'applied', op: otherCreation, poll: null, isNew: true });
  expect(shownToasts().map(([title]) => title)).toEqual(['Saved on this device', 'Poll created!']);
  store.set(toastsAtom, []);
  announceOutcome({ type: 'delayed', op: CREATION });
  announceOutcome({ type: 'applied', op: CREATION, poll: null, isNew: true });
  expect(shownToasts().map(([title]) => title)).toEqual(['Poll created!']);
});

test.each([
  ['ends their warm-up', WARMING_UP_ID, 1],
  ['does not end the warm-up of another user', 8, 0],
])('the new poll of a user %s', async (_case, id, count) => {
  vi.mocked(endWarmUp).mockClear();
  vi.spyOn(sessionState, 'get').mockReturnValue({ status: 'user', user: { id } } as Session);
  await createPoll(sampleDraft());
  expect(endWarmUp).toHaveBeenCalledTimes(count);
});

test('an applied vote shows no toast', () => {
  announceOutcome({ type: 'applied', op: VOTE, poll: null, isNew: true });
  expect(shownToasts()).toEqual([]);
});

test('a refused vote shows no toast, and no longer counts in the warm-up', () => {
  const error = { status: 409, code: 'poll_closed', message: '' } as const;
  announceOutcome({ type: 'rejected', op: VOTE, error });
  expect(shownToasts()).toEqual([]);
  expect(uncountWarmUpVote).toHaveBeenCalledExactlyOnceWith(VOTE.userId, VOTE.entityId);
});

test.each([
  ['Discard', discardOp, 'Your change was not discarded'],
  ['Try again', tryOpAgain, 'Your change was not sent'],
] as const)(
  'on a card with a refused vote, %s shows a toast if the storage of the device fails',
  async (_, run, title) => {
    expect(await run(VOTE.opId)).toBe(false);
    expect(store.get(toastsAtom)).toMatchObject([
      { title, text: expect.stringContaining('storage is not responding') },
    ]);
  },
);

test('the feed is loaded even if the device could not store the trending polls', async () => {
  const db = {};
  vi.spyOn(sessionState, 'get').mockImplementation(
    () => ({ status: 'user', db, needsLogin: false }) as Session,
  );
  pullTrending.mockImplementationOnce(failWithTimeout);
  await refreshFeed();
  expect(store.get(feedLoadStateAtom)).toEqual({ userDb: db, load: 'loaded' });
});

test('after a session has ended while its feed was loading, the next login of the user can load it', async () => {
  const db = {};
  let needsLogin = false;
  vi.spyOn(sessionState, 'get').mockImplementation(() => ({ status: 'user', db, needsLogin }) as Session);
  pullFeed.mockImplementationOnce(async () => {
    needsLogin = true;
    return 'logged_out';
  });
  await refreshFeed();
  needsLogin = false;
  await refreshFeed();
  expect(pullFeed).toHaveBeenCalledTimes(2);
});
