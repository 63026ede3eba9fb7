import { expect, type Page } from '@playwright/test';
import { RESPONSES_MIN } from '#shared/polls/constants.ts';
import { expectNoViolations } from './testing/axe.ts';
import { voteAsNewUsers } from './testing/crowd.ts';
import {
  ADMIN_SCREENS,
  openScreen,
  PUBLIC_SCREENS,
  pollScreen,
  type Screen,
  shareScreen,
  USER_SCREENS,
  VISITOR_SCREENS,
} from './testing/every-screen.ts';
import { passkeyScreens } from './testing/passkey-screens.ts';
import { enlargeText, expectNoHorizontalScroll, SMALLEST } from './testing/screens.ts';
import { startFromTemplate } from './testing/servers.ts';
import {
  generateSamplePolls,
  logInAsOwner,
  postPoll,
  register,
  registerAndOpenHome,
} from './testing/shortcuts.ts';
import { test } from './testing/test.ts';
import { card, newName } from './testing/user-actions.ts';

test.use({ serviceWorkers: 'block' });

/** The HTML of visible elements that extend beyond the window or whose text is cut off. */
function findCutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const isSeen = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && element.closest('.sr-only') === null;
    // Outside the window until it has the focus.
    const skipLink = '[href="#main"]';
    return [...document.querySelectorAll('h1, h2, button, a, input, textarea, output, [role=menuitem] span')]
      .filter((element) => isSeen(element) && !element.matches(skipLink))
      .filter((element) => {
        // Sizes are rounded to whole pixels.
        const tolerancePx = 1;
        const { left, right } = element.getBoundingClientRect();
        const isCut =
          element.matches('h1, h2, button, [role=menuitem] span') &&
          element.scrollWidth > element.clientWidth + tolerancePx;
        return left < -tolerancePx || right > width + tolerancePx || isCut;
      })
      .map((element) => element.outerHTML.slice(0, 160));
  });
}

async function expectNothingCutOff(page: Page): Promise<void> {
  await expectNoHorizontalScroll(page);
  expect.soft(await findCutOff(page)).toEqual([]);
}

/** Opens each screen and expects that nothing is cut off. */
async function expectNothingCutOffOnScreens(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) {
    await openScreen(page, screen);
    // The fallback font has other widths.
    await page.evaluate(async () => void (await document.fonts.ready));
    await test.step(screen.path, () => expectNothingCutOff(page));
  }
}

test('with text at 200% nothing is cut off on a phone', async ({ newUser, server }) => {
  const question = 'Mountains with longwindednames or the countryside?';
  const { page, monitor } = await newUser({ viewport: SMALLEST });
  await enlargeText(page);
  await expectNothingCutOffOnScreens(page, [...VISITOR_SCREENS, ...PUBLIC_SCREENS]);
  await register(page, newName('cornelius-longname'));
  const poll = await postPoll(page, question, { captions: ['Mountains that have a long name', 'B'] });
  // Shows the longest status: "9 votes · Closed early".
  await voteAsNewUsers(server, poll.id, RESPONSES_MIN - 1, 1);
  const closed = await page.request.post(`/api/questions/${poll.id}/close`);
  expect(closed.status()).toBe(200);
  await expectNothingCutOffOnScreens(page, [...USER_SCREENS, pollScreen(poll)]);
  const { page: visitor } = await newUser({ viewport: SMALLEST });
  await enlargeText(visitor);
  await expectNothingCutOffOnScreens(visitor, [shareScreen(poll)]);
  const { page: reporter } = await newUser();
  await register(reporter, newName('rita'));
  const report = await reporter.request.post(`/api/questions/${poll.id}/report`, {
    data: { reason: 'spam' },
  });
  expect(report.status()).toBe(200);
  // The page may still request the notifications of the previous user.
  monitor.expectStatus(409, /\/api\/notifications/);
  await logInAsOwner(page, server);
  // Adds a completed job to the list of jobs.
  await generateSamplePolls(page, 1);
  await expectNothingCutOffOnScreens(page, ADMIN_SCREENS);
});

test('with text at 200% the passkey screens and dialogs fit a phone', async ({ newUser }) => {
  const { page, monitor } = await newUser({ viewport: SMALLEST });
  await enlargeText(page);
  await register(page, newName('cornelia-longname'));
  for (const { name, open } of passkeyScreens(page, monitor)) {
    await open();
    await test.step(name, () => expectNothingCutOff(page));
  }
});

test('with text at 200% the prompt for an administrator’s passkey fits a phone', async ({ newUser }) => {
  const server = await startFromTemplate({ ADMIN_PASSKEY: 'required' });
  try {
    const { page, monitor } = await newUser({ viewport: SMALLEST, baseURL: server.address });
    monitor.expectStatus(403, /\/api\/admin\//);
    await enlargeText(page);
    await logInAsOwner(page, server);
    await openScreen(page, { path: '/admin', title: 'Admin', heading: 'Add a passkey first' });
    await expectNothingCutOff(page);
    await expectNoViolations(page, 'the prompt for an administrator’s passkey');
  } finally {
    await server.remove();
  }
});

test('with text at 200% the link to change a vote stays on its compact card', async ({ newUser }) => {
  const question = newName('Narrow?');
  const { page: maker } = await newUser();
  await register(maker, newName('dagmar'));
  await postPoll(maker, question);
  const { page } = await newUser({ viewport: SMALLEST });
  await enlargeText(page);
  await register(page, newName('dorian'));
  await page.goto(`/explore?view=search&q=${encodeURIComponent(question)}`);
  const compactCard = card(page, question);
  await compactCard
    .getByRole('button', { name: /^Vote for/ })
    .first()
    .click();
  const link = compactCard.getByRole('button', { name: 'Change vote' });
  await expect(link).toBeVisible();
  const [inner, outer] = [await link.boundingBox(), await compactCard.boundingBox()];
  if (inner === null || outer === null) throw new Error('The card is not visible.');
  expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
  expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height);
  await expectNoHorizontalScroll(page);
});

test('with text at 200% the create dialog and the menus fit a phone', async ({ newUser }) => {
  const question = 'Wide or narrow?';
  const { page: maker } = await newUser();
  await register(maker, newName('desdemona-longname'));
  await postPoll(maker, question);
  const { page } = await newUser({ viewport: SMALLEST });
  await registerAndOpenHome(page, newName('dorothea'));
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  await page.getByRole('button', { name: 'Menu' }).click();
  await expectNothingCutOff(page);
  await page.keyboard.press('Escape');
  await card(page, question).last().getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('menuitem', { name: /^Block desdemona/ })).toBeVisible();
  await expectNothingCutOff(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByRole('dialog').getByLabel('Question')).toBeFocused();
  await expectNothingCutOff(page);
});
