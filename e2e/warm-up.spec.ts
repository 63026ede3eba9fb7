import { expect, type Page } from '@playwright/test';
import type { DeckPage } from '#shared/explore/schema.ts';
import { expectNoViolations } from './testing/axe.ts';
import { deckButton, frontCard, frontQuestion, voteResult } from './testing/deck.ts';
import { feedPage, respondWith } from './testing/fake-feed.ts';
import { expectNoHorizontalScroll, PHONE, SMALLEST } from './testing/screens.ts';
import { postPoll, register, waitForServiceWorker } from './testing/shortcuts.ts';
import { type NewUser, test } from './testing/test.ts';
import { fillPoll, newName, PASSWORD, points, signUp } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

const strip = (page: Page) => page.getByRole('region', { name: 'First votes' });

async function postPolls(newUser: NewUser, count: number): Promise<void> {
  const { page: maker } = await newUser();
  for (let index = 0; index < count; index += 1) {
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

/** Signs up with the form, which starts the warm-up. */
async function startWarmUp(page: Page, username: string): Promise<void> {
  await page.goto('/auth?tab=signup');
  await fillSignUp(page, username);
  await expect(page).toHaveURL('/explore');
}

/** Votes on the front card, and waits until the strip contains `text`. */
async function voteInDeck(page: Page, text: string): Promise<void> {
  // While the card before leaves automatically, presses are ignored.
  await expect(page.locator('[data-motion]')).toHaveCount(0);
  await frontCard(page).locator('.btn-option').last().click();
  await expect(strip(page)).toContainText(text);
}

/**
 * Begins a press in the frame in which a card begins to leave, and ends it 300 ms later as a click on a vote button of the next
 * card and on Skip. Resolves with the question of that card.
 */
const pressOnceCardLeaves = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const observer = new MutationObserver(() => {
          if (document.querySelector('[data-motion]') === null) return;
          observer.disconnect();
          document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
          const question = document.querySelector('[data-place="0"] .deck-question')?.textContent ?? '';
          setTimeout(() => {
            for (const button of ['[data-place="0"] .btn-option', '.deck-controls > :last-child'])
              document.querySelector<HTMLElement>(button)?.click();
            resolve(question);
          }, 300);
        });
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      }),
  );

/** Serves a deck with the first `count` polls of the server's deck. Callers end with `unrouteAll`, to wait for requests in flight. */
async function serveDeckOf(page: Page, count: number): Promise<void> {
  await page.route('**/api/explore?*', async (route) => {
    const response = await route.fetch();
    const { data }: DeckPage = await response.json();
    await route.fulfill({ response, json: { data: data.slice(0, count), nextCursor: null } });
  });
}

