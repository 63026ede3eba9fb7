import { expect, type Page } from '@playwright/test';
import { card, newName, PASSWORD, points } from './testing/people.ts';
import { fillPoll, joinIn, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

function change(page: Page, question: string) {
  return page.getByRole('listitem').filter({ hasText: question });
}

test('a refused poll is tried again as it is and edited; each time under a new key, and it arrives once', async ({
  newPerson,
}) => {
  const [asked, edited] = [newName('Refused'), newName('Edited')];
  const name = newName('carl');
  const { page, watch } = await newPerson({ serviceWorkers: 'block' });
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST' && pathname === '/api/questions') {
      keys.push(request.headers()['idempotency-key']);
    }
  });
  const { referralCode } = await joinIn(page, name);
  watch.expectLosses();
  watch.expectStatus(402, /\/api\/questions$/);

  await test.step('it is refused: its points are spent elsewhere', async () => {
    const dialog = await fillPoll(page, asked);
    await page.context().setOffline(true);
    await dialog.getByRole('button', { name: 'Create Poll' }).click();
    await expect(page.getByText('Saved on this device')).toBeVisible();
    const { page: elsewhere } = await newPerson();
    const login = { data: { username: name, password: PASSWORD } };
    expect((await elsewhere.request.post('/api/login', login)).ok()).toBe(true);
    await postPoll(elsewhere, newName('Elsewhere'));
    keys.length = 0;
    await page.context().setOffline(false);
    await expect(page.getByText('Failed to create poll')).toBeVisible();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Outbox' }).click();
    await expect(page.getByRole('heading', { name: 'Needs you · 1' })).toBeVisible();
    expect(keys.length).toBe(1);
  });

  await test.step('Try again, with as few points, is refused once more', async () => {
    await change(page, asked).getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => keys.length).toBe(2);
    await expect(change(page, asked)).toContainText('Poll not posted');
  });

  await test.step('with enough of them the edited poll arrives', async () => {
    for (const friend of ['dora', 'emil']) {
      const { page: theirs } = await newPerson();
      await register(theirs, newName(friend), referralCode);
    }
    await expect(points(page)).toHaveText('11');
    await change(page, asked).getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Poll' });
    await form.getByLabel('Question').fill(edited);
    await form.getByRole('button', { name: 'Create Poll' }).click();
    await expect(form).toBeHidden();
    await expect(page.getByText('Nothing is waiting')).toBeVisible();
    await expect(points(page)).toHaveText('1');
    expect(new Set(keys).size).toBe(3);
    expect(keys).toHaveLength(3);
    await page.goto('/my-polls');
    await expect(card(page, edited)).toBeVisible();
    await expect(card(page, asked)).toHaveCount(0);
  });
});
