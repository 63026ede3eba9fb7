import { expect } from '@playwright/test';
import { postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { newName } from './testing/user-actions.ts';

test('with analytics configured, events about opened screens and polls contain their paths without query or fragment', {
  tag: '@core',
}, async ({ newUser }) => {
  const { page } = await newUser({ serviceWorkers: 'block' });
  const events: { name: string; url: string; props?: unknown }[] = [];
  await page.route('**/api/analytics', (route) => {
    // The server's CSP allows requests only to its own origin, so the endpoint has this origin.
    const endpoint = new URL('/counter', route.request().url()).href;
    return route.fulfill({ json: { endpoint } });
  });
  await page.route('**/counter', (route) => {
    events.push(JSON.parse(route.request().postData() ?? ''));
    return route.fulfill({ status: 202 });
  });
  await page.goto('/reset-password?token=secret');
  await expect.poll(() => events.length).toBe(1);

  await register(page, newName('anouk'));
  const { id } = await postPoll(page, 'Shown or hidden?');
  await page.goto(`/poll/${id}?from=mail#top`);
  await expect.poll(() => events.length).toBe(3);
  await page.getByRole('banner').getByRole('button', { name: 'Back' }).click();
  await expect.poll(() => events.length).toBe(4);

  const { origin } = new URL(page.url());
  const views = events.filter(({ name }) => name === 'pageview').map(({ url }) => url);
  expect(views).toEqual([`${origin}/reset-password`, `${origin}/poll/${id}`, `${origin}/home`]);
  expect(events.filter(({ name }) => name === 'View Poll')).toMatchObject([
    { url: `${origin}/poll/${id}`, props: { category: 'Engagement' } },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/secret|from=mail/);
});
