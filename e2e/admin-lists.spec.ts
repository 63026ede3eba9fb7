import { expect } from '@playwright/test';
import { ADMIN_PAGE_SIZE } from '#shared/admin/constants.ts';
import { DESKTOP } from './testing/screens.ts';
import { ensurePolls, logInAsOwner } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

test('tables have ten rows per page, and the pager leads to the other pages', async ({ newUser, server }) => {
  const { page } = await newUser({ viewport: DESKTOP });
  await logInAsOwner(page, server);
  await ensurePolls(page, ADMIN_PAGE_SIZE + 2);
  await page.goto('/admin?tab=polls');
  const rows = page.getByRole('rowheader');
  const pager = page.getByRole('navigation', { name: 'Pages of polls' });
  const expectPage = async (number: number, range: RegExp) => {
    await expect(pager).toContainText(range);
    await expect(pager.getByRole('button', { name: `Page ${number}` })).toHaveAttribute(
      'aria-current',
      'page',
    );
    const { polls } = await (await page.request.get(`/api/admin/polls?page=${number}`)).json();
    await expect(rows).toHaveText(polls.map(({ question }: { question: string }) => question));
  };
  await expectPage(1, /^1 to 10 of \d+/);
  await expect(rows).toHaveCount(10);
  await pager.getByRole('button', { name: 'Next page' }).click();
  await expectPage(2, /^11 to \d+ of \d+/);
  await expect(pager.getByRole('button', { name: 'Next page' })).toBeFocused();
  await pager.getByRole('button', { name: 'Page 1' }).click();
  await expectPage(1, /^1 to 10 of \d+/);
});
