import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dexie } from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import sharp from 'sharp';
import { buildDocument } from '#api/docs/build-document.ts';
import { APP_ID } from '#shared/http.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { TransportRequest } from '#sync/client/capabilities.ts';
import { openUserDb } from '#sync/client/db.ts';
import { localLock } from '#sync/client/device/lock.ts';
import { NetworkFailure } from '#sync/client/engine-errors.ts';
import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';
import type { Op } from '#sync/operations/registry.ts';
import type { OpState } from '#sync/protocol/op.ts';
import { fakeBrowser } from '#sync/testing/fake-browser.ts';
import { fakeClock } from '#sync/testing/fake-clock.ts';
import { errorResponse, json, type Reply } from '#sync/testing/fake-transport.ts';
import { newVote } from '#sync/testing/queue-vote.ts';
import { samplePoll, sampleUser } from '#sync/testing/samples.ts';
import { readView } from './recorded-view.ts';
import { loadEngine, type RecordedDevice } from './releases.ts';
import { readDatabases, toJson } from './stored-databases.ts';

/**
 * Fills a device's databases with a vote and a new poll in each state, and two changes of votes, with the engine in the folder
 * given as argument. The responses of the fake server are chosen so that each state occurs. Writes `database.json` and, from this
 * commit's server, `openapi.json` to the same folder.
 */

const [, , folder = ''] = process.argv;
const PREFIX = 'this-or-that';
const USER = sampleUser({ id: 7_001, username: 'nina.k', points: 100, rev: 1 });
/** How far the server's clock is ahead of the device's. */
const CLOCK_OFFSET_MS = 3_600_000;
const CONFIRMED_VOTES = 2;

const indexedDB = new IDBFactory();
Dexie.dependencies = { indexedDB, IDBKeyRange };
const clock = fakeClock();
const engineOfRelease = await loadEngine(folder, 'recorded');

const pollId = (index: number) => `019352aa-0000-7000-8000-0000000000${String(index).padStart(2, '0')}`;
const polls: Poll[] = Array.from({ length: 12 }, (_, index) =>
  samplePoll({
    id: pollId(index),
    question: `Question ${index}`,
    option1Image: '/placeholder-1.svg',
    option2Image: '/placeholder-2.svg',
    votesCount: 0,
    rev: 1,
    isMine: index === 0,
    user: { username: index === 0 ? USER.username : 'mara.lind' },
  }),
);

/** The replies: to votes by poll id, to changes by `change <poll id>`, to creations by question. Others get no response. */
const replies = new Map<string, Reply>();
let isLoggedIn = true;

const neverRespond: Reply = () => new Promise(() => {});

/** The reply to a vote. Each contains the user as after all confirmed votes. */
function voteReply(index: number): Reply {
  const poll = samplePoll({ ...polls[index], votesCount: 1, votes: [{ option: 1 }], rev: 2 });
  return json(200, { poll, user: { ...USER, points: USER.points + CONFIRMED_VOTES, rev: 3 } });
}

function replyTo({ method, path, body }: TransportRequest): Reply {
  if (path === '/api/health') return json(200, { status: 'ok', app: APP_ID, version: '0' });
  if (!isLoggedIn) return errorResponse('unauthenticated');
  if (method !== 'GET') {
    const subject = body instanceof FormData ? body.get('question') : path.split('/')[3];
    return replies.get(method === 'PUT' ? `change ${subject}` : String(subject)) ?? (() => 'no_response');
  }
  if (path === '/api/user') return json(200, USER);
  if (path === '/api/user/questions') return json(200, polls.slice(0, 1));
  if (path.startsWith('/api/trending')) return json(200, polls.slice(1, 3));
  const pagination = { total: polls.length, limit: 20, offset: 0, hasMore: false, nextCursor: null };
  return json(200, { data: polls, pagination }, { ETag: '"recorded"' });
}

/** Waits several times, so that even on a busy machine the engine gets some turns of the event loop. */
async function waitForEngine(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await sleep(10);
}

