import { expect } from '@playwright/test';
import { newName } from './testing/people.ts';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test('where counting is configured, screens and polls that are opened are told, by their paths alone', async ({
  newPerson,
}) => {
  const { page } = await newPerson({ serviceWorkers: 'block' });
  const counted: { name: string; url: string; props?: unknown }[] = [];
  await page.route('**/api/analytics', (route) => {
    // The server's policy lets the page talk to its own origin, so the counter is there.
    const endpoint = new URL('/counter', route.request().url()).href;
    return route.fulfill({ json: { endpoint } });
  });
  await page.route('**/counter', (route) => {
    counted.push(JSON.parse(route.request().postData() ?? ''));
    return route.fulfill({ status: 202 });
  });
  await page.goto('/reset-password?token=secret');
  await expect.poll(() => counted.length).toBe(1);

  await register(page, newName('anouk'));
  const { id } = await postPoll(page, 'Shown or hidden?');
  await page.goto(`/poll/${id}?from=mail#top`);
  await expect.poll(() => counted.length).toBe(3);
  await page
    .getByRole('link', { name: 'This or That?' })
    .or(page.getByRole('button', { name: 'Back' }))
    .first()
    .click();
  await expect.poll(() => counted.length).toBe(4);

  const { origin } = new URL(page.url());
  const views = counted.filter(({ name }) => name === 'pageview').map(({ url }) => url);
  expect(views).toEqual([
    `${origin}/reset-password`,
    `${origin}/poll/${id}`,
    `${origin}${new URL(page.url()).pathname}`,
  ]);
  expect(counted.filter(({ name }) => name === 'View Poll')).toMatchObject([
    { url: `${origin}/poll/${id}`, props: { category: 'Engagement' } },
  ]);
  expect(JSON.stringify(counted)).not.toMatch(/secret|from=mail/);
});
