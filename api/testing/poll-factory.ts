import sharp from 'sharp';
import type { MutationAnswer, Poll } from '#shared/polls/schema.ts';
import type { TestApp } from './test-app.ts';
import type { TestClient } from './test-client.ts';

/** A small picture in one colour, as a PNG. */
export async function makePicture(background: string): Promise<Buffer<ArrayBuffer>> {
  return Buffer.from(
    await sharp({ create: { width: 12, height: 8, channels: 3, background } })
      .png()
      .toBuffer(),
  );
}

const [RED, BLUE] = await Promise.all(['#c00', '#00c'].map(makePicture));

/** What a test says about a poll to make; `null` leaves a field out. */
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
  const all = { question: 'Red or blue?', option1Image: RED, option2Image: BLUE, ...fields };
  for (const [name, value] of Object.entries(all)) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value]), `${name}.jpg`);
  }
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

/** A poll that really was made by a call; its maker needs the points. */
export async function makePoll(client: TestClient, fields: PollFields = {}): Promise<Poll> {
  const answer = await postPoll(client, fields);
  if (answer.status !== 201) throw new Error(`No poll: ${answer.status} ${await answer.text()}`);
  const { poll }: MutationAnswer = await answer.json();
  if (poll === null) throw new Error('No poll in the answer.');
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
