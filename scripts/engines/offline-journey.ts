import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedServer } from '#scripts/run/seed-server.ts';
import { startServer } from '#scripts/run/started-server.ts';
import { SIGNUP_BONUS_POINTS, VOTE_POINTS } from '#shared/points/constants.ts';
import { RESPONSES_MIN } from '#shared/polls/constants.ts';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import * as elements from './elements.ts';
import type { Engine, Tab } from './engine.ts';
import { isPhoto, writePhotos } from './photos.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** The questions of two polls created by `seedServer`, and of the poll created offline. */
const VOTED_ONLINE = 'First cup of the day?';
const VOTED_OFFLINE = 'Two free days in June. Sand or summit?';
const CREATED_OFFLINE = 'Lake or forest?';

const POINTS_BEFORE = SIGNUP_BONUS_POINTS + VOTE_POINTS;
const POINTS_AFTER = POINTS_BEFORE + VOTE_POINTS - RESPONSES_MIN;
/** The text of the points badge while the vote and the poll are waiting. */
const POINTS_WAITING = `${POINTS_BEFORE}+${VOTE_POINTS}−${RESPONSES_MIN}`;

type Setup = {
  address: string;
  proxy: TcpProxy;
  photos: readonly string[];
  /** Opens the browser, after closing it if it is open; all calls use the same profile. */
  openBrowser(): Promise<Tab>;
  /** Sets the name of the current step, for error messages. */
  step(name: string): void;
};

/**
 * Runs the offline journey in one browser against a real server. If a check fails or the console has an error, it throws an
 * error with the step, the console errors and the server's log.
 */
