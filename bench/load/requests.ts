import { randomUUID } from 'node:crypto';

/** Sends a request and returns the body of its response as text; throws an error unless the status is 2xx. */
export async function fetchText(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  const body = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`);
  return body;
}

/** Casts a vote, which must succeed. `cookie`: that of the voter's session. */
export async function castVote(address: string, pollId: string, cookie: string): Promise<void> {
  await fetchText(`${address}/api/questions/${pollId}/vote`, {
    method: 'POST',
    headers: { Cookie: cookie, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: '{"option":1}',
  });
}
