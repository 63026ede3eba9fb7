import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import type { Handle } from '#api/db/client.ts';
import type { MutationResponse, Poll } from '#shared/polls/schema.ts';
import { uploadsFolder } from './invariants.ts';
import type { TestApp, TestUser } from './test-app.ts';
import { keyHeader, type TestClient } from './test-client.ts';

/** A small image in one colour, as a PNG. */
export async function makeImage(background: string): Promise<Buffer<ArrayBuffer>> {
  return Buffer.from(
    await sharp({ create: { width: 12, height: 8, channels: 3, background } })
      .png()
      .toBuffer(),
  );
}

/** Two images, each in two sizes. */
export const FILES_PER_POLL = 4;

const [RED, BLUE] = await Promise.all(['#c00', '#00c'].map(makeImage));

/** The fields of a new poll that differ from the defaults; `null` leaves a field out. */
export type PollFields = Partial<
  Record<
    'id' | 'question' | 'option1Caption' | 'option2Caption' | 'duration' | 'responsesWanted',
    string | null
  > &
    Record<'option1Image' | 'option2Image', Uint8Array<ArrayBuffer> | null>
>;

/** The multipart body of `POST /api/questions` and its headers. */
export async function pollForm(fields: PollFields = {}) {
  const form = new FormData();
  const { option1Image = RED, option2Image = BLUE, ...texts } = { question: 'Red or blue?', ...fields };
  // The images last, as a device sends them.
  for (const [name, value] of Object.entries({ ...texts, option1Image, option2Image })) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), `${name}.jpg`);
  }
  return encodeForm(form);
}

/**
 * The multipart body of a form and its headers. If the form itself were sent, Node would throw an uncaught error when the
 * server refuses it before it has read all of it.
 */
export async function encodeForm(form: FormData) {
  const encoded = new Request('http://localhost', { method: 'POST', body: form });
  const type = encoded.headers.get('content-type') ?? '';
  return { body: await encoded.arrayBuffer(), headers: { 'content-type': type } };
}

/** Sends `POST /api/questions` with these fields. */
export async function postPoll(
  client: TestClient,
  fields: PollFields = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const form = await pollForm(fields);
  return client.request('/api/questions', {
    method: 'POST',
    body: form.body,
    headers: { ...form.headers, ...headers },
  });
}

/** Creates a poll through the API; its maker needs the points. */
export async function makePoll(client: TestClient, fields: PollFields = {}): Promise<Poll> {
  const response = await postPoll(client, fields);
  if (response.status !== 201)
    throw new Error(`The poll was not created: ${response.status} ${await response.text()}`);
  const { poll }: MutationResponse = await response.json();
  if (poll === null) throw new Error('There is no poll in the response.');
  return poll;
}

/** Gives a user points, with their entry in the ledger. */
export async function givePoints({ db }: Pick<TestApp, 'db'>, userId: number, points: number): Promise<void> {
  await db.sql`
    with entry as (
      insert into point_entries (user_id, delta, reason, source)
      values (${userId}, ${points}, 'signup', ${`gift:${crypto.randomUUID()}`})
    )
    update users set points = points + ${points}, rev = rev + 1 where id = ${userId}`;
}

/**
 * The points of a user, the number of their polls, and that of their ledger entries for prices (`debits`). `orphans`: how many image
 * files, of all users, belong to no poll; not 0 if a failed creation has left files behind.
 */
export async function effectsOf({ db, deps }: TestApp, { user }: TestUser) {
  const [row] = await db.sql<[{ polls: number; points: number; debits: number }]>`
    select points, (select count(*)::int from polls where user_id = ${user.id}) as polls,
      (select count(*)::int from point_entries where user_id = ${user.id} and reason = 'poll') as debits
    from users where id = ${user.id}`;
  const [{ pollCount }] = await db.sql<
    [{ pollCount: number }]
  >`select count(*)::int as "pollCount" from polls`;
  const stored = await readdir(uploadsFolder(deps));
  const incoming = await readdir(deps.images.incomingFolder);
  return { ...row, orphans: stored.length - pollCount * FILES_PER_POLL + incoming.length };
}

/** Creates a poll of `maker`, who is given its price first. */
export async function openPoll(
  app: Pick<TestApp, 'db'>,
  maker: TestUser,
  fields?: PollFields,
): Promise<Poll> {
  await givePoints(app, maker.user.id, Number(fields?.responsesWanted ?? 10));
  return makePoll(maker, fields);
}

/** Sends `POST /api/questions/{id}/vote`. */
export function postVote(
  voter: TestClient,
  pollId: string,
  option: unknown,
  key?: string,
): Promise<Response> {
  return voter.post(`/api/questions/${pollId}/vote`, { option }, keyHeader(key));
}

/** Sends `PUT /api/questions/{id}/vote`. */
export function putVote(voter: TestClient, pollId: string, option: unknown, key?: string): Promise<Response> {
  return voter.put(`/api/questions/${pollId}/vote`, { option }, keyHeader(key));
}

/** Sends `POST /api/questions/{id}/close`. */
export function postClose(maker: TestClient, pollId: string, key?: string): Promise<Response> {
  return maker.post(`/api/questions/${pollId}/close`, undefined, keyHeader(key));
}

/** The user's points, as the API returns them. */
export async function pointsOf(user: TestUser): Promise<number> {
  return (await (await user.get('/api/user')).json()).points;
}

/** Stores active polls of one user without images, created a second apart. Returns their ids, oldest first. */
export async function seedPolls({ db }: { db: Handle }, userId: number, count: number): Promise<string[]> {
  const rows = await db.sql<{ id: string }[]>`
    with made as (
      insert into polls (id, user_id, question, option1_image, option2_image, responses_wanted, duration_days,
        created_at, closes_at)
      select gen_random_uuid(), ${userId}, 'Question ' || n, '/placeholder-1.svg', '/placeholder-2.svg', 100, 7,
        now() - make_interval(secs => ${count} - n), now() + interval '7 days'
      from generate_series(1, ${count}::int) n returning id, created_at
    ), counted as (
      update poll_totals set active = active + ${count}, total = total + ${count}
    )
    select id from made order by created_at`;
  return rows.map(({ id }) => id);
}

/** Creates a poll that has ended after a vote of `voter`; returns its id. */
export async function closedPoll(app: TestApp, voter: TestUser): Promise<string> {
  const { id } = await openPoll(app, await app.signUp());
  await postVote(voter, id, 1);
  await app.db.sql`update polls set closes_at = now() where id = ${id}`;
  return id;
}