export async function runOfflineJourney(engine: Engine): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-engine-'));
  const proxy = await openTcpProxy();
  const server = await startServer({ PUBLIC_URL: proxy.address }).catch(async (error: unknown) => {
    await proxy.disconnect();
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  proxy.forwardTo(server.address);
  const errors: string[] = [];
  const tabs: Tab[] = [];
  let step = 'start';
  const closeBrowser = async () => tabs.pop()?.close();
  try {
    await seedServer(proxy.address);
    await runSteps({
      address: proxy.address,
      proxy,
      photos: await writePhotos(folder),
      async openBrowser() {
        await closeBrowser();
        const tab = await engine.open(join(folder, 'profile'), (error) => errors.push(`${step}: ${error}`));
        tabs.push(tab);
        return tab;
      },
      step(name) {
        step = name;
      },
    });
    await closeBrowser();
    assert.deepEqual(errors, [], 'errors in the console');
  } catch (error) {
    const failure = error instanceof Error ? error.stack : error;
    throw new Error([`${step}: ${failure}`, ...errors, server.log()].join('\n'));
  } finally {
    await closeBrowser();
    await proxy.disconnect();
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSteps({ address, proxy, photos, openBrowser, step }: Setup): Promise<void> {
  step('sign up');
  const first = await openBrowser();
  await first.goto(`${address}/auth?tab=signup&next=%2Fhome`);
  await signUp(first);
  await elements.waitUntilShown(first, elements.card(VOTED_ONLINE));
  await elements.waitFor(first, 'navigator.serviceWorker.controller', 'no service worker controls the page');

  step('vote online');
  await elements.waitForImages(first, '//main');
  await first.reload();
  await elements.waitUntilShown(first, elements.card(VOTED_OFFLINE));
  // The service worker caches each image that it has fetched.
  await elements.waitForImages(first, '//main');
  const votesBefore = await readVotes(first);
  await vote(first, VOTED_ONLINE);
  await expectOwnVote(first);

  step('open without the server');
  await proxy.disconnect();
  await first.reload();
  await expectOwnVote(first);
  await elements.waitForImages(first, elements.card(VOTED_OFFLINE));

  step('vote and create a poll without the server');
  await vote(first, VOTED_OFFLINE);
  await createPoll(first, photos);
  await expectWaiting(first);

  step('open again with the same profile');
  const second = await openBrowser();
  await second.goto(`${address}/home`);
  await expectWaiting(second);

  step('reach the server again');
  proxy.dropResponsesTo(/^POST \/api\/questions /, /^POST \/api\/questions\/[\w-]+\/vote /);
  await proxy.reconnect();
  await elements.waitUntilShown(second, elements.heading('Nothing is waiting'));
  assert.equal(proxy.countResponsesToDrop(), 0, 'not all of the responses were dropped');
  await elements.click(second, elements.link('See the polls'));
  await elements.waitUntilShown(second, elements.containing('Your poll', elements.card(CREATED_OFFLINE)));
  await elements.waitUntilShown(second, elements.pointsBadge(`${POINTS_AFTER}`));
  await elements.waitUntilHidden(second, elements.containing('Waiting to sync'));

  step('compare with the server');
  await expectAppliedOnce(second, address, votesBefore);
}

async function signUp(tab: Tab): Promise<void> {
  await elements.fill(tab, elements.field('Username'), 'walt');
  await elements.fill(tab, elements.field('Email'), 'walt@example.org');
  await elements.fill(tab, elements.field('Password'), 'correct horse battery');
  // This text moves the button when it appears.
  await elements.waitUntilShown(tab, elements.containing('walt is available'));
  await elements.click(tab, elements.button('Create Account'));
}

const vote = (tab: Tab, question: string) =>
  elements.click(tab, `${elements.card(question)}//button[@data-option = "2"]`);

/** Checks for percentages, which only users who have voted see, and for the points. */
async function expectOwnVote(tab: Tab): Promise<void> {
  await elements.waitUntilShown(tab, elements.containing('%', elements.card(VOTED_ONLINE)));
  await elements.waitUntilShown(tab, elements.pointsBadge(`${POINTS_BEFORE}`));
}

async function createPoll(tab: Tab, photos: readonly string[]): Promise<void> {
  const dialog = '//dialog';
  await elements.click(tab, elements.button('Create Poll'));
  await elements.fill(tab, elements.field('Question', dialog), CREATED_OFFLINE);
  for (const [index, letter] of ['A', 'B'].entries()) {
    await elements.chooseFile(tab, elements.field(`Add image ${letter}`, dialog), photos[index] ?? '');
    await elements.waitUntilShown(tab, elements.field(`Replace image ${letter}`, dialog));
  }
  await elements.click(tab, elements.button('Create Poll', dialog));
  await elements.waitUntilShown(tab, elements.containing('Saved on this device'));
}

/** Checks that the vote and the poll are shown as waiting in the feed and in the outbox; leaves the tab on the outbox. */
async function expectWaiting(tab: Tab): Promise<void> {
  await elements.waitUntilShown(tab, elements.containing('Waiting to sync', elements.card(VOTED_OFFLINE)));
  await elements.waitUntilShown(tab, elements.containing('Waiting to sync', elements.card(CREATED_OFFLINE)));
  await elements.waitForImages(tab, elements.card(CREATED_OFFLINE));
  await elements.waitUntilShown(tab, elements.pointsBadge(POINTS_WAITING));
  await elements.click(tab, elements.link('2 changes waiting'));
  await elements.waitUntilShown(tab, elements.heading('Waiting to sync · 2'));
}

const getJson = (tab: Tab, path: string) =>
  tab.evaluate(`fetch(${JSON.stringify(path)}).then((response) => response.json())`);

async function readVotes(tab: Tab): Promise<Record<string, number>> {
  const { data } = (await getJson(tab, '/api/questions')) as FeedPage;
  return Object.fromEntries(data.map(({ question, votesCount }) => [question, votesCount]));
}

/** Checks the state on the server, read as the logged-in user. */
async function expectAppliedOnce(tab: Tab, address: string, before: Record<string, number>): Promise<void> {
  const expected: Record<string, number> = { ...before, [CREATED_OFFLINE]: 0 };
  for (const question of [VOTED_ONLINE, VOTED_OFFLINE]) expected[question] = (before[question] ?? 0) + 1;
  assert.deepEqual(await readVotes(tab), expected);
  const { points } = (await getJson(tab, '/api/user')) as { points: number };
  assert.equal(points, POINTS_AFTER);

  const [poll, ...others] = (await getJson(tab, '/api/user/questions')) as Poll[];
  assert.equal(poll?.question, CREATED_OFFLINE);
  assert.deepEqual(others, []);
  for (const [index, image] of ([poll.option1Image, poll.option2Image] as const).entries()) {
    const response = await fetch(new URL(image, address));
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.ok(await isPhoto(bytes, index === 0 ? 0 : 1), `image ${index + 1} is not the upright photo`);
  }
}
