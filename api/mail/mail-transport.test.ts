import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { tokenIn } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';

const logged: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
const { deps, signUp } = await createTestApp({ log });

test('without an SMTP server, a mail is written to a private file, whose name is logged, but not the link in it', async () => {
  const { user } = await signUp();
  await deps.mails.runDue();
  const folder = join(deps.env.dataDir, 'mail');
  const [name = '', ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect(name).toMatch(/^\d{8}T\d{6}Z-verify-\d+\.eml$/);
  expect((await stat(join(folder, name))).mode & 0o077).toBe(0);

  const source = await readFile(join(folder, name), 'latin1');
  expect(source.replaceAll('\r\n', '')).not.toContain('\n');
  // RFC 5322: lines must not exceed 998 characters, and should not exceed 78.
  expect(Math.max(...source.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
  const mail = await PostalMime.parse(source);
  expect(mail.from).toEqual({ name: 'This or That?', address: 'no-reply@localhost' });
  expect(mail.to).toMatchObject([{ address: user.email }]);
  expect(logged.join('')).toContain(name);
  expect(logged.join('')).not.toContain(tokenIn(mail));
  expect(logged.join('')).not.toContain('token=');
});
