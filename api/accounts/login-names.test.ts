import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTestApp } from '#api/testing/test-app.ts';

const { db, signUp, visitor } = await createTestApp({ rateLimits: true, env: { trustProxy: 1 } });
const { user, password } = await signUp({ username: 'kim' });

let clientCount = 0;
/** Headers with which a request appears to come from another client. */
function newClientHeaders(): Record<string, string> {
  clientCount += 1;
  return { 'X-Forwarded-For': `10.0.0.${clientCount}` };
}

const logIn = (username: string, typedPassword: string, headers = newClientHeaders()) =>
  visitor().post('/api/login', { username, password: typedPassword }, headers);

test('all letter cases of a username share one limit of failed logins', async () => {
  const spellings = ['kim', 'KIM', 'kIm', ' Kim '];
  const headers = newClientHeaders();
  const statuses: number[] = [];
  for (let index = 0; index < 12; index += 1) {
    statuses.push((await logIn(spellings[index % spellings.length] ?? '', 'wrong', headers)).status);
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.slice(10)).toEqual([429, 429]);
  const key = createHash('sha256').update(`username of ${user.id}`).digest('base64url');
  const [row] = await db.sql<[{ points: number }]>`
    select points from rate_limits where key = ${`loginFailuresOfName:${key}`}`;
  expect(row.points).toBe(10);
});

// Lower-casing may turn İ and the Kelvin sign (U+212A) into i and k, and upper-casing ı into I. JavaScript's own lower case of İ
// is i with a dot above (U+0307).
test.each(['kİm', 'kım', 'ki̇m', '\u212Aim'])(
  'the username %s, which resembles kim, matches no user',
  async (lookalike) => {
    expect((await logIn('kim', password)).status).toBe(200);
    expect((await logIn(lookalike, password)).status).toBe(401);
  },
);
