import { expect, type Page } from '@playwright/test';
import { RESPONSES_MIN } from '#shared/polls/constants.ts';
import { expectNoViolations } from './testing/axe.ts';
import { crowdVotes } from './testing/crowd.ts';
import {
  FOR_ADMINS,
  FOR_ALL,
  FOR_USERS,
  FOR_VISITORS,
  openScreen,
  pollScreen,
  type Screen,
  shareScreen,
} from './testing/every-screen.ts';
import { passkeyScreens } from './testing/passkey-screens.ts';
import { newName } from './testing/people.ts';
import { expectNoSidewaysScroll, SMALLEST } from './testing/screens.ts';
import { startUnused } from './testing/servers.ts';
import { joinIn, logInAsOwner, postPoll, register } from './testing/shortcuts.ts';
import { test } from './testing/test.ts';

test.use({ serviceWorkers: 'block' });

/** What can be read or pressed and lies beyond the edge of the window, or is cut off in its own box. */
function outOfSight(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const isSeen = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && element.closest('.sr-only') === null;
    return [...document.querySelectorAll('h1, h2, button, a, input, textarea, output')]
      .filter((element) => isSeen(element) && !element.matches('[href="#main"]'))
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        const isCut = element.matches('h1, h2, button') && element.scrollWidth > element.clientWidth + 1;
        return left < -1 || right > width + 1 || isCut;
      })
      .map((element) => element.outerHTML.slice(0, 160));
  });
}

async function expectAllInSight(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page);
  expect.soft(await outOfSight(page)).toEqual([]);
}

/** What is in sight on every one of the screens, with the text twice as large. */
async function expectAllScreens(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) {
    await openScreen(page, screen);
    // Letters of another font are wider.
    await page.evaluate(async () => void (await document.fonts.ready));
    await test.step(screen.path, () => expectAllInSight(page));
  }
}

async function enlargeText(page: Page): Promise<void> {
  await page.addInitScript(() => {
    document.addEventListener('readystatechange', () => {
      document.documentElement.style.fontSize = '200%';
    });
  });
}

test('with text twice as large nothing is cut off on a phone', async ({ newPerson, server }) => {
  const question = 'Mountains with longwindednames or the countryside?';
  const { page } = await newPerson({ viewport: SMALLEST });
  await enlargeText(page);
  await expectAllScreens(page, [...FOR_VISITORS, ...FOR_ALL]);
  await register(page, newName('cornelius-longname'));
  const poll = await postPoll(page, question, { captions: ['Mountains that have a long name', 'B'] });
  // "10 votes · Completed" is the longest that stands there.
  await crowdVotes(server, poll.id, RESPONSES_MIN, 1);
  await expectAllScreens(page, [...FOR_USERS, pollScreen(poll)]);
  const { page: visitor } = await newPerson({ viewport: SMALLEST });
  await enlargeText(visitor);
  await expectAllScreens(visitor, [shareScreen(poll)]);
  const { page: reporter } = await newPerson();
  await register(reporter, newName('rita'));
  const report = await reporter.request.post(`/api/questions/${poll.id}/report`, {
    data: { reason: 'spam' },
  });
  expect(report.status()).toBe(200);
  await logInAsOwner(page, server);
  // A job that has ended, with its chip.
  expect((await page.request.post('/api/admin/generate-polls', { data: { count: 1 } })).status()).toBe(201);
  await expectAllScreens(page, FOR_ADMINS);
});

test('with text twice as large passkeys and the dialogs about them fit a phone', async ({ newPerson }) => {
  const { page, watch } = await newPerson({ viewport: SMALLEST });
  await enlargeText(page);
  await register(page, newName('cornelia-longname'));
  for (const { name, open } of passkeyScreens(page, watch)) {
    await open();
    await test.step(name, () => expectAllInSight(page));
  }
});

test('with text twice as large administrators are led to a passkey', async ({ newPerson }) => {
  const server = await startUnused({ ADMIN_PASSKEY: 'required' });
  try {
    const { page, watch } = await newPerson({ viewport: SMALLEST, baseURL: server.address });
    watch.expectStatus(403, /\/api\/admin\//);
    await enlargeText(page);
    await logInAsOwner(page, server);
    await openScreen(page, { path: '/admin', title: 'Admin', heading: 'Add a passkey first' });
    await expectAllInSight(page);
    await expectNoViolations(page, 'the way to the first passkey of an administrator');
  } finally {
    await server.remove();
  }
});

test('with text twice as large the create form and the menu fit a phone', async ({ newPerson }) => {
  const { page } = await newPerson({ viewport: SMALLEST });
  await joinIn(page, newName('dorothea'));
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  await page.getByRole('button', { name: 'Menu' }).click();
  await expectAllInSight(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create Poll' }).click();
  await expect(page.getByRole('dialog').getByLabel('Question')).toBeFocused();
  await expectAllInSight(page);
});
