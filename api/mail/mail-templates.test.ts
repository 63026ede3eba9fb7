import { expect, test } from 'vitest';
import type { ReportReason } from '#shared/reports/schema.ts';
import { writeMessage } from './mail-templates.ts';

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
  const [_greeting, lead, _link, note, footnote] = message.text.split('\n\n');
  for (const paragraph of [lead, note, footnote]) expect(visibleText).toContain(paragraph);
});

test('the mail about a removed poll names the broken rule, unless the reason is “other”', async () => {
  const leadFor = async (rule: ReportReason) => {
    const letter = { purpose: 'removal', rule, isSuspended: false } as const;
    return (await writeMessage('https://polls.example.org', letter)).text.split('\n\n')[1];
  };
  expect(await leadFor('spam')).toContain('It broke a rule: no spam.');
  expect(await leadFor('other')).toMatch(/It broke our rules\.$/);
});
