import sharp from 'sharp';
import { illustrationPath } from '#api/admin/samples/sample-pairs.ts';
import { PAIRS, type Pair } from '#scripts/illustrations/pairs.ts';

const PASSWORD = 'seeded for the images';
const VOTERS = ['amir', 'bea', 'chloe', 'dario', 'elif', 'finn', 'greta', 'hugo', 'ida'];
const IMAGE_PX = 900;

type Caller = (path: string, body: unknown) => Promise<Response>;

async function register(address: string, username: string): Promise<Caller> {
  const headers = { 'Content-Type': 'application/json', Origin: address };
  const body = JSON.stringify({ username, email: `${username}@example.org`, password: PASSWORD });
  const response = await fetch(`${address}/api/register`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${username} could not sign up: ${await response.text()}`);
  const cookie = response.headers
    .getSetCookie()
    .map((header) => header.split(';')[0])
    .join('; ');
  return async (path, content) => {
    const isForm = content instanceof FormData;
    const result = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: address, ...(isForm ? {} : { 'Content-Type': 'application/json' }) },
      body: isForm ? content : JSON.stringify(content),
    });
    if (!result.ok) throw new Error(`${path}: ${await result.text()}`);
    return result;
  };
}

async function formOf(pair: Pair): Promise<FormData> {
  const form = new FormData();
  form.set('question', pair.question);
  form.set('duration', String(pair.durationDays));
  form.set('responsesWanted', '10');
  for (const [index, illustration] of pair.illustrations.entries()) {
    const bytes = await sharp(illustrationPath(illustration)).resize(IMAGE_PX).png().toBuffer();
    form.set(`option${index + 1}Caption`, pair.captions[index] ?? '');
    form.set(
      `option${index + 1}Image`,
      new Blob([Uint8Array.from(bytes)], { type: 'image/png' }),
      'image.png',
    );
  }
  return form;
}

async function idOf(response: Response): Promise<string> {
  const { poll } = (await response.json()) as { poll: { id: string } };
  return poll.id;
}

/** Fills an empty server with users, polls and votes, using only its public API. */
export async function seedServer(address: string): Promise<void> {
  const makers = [...new Set(PAIRS.map(({ maker }) => maker))];
  const callers = new Map(
    await Promise.all(
      [...makers, ...VOTERS].map(async (name) => [name, await register(address, name)] as const),
    ),
  );
  const forms = await Promise.all(PAIRS.map(formOf));
  // Created one after the other, since this determines the order of the feed.
  for (const [pairIndex, pair] of PAIRS.entries()) {
    const id = await idOf(await callerOf(pair.maker)('/api/questions', forms[pairIndex]));
    const [first, second] = pair.votes;
    const votes = [...Array<1>(first).fill(1), ...Array<2>(second).fill(2)];
    await Promise.all(
      votes.map((option, index) => callerOf(VOTERS[index])(`/api/questions/${id}/vote`, { option })),
    );
  }

  function callerOf(name: string | undefined): Caller {
    const caller = callers.get(name ?? '');
    if (caller === undefined) throw new Error(`There is no user ${name}`);
    return caller;
  }
}