/** Advances the clock, and waits for the work that this triggers. */
async function advanceClock(ms: number): Promise<void> {
  for (let remainingMs = ms; remainingMs > 0; remainingMs -= 1_000) {
    clock.advance(1_000);
    await waitForEngine();
  }
}

const engine = engineOfRelease.createEngine({
  ...fakeBrowser,
  clock,
  lock: localLock(),
  databasePrefix: PREFIX,
  transport: async (request) => {
    const response = await replyTo(request)(request);
    if (response === 'no_response') throw new NetworkFailure('no response');
    response.headers.set('Date', new Date(clock.now() + CLOCK_OFFSET_MS).toUTCString());
    return response;
  },
});

async function colourImage(background: string) {
  const image = sharp({ create: { width: 40, height: 30, channels: 3, background } });
  return {
    bytes: new Uint8Array(await image.webp().toBuffer()).buffer,
    mime: 'image/webp',
    width: 40,
    height: 30,
  };
}

async function draft(question: string): Promise<PollDraft> {
  return {
    question,
    option1Caption: 'Sand',
    option2Caption: '',
    durationDays: 3,
    responsesWanted: 10,
    images: [await colourImage('#56bbf5'), await colourImage('#f5a356')],
  };
}

await engine.start();
await engine.setUser(USER);
await Promise.all([engine.pullFeed(), engine.pullMine(), engine.pullTrending()]);

// One after another, so that each recording has the same order. The ops reach their states by the end of the minute.
replies
  .set(pollId(1), voteReply(1))
  .set(pollId(2), errorResponse('poll_closed'))
  .set(pollId(3), errorResponse('suspended'));
for (const index of [1, 2, 3]) await engine.queue(newVote(pollId(index), 1));
replies
  .set('rejected', errorResponse('insufficient_points'))
  .set('needs attention', errorResponse('suspended'));
for (const question of ['rejected', 'needs attention']) await engine.createPoll(await draft(question));
const changeOf = (index: number) =>
  ({ type: 'changeVote', payload: { pollId: pollId(index), option: 2 } }) as const;
replies.set(`change ${pollId(1)}`, errorResponse('change_limit'));
// Until the vote is sent, a change would replace it.
await waitForEngine();
await engine.queue(changeOf(1));
await advanceClock(60_000);

// The first creation and the second vote get no response: the ops after them wait until the session has ended.
replies.set('sending', neverRespond).set(pollId(4), voteReply(4)).set(pollId(5), neverRespond);
for (const question of ['sending', 'blocked']) await engine.createPoll(await draft(question));
for (const index of [4, 5, 6, 7]) {
  await engine.queue(newVote(pollId(index), 2));
  await waitForEngine();
}
await engine.queue(changeOf(4));
await waitForEngine();
isLoggedIn = false;
await engine.refreshUser();
await advanceClock(3_000);
await engine.queue(newVote(pollId(8), 1));
await engine.createPoll(await draft('queued'));
await waitForEngine();

const db = openUserDb(PREFIX, USER.id);
const recorded: RecordedDevice = {
  databases: await readDatabases(indexedDB, PREFIX),
  recordedAt: clock.now(),
  userId: USER.id,
  shown: await readView(db, clock.now() + CLOCK_OFFSET_MS),
};
const ops = await db.ops.toArray();
const missing = missingStates(ops);
if (missing.length > 0)
  throw new Error(`Not recorded: ${missing.join(', ')}; there are ${describeStates(ops)}`);
writeFileSync(join(folder, 'database.json'), `${toJson(recorded)}\n`);
writeFileSync(join(folder, 'openapi.json'), `${JSON.stringify(buildDocument(basename(folder), false))}\n`);

/** The states in which there is no vote, or no new poll. */
function missingStates(all: readonly Op[]): string[] {
  const expected: OpState[] = ['queued', 'sending', 'blocked_auth', 'rejected', 'needs_attention'];
  return (['vote', 'createPoll'] as const).flatMap((type) =>
    expected
      .filter((state) => !all.some((op) => op.type === type && op.state === state))
      .map((state) => `${type} ${state}`),
  );
}

function describeStates(all: readonly Op[]): string {
  return all.map(({ type, state }) => `${type} ${state}`).join(', ');
}
