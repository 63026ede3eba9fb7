import { createApp } from '#api/app.ts';
import { createLimits, type Limit, type Limits } from '#api/http/limits/limits.ts';
import type { TestApp, TestUser } from './test-app.ts';
import { TestClient } from './test-client.ts';

export type LimitedClient = { client: TestClient; limits: Limits };

/** The browser of `user` towards a server that has counted nothing yet, and differs in `parts`. */
export function limitedClient(
  { deps, db }: TestApp,
  user: TestUser,
  parts: Partial<TestApp['deps']> = {},
): LimitedClient {
  const limits = createLimits(db, { enabled: true });
  const client = new TestClient(createApp({ ...deps, limits, ...parts }), deps.env.publicUrl);
  for (const [name, value] of user.cookies) client.cookies.set(name, value);
  return { client, limits };
}

/** Uses `limit` up for `key`, but for `left` calls. */
export async function useUp(limit: Limit, key: string | number, left = 0): Promise<void> {
  const undos: (() => Promise<void>)[] = [];
  for (;;) {
    const { delayS, undo } = await limit.count(key);
    undos.unshift(undo);
    if (delayS > 0) break;
  }
  for (const undo of undos.slice(0, left + 1)) await undo();
}
