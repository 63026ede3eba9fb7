import { expect, type Page } from '@playwright/test';
import { expectNoViolations } from './testing/axe.ts';
import { deckButton, front, result } from './testing/deck.ts';
import { newName, PASSWORD, points, signUp } from './testing/people.ts';
import { expectNoSidewaysScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { fillPoll, joinIn, postPoll, register, untilKept } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

type NewPerson = Parameters<Parameters<typeof test>[2]>[0]['newPerson'];

const strip = (page: Page) => page.getByRole('region', { name: 'First votes' });

async function makePolls(newPerson: NewPerson, count: number): Promise<void> {
  const { page: maker } = await newPerson();
  for (let nth = 0; nth < count; nth += 1) {
    await register(maker, newName('mila'));
    await postPoll(maker, newName('Start or finish?'));
  }
}

async function fillSignUp(page: Page, username: string): Promise<void> {
  await page.getByRole('button', { name: 'Create Account' }).waitFor();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(`${username}@example.org`);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create Account' }).click();
}

/** Signs up with the form, without having been anywhere before. */
async function begin(page: Page, username: string): Promise<void> {
  await page.goto('/auth?tab=signup');
  await fillSignUp(page, username);
  await expect(page).toHaveURL('/explore');
}

/** Votes on the poll in front, and waits until the strip says so. */
async function voteInDeck(page: Page, words: string): Promise<void> {
  await front(page).locator('.btn-option').last().click();
  await expect(strip(page)).toContainText(words);
}

/** A deck without polls, whatever the server has. */
async function dealNothing(page: Page): Promise<void> {
  await page.route('**/api/explore?*', (route) => route.fulfill({ json: { data: [], nextCursor: null } }));
}

test('a new account is led through three votes in the deck to its first poll', async ({ newPerson }) => {
  await makePolls(newPerson, 3);
  const { page } = await newPerson({ hasTouch: true });
  await begin(page, newName('nina'));
  await expect(strip(page)).toContainText('Three to warm up');
  await expect(front(page)).toBeVisible();
  await expectNoViolations(page, 'the first vote', [PHONE]);
  await voteInDeck(page, 'Two to go');
  await deckButton(page, 'Next').click();
  await voteInDeck(page, 'One to go');

  await test.step('after a reload it goes on', async () => {
    await page.reload();
    await expect(strip(page)).toContainText('One to go');
    await expect(points(page)).toHaveText('12');
  });

  await front(page).locator('.btn-option').last().click();
  const heading = page.getByRole('heading', { name: 'Warmed up' });
  await expect(result(page)).toBeAttached();
  await expect(heading).toBeVisible();
  await expect(page.getByText('10 to start with, 3 earned. A poll costs 10.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Warmed up' })).toContainText('13');
  await expect(strip(page)).toHaveCount(0);
  await expectNoViolations(page, 'warmed up');
  await page.setViewportSize(SMALLEST);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(PHONE);

  await test.step('an idea opens the form with its question, and closed it changes nothing', async () => {
    await page.getByRole('button', { name: 'Which colour for the wall?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create Poll' });
    await expect(dialog.getByLabel('Question')).toHaveValue('Which colour for the wall?');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
    await page.reload();
    await expect(heading).toBeVisible();
  });

  await test.step('the first poll ends it', async () => {
    const dialog = await fillPoll(page, 'Mine first?', undefined, 'Make your first poll');
    await dialog.getByRole('button', { name: 'Create Poll' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Poll created!')).toBeVisible();
    await expect(heading).toBeHidden();
    await page.reload();
    await expect(points(page)).toHaveText('3');
    await expect(heading).toHaveCount(0);
    await expect(strip(page)).toHaveCount(0);
  });
});

test('Not now ends it for good, and Back to the deck as well', async ({ newPerson }) => {
  await makePolls(newPerson, 3);
  const { page } = await newPerson();
  await begin(page, newName('nora'));
  await expect(front(page)).toBeVisible();
  await strip(page).getByRole('button', { name: 'Not now' }).click();
  await expect(strip(page)).toHaveCount(0);
  await expect(front(page)).toBeVisible();
  await page.reload();
  await expect(front(page)).toBeVisible();
  await expect(strip(page)).toHaveCount(0);

  const { page: other } = await newPerson();
  await dealNothing(other);
  await begin(other, newName('nils'));
  await other.getByRole('button', { name: 'Back to the deck' }).click();
  await expect(other.getByRole('heading', { name: 'You have seen them all' })).toBeVisible();
  await other.reload();
  await expect(other.getByRole('heading', { name: 'You have seen them all' })).toBeVisible();
});

test('with too little to vote on it goes straight to the first poll', async ({ newPerson }) => {
  const { page } = await newPerson();
  await dealNothing(page);
  await begin(page, newName('nele'));
  await expect(page.getByText('10 to start with. A poll costs 10.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Make your first poll' })).toBeEnabled();
});

test('who comes by a share link has cast the first of the three', async ({ newPerson }) => {
  await makePolls(newPerson, 2);
  const { page: maker } = await newPerson();
  await register(maker, newName('jonas'));
  const { shareUrl = '' } = await postPoll(maker, 'Coast or canyon?');
  const { page } = await newPerson();
  await page.goto(new URL(shareUrl).pathname);
  await page.getByRole('button', { name: 'That' }).click();
  await expect(page).toHaveURL(/\/auth\?tab=signup/);
  await fillSignUp(page, newName('nadia'));
  await expect(page).toHaveURL(/\/poll\//);
  await strip(page).getByRole('link', { name: 'Two to go' }).click();
  await expect(page).toHaveURL('/explore');
  await voteInDeck(page, 'One to go');
});

test('votes in the feed count, and with no network, too', async ({ newPerson }) => {
  await makePolls(newPerson, 3);
  const { page, watch } = await newPerson();
  watch.expectLosses();
  await signUp(page, newName('nick'));
  const open = page.getByRole('article').filter({ has: page.getByRole('button', { name: 'That' }) });
  await expect(strip(page)).toContainText('Three to warm up');
  await open.last().getByRole('button', { name: 'That' }).click();
  await expect(strip(page)).toContainText('Two to go');
  await page.context().setOffline(true);
  await open.last().getByRole('button', { name: 'That' }).click();
  await expect(strip(page)).toContainText('One to go');
});

test('points that wait to be sent are not among those earned', async ({ newPerson }) => {
  await makePolls(newPerson, 3);
  const { page, watch } = await newPerson({ serviceWorkers: 'allow' });
  watch.expectLosses();
  await begin(page, newName('nell'));
  await voteInDeck(page, 'Two to go');
  await expect(points(page)).toHaveText('11');
  await untilKept(page);
  await page.context().setOffline(true);
  await deckButton(page, 'Next').click();
  await voteInDeck(page, 'One to go');
  await deckButton(page, 'Next').click();
  await front(page).locator('.btn-option').last().click();
  const warmedUp = page.getByRole('region', { name: 'Warmed up' });
  await expect(warmedUp).toContainText('11+2 waiting to sync · 11 to spend');
  await expect(warmedUp).toContainText('10 to start with, 1 earned. A poll costs 10.');
  await page.context().setOffline(false);
  await expect(warmedUp).toContainText('1310 to start with, 3 earned. A poll costs 10.', { timeout: 40_000 });
});

test('an account that existed before, or that signed up elsewhere, is not led', async ({ newPerson }) => {
  await makePolls(newPerson, 1);
  const { page } = await newPerson();
  const name = newName('olaf');
  await joinIn(page, name);
  await page.goto('/explore');
  await expect(front(page)).toBeVisible();
  await expect(strip(page)).toHaveCount(0);
});
