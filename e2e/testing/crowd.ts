import type { StartedServer } from '#scripts/run/started-server.ts';
import type { Option } from '#shared/polls/schema.ts';
import { newName, PASSWORD } from './people.ts';

async function call(url: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** So many new people, none of whom has a browser, vote on a poll. */
export async function crowdVotes(
  { address }: StartedServer,
  pollId: string,
  count: number,
  option: Option,
): Promise<void> {
  for (let voter = 0; voter < count; voter += 1) {
    const username = newName('crowd');
    const origin = { Origin: address };
    const registered = await call(`${address}/api/register`, origin, {
      username,
      email: `${username}@example.org`,
      password: PASSWORD,
    });
    const Cookie = registered.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    await call(`${address}/api/questions/${pollId}/vote`, { ...origin, Cookie }, { option });
  }
}
