import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { tokenIn } from '#api/testing/mails.ts';
import { createTestApp } from '#api/testing/test-app.ts';
import { writeMessage } from './mail-templates.ts';

const logged: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
const { deps, signUp } = await createTestApp({ log });

test('without an SMTP server a mail is written to a private file, whose name is logged without the link', async () => {
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

test.each([
  ['verify', 'verify-email'],
  ['reset', 'reset-password'],
  ['email-change', 'undo-email-change'],
  ['email-changed', 'undo-email-change'],
  ['passkey-added', 'undo-passkeys'],
  ['second-step-on', 'undo-passkeys'],
] as const)('a mail with the purpose %s has the same content in text and in HTML', async (purpose, path) => {
  const message = await writeMessage('https://polls.example.org', {
    purpose,
    token: 'T0ken',
    isVerified: false,
  });
  const link = `https://polls.example.org/${path}?token=T0ken`;
  expect(message.text).toContain(`\n${link}\n`);
  expect(message.html).toContain(`href="${link}"`);
  expect(message.html).not.toMatch(/<(script|img|link|style)/);
  const visibleText = message.html.replaceAll(/<head>.*<\/head>|<[^>]+>/gs, ' ');
  for (const sentence of message.text
    .split('\n')
    .filter((line) => /^(One tap|You asked|A new email|Your account|The link)/.test(line))) {
    expect(visibleText).toContain(sentence);
  }
});