test('the warm-up leads a new account through three votes in the deck to its first poll', {
  tag: '@core',
}, async ({ newUser }) => {
  await postPolls(newUser, 3);
  const { page } = await newUser({ hasTouch: true });
  await startWarmUp(page, newName('nina'));
  await expect(strip(page)).toContainText('Three to warm up');
  await expect(frontCard(page)).toBeVisible();
  await expectNoViolations(page, 'the first vote', [PHONE]);
  const firstQuestion = (await frontQuestion(page).textContent()) ?? '';
  const latePress = pressOnceCardLeaves(page);
  await voteInDeck(page, 'Two to go');
  const secondQuestion = await latePress;
  expect(secondQuestion).not.toBe(firstQuestion);
  await expect(page.locator('[data-motion]')).toHaveCount(0);
  await expect(frontQuestion(page)).toHaveText(secondQuestion);
  await expect(strip(page), 'a press meant for the card before does not vote').toContainText('Two to go');
  await voteInDeck(page, 'One to go');

  await test.step('the warm-up continues after a reload', async () => {
    await page.reload();
    await expect(strip(page)).toContainText('One to go');
    await expect(points(page)).toHaveText('12');
  });

  await frontCard(page).locator('.btn-option').last().click();
  const heading = page.getByRole('heading', { name: 'Warmed up' });
  await expect(voteResult(page)).toBeAttached();
  await expect(heading).toBeVisible();
  await expect(page.getByText('10 to start with, 3 earned. A poll costs 10.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Warmed up' })).toContainText('13');
  await expect(strip(page)).toHaveCount(0);
  await expectNoViolations(page, 'warmed up');
  await page.setViewportSize(SMALLEST);
  await expectNoHorizontalScroll(page);
  await page.setViewportSize(PHONE);

  await test.step('a suggestion opens the create dialog with its question, asks before it replaces a draft, and closing the dialog does not end the warm-up', async () => {
    await page.getByRole('button', { name: 'Which colour for the wall?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create Poll' });
    await expect(dialog.getByLabel('Question')).toHaveValue('Which colour for the wall?');
    await dialog.getByLabel('Question').fill('Which colour for the door?');
    await page.reload();
    await expect(dialog.getByLabel('Question')).toHaveValue('Which colour for the door?');

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Which picture of me?' }).click();
    const conflict = page.getByRole('dialog', { name: 'You have a draft' });
    await expect(conflict).toContainText('“Which colour for the door?” has not been posted yet.');
    await conflict.getByRole('button', { name: 'New poll with this idea' }).click();
    await expect(dialog.getByLabel('Question')).toHaveValue('Which picture of me?');

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Which picture of me?' }).click();
    await expect(dialog.getByLabel('Question')).toHaveValue('Which picture of me?');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
    await page.reload();
    await expect(heading).toBeVisible();
  });

  await test.step('the first poll ends the warm-up', async () => {
    const dialog = await fillPoll(page, 'Mine first?', { openedBy: 'Make your first poll' });
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

test('the first poll is suggested when the card of the last vote is reported while its result is shown', async ({
  newUser,
}) => {
  await postPolls(newUser, 4);
  const { page } = await newUser({ reducedMotion: 'reduce' });
  await startWarmUp(page, newName('nuno'));
  for (const text of ['Two to go', 'One to go']) {
    await voteInDeck(page, text);
    await deckButton(page, 'Next').click();
  }
  await voteInDeck(page, 'Warmed up');
  await expect(voteResult(page)).toBeVisible();
  await frontCard(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Report' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report this poll' });
  await dialog.getByRole('radio', { name: 'Spam' }).check();
  await dialog.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Make your first poll' })).toBeVisible();
});

test('Not now and Back to the deck end the warm-up permanently', async ({ newUser }) => {
  await postPolls(newUser, 3);
  const { page } = await newUser();
  await startWarmUp(page, newName('nora'));
  await expect(frontCard(page)).toBeVisible();
  await strip(page).getByRole('button', { name: 'Not now' }).click();
  await expect(strip(page)).toHaveCount(0);
  await expect(frontCard(page)).toBeVisible();
  await page.reload();
  await expect(frontCard(page)).toBeVisible();
  await expect(strip(page)).toHaveCount(0);

  const { page: other } = await newUser();
  await serveDeckOf(other, 2);
  await startWarmUp(other, newName('nils'));
  await other.getByRole('button', { name: 'Back to the deck' }).click();
  await expect(frontCard(other)).toBeVisible();
  await other.reload();
  await expect(frontCard(other)).toBeVisible();
  await expect(strip(other)).toHaveCount(0);
  await other.unrouteAll({ behavior: 'wait' });
});

test('with too few polls to vote on, the warm-up goes straight to the first poll', async ({ newUser }) => {
  await postPolls(newUser, 2);
  const { page } = await newUser();
  await serveDeckOf(page, 2);
  await startWarmUp(page, newName('nele'));
  await expect(page.getByText('10 to start with. A poll costs 10.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Make your first poll' })).toBeEnabled();
  await page.unrouteAll({ behavior: 'wait' });
});

test('a loss of the connection does not end the warm-up while the server may have more polls', async ({
  newUser,
}) => {
  await postPolls(newUser, 2);
  const { page, monitor } = await newUser();
  await page.route('**/api/explore?*', async (route) => {
    // The next page never arrives.
    if (route.request().url().includes('cursor=')) return;
    const response = await route.fetch();
    const { data }: DeckPage = await response.json();
    await route.fulfill({ response, json: { data: data.slice(0, 2), nextCursor: 'more' } });
  });
  await startWarmUp(page, newName('nuala'));
  await expect(frontCard(page)).toBeVisible();
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  await expect(page.getByText('Offline · 1 more poll on this device')).toBeVisible();
  await expect(strip(page)).toContainText('Three to warm up');
  await expect(page.getByRole('region', { name: 'Warmed up' })).toHaveCount(0);
});

test('without polls to vote on, a new account starts with the feed, and has no warm-up', async ({
  newUser,
}) => {
  const { page } = await newUser();
  await serveDeckOf(page, 0);
  await page.route('**/api/questions?*', respondWith(feedPage([])));
  await page.route('**/api/trending?*', respondWith([]));
  await page.goto('/auth?tab=signup');
  await fillSignUp(page, newName('nick'));
  await expect(page.getByRole('heading', { name: 'No polls yet' })).toBeVisible();
  await expect(page).toHaveURL('/home');
  await expect(strip(page)).toHaveCount(0);
  await page.unrouteAll({ behavior: 'wait' });
});

test('neither the toast of the sign-up nor the connection card covers the vote buttons', async ({
  newUser,
}) => {
  await postPolls(newUser, 3);
  const { page, monitor } = await newUser({ viewport: { width: 375, height: 667 } });
  await startWarmUp(page, newName('nora'));
  const buttons = frontCard(page).locator('.btn-option');
  await expect(buttons).toHaveCount(2);
  monitor.expectNetworkErrors();
  await page.context().setOffline(true);
  const boxOf = (label: string) => page.getByRole('button', { name: label }).locator('..').boundingBox();
  await expect(async () => {
    const messages = await Promise.all(['Dismiss', 'Hide'].map(boxOf));
    for (const button of await buttons.all()) {
      const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
      for (const message of messages) {
        if (message === null) throw new Error('The message has disappeared');
        const isAbove = message.y + message.height <= y;
        expect(isAbove || message.y >= y + height, 'the message is above or below the button').toBe(true);
      }
    }
  }).toPass({ timeout: 4_000 });
});

test('a vote through a share link counts as the first of the three votes', async ({ newUser }) => {
  await postPolls(newUser, 2);
  const { page: maker } = await newUser();
  await register(maker, newName('jonas'));
  const { shareUrl = '' } = await postPoll(maker, 'Coast or canyon?');
  const { page } = await newUser();
  await page.goto(new URL(shareUrl).pathname);
  await page.getByRole('button', { name: 'That' }).click();
  await expect(page).toHaveURL(/\/auth\?tab=signup/);
  await fillSignUp(page, newName('nadia'));
  await expect(page).toHaveURL(/\/poll\//);
  await strip(page).getByRole('link', { name: 'Two to go' }).click();
  await expect(page).toHaveURL('/explore');
  await voteInDeck(page, 'One to go');
});

test('votes in the feed count for the warm-up, even offline', async ({ newUser }) => {
  await postPolls(newUser, 3);
  const { page, monitor } = await newUser();
  monitor.expectNetworkErrors();
  await signUp(page, newName('nick'));
  const open = page.getByRole('article').filter({ has: page.getByRole('button', { name: 'That' }) });
  await expect(strip(page)).toContainText('Three to warm up');
  await open.last().getByRole('button', { name: 'That' }).click();
  await expect(strip(page)).toContainText('Two to go');
  await page.context().setOffline(true);
  await open.last().getByRole('button', { name: 'That' }).click();
  await expect(strip(page)).toContainText('One to go');
});

test('points of waiting votes do not count as earned', async ({ newUser }) => {
  await postPolls(newUser, 3);
  // With reduced motion the card waits for Next.
  const { page, monitor } = await newUser({ serviceWorkers: 'allow', reducedMotion: 'reduce' });
  monitor.expectNetworkErrors();
  await startWarmUp(page, newName('nell'));
  await voteInDeck(page, 'Two to go');
  await expect(points(page)).toHaveText('11');
  await waitForServiceWorker(page);
  await page.context().setOffline(true);
  await deckButton(page, 'Next').click();
  await voteInDeck(page, 'One to go');
  await deckButton(page, 'Next').click();
  await voteInDeck(page, 'Warmed up');
  await expect(strip(page)).toContainText('Next: your first poll.');
  await deckButton(page, 'Next').click();
  const warmedUp = page.getByRole('region', { name: 'Warmed up' });
  await expect(warmedUp).toContainText('11+2 waiting to sync · 11 to spend');
  await expect(warmedUp).toContainText('10 to start with, 1 earned. A poll costs 10.');
  await page.context().setOffline(false);
  // The balance of 13, directly followed by the sentence.
  await expect(warmedUp).toContainText('1310 to start with, 3 earned. A poll costs 10.', { timeout: 40_000 });
});

test('an account that was not created in this browser’s form has no warm-up', async ({ newUser }) => {
  await postPolls(newUser, 1);
  const { page } = await newUser();
  const name = newName('olaf');
  await register(page, name);
  await page.goto('/explore');
  await expect(frontCard(page)).toBeVisible();
  await expect(strip(page)).toHaveCount(0);
});
