import type { StartedServer } from '#scripts/run/started-server.ts';
import type { Option } from '#shared/polls/schema.ts';
import { newName, PASSWORD } from './user-actions.ts';

async function post(url: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}

/** Registers `count` users through the API, who vote on a poll. */
export async function voteAsNewUsers(
  { address }: StartedServer,
  pollId: string,
  count: number,
  option: Option,
): Promise<void> {
  for (let voter = 0; voter < count; voter += 1) {
    const username = newName('crowd');
    const origin = { Origin: address };
    const registered = await post(`${address}/api/register`, origin, {
      username,
      email: `${username}@example.org`,
      password: PASSWORD,
    });
    const Cookie = registered.headers
      .getSetCookie()
      .map((header) => header.split(';')[0])
      .join('; ');
    await post(`${address}/api/questions/${pollId}/vote`, { ...origin, Cookie }, { option });
  }
}
