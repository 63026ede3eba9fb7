import { expect } from '@playwright/test';
import { ERROR_MESSAGES } from '#shared/errors.ts';
import { mailedLink } from './testing/mails.ts';
import { postPoll, register, registerAndOpenHome } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, logOut, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

test('a vote beyond the limit waits in the outbox with the reason, and is sent once the email is verified', async ({
  newUser,
  server,
}) => {
  const question = 'Sooner or later?';
  const name = newName('vito');
  const { page: maker } = await newUser();
  await register(maker, newName('mia'));
  const { id } = await postPoll(maker, question, { captions: ['Now', 'Soon'] });

  const { page, monitor } = await newUser();
  monitor.expectStatus(429, /\/vote$/);
  let isLimited = true;
  await page.context().route(`**/api/questions/${id}/vote`, (route) => {
    if (!isLimited) return route.continue();
    return route.fulfill({
      status: 429,
      // Like each response of the server to a change, this one repeats the key.
      headers: {
        'Retry-After': '80000',
        'Idempotency-Key': route.request().headers()['idempotency-key'] ?? '',
      },
      json: { code: 'vote_limit', message: ERROR_MESSAGES.vote_limit, requestId: '' },
    });
  });
  await registerAndOpenHome(page, name);
  const refused = page.waitForResponse((response) => response.status() === 429);
  await card(page, question).getByRole('button', { name: 'Soon', exact: true }).click();
  await refused;
  await page.goto('/outbox');
  const row = page.getByRole('listitem').filter({ hasText: question });
  await expect(row).toContainText('you can vote 50 times in 24 hours. It will be sent automatically.');

  await test.step('the logout dialog does not offer to send what cannot be sent yet', async () => {
    await logOut(page);
    const dialog = page.getByRole('dialog', { name: 'Log out with 1 change waiting?' });
    await expect(dialog).toContainText('It cannot be sent yet.');
    await expect(dialog.getByRole('button', { name: /Send/ })).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  isLimited = false;
  const link = await mailedLink(server, 'verify', `${name}@example.org`);
  const token = new URL(link).searchParams.get('token') ?? '';
  expect((await page.request.get(`/api/verify-email?token=${token}`)).status()).toBe(200);
  await page.reload();
  await expect(page.getByText('Nothing is waiting')).toBeVisible({ timeout: 40_000 });
  const pollResponse = await page.request.get(`/api/questions/${id}`);
  expect(await pollResponse.json()).toMatchObject({ votes: [{ option: 2 }] });
});
