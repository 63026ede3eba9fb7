import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import { type StartedServer, startServer } from '#scripts/run/started-server.ts';
import { Watch } from './watch.ts';

/** Somebody with a device of their own. */
type Person = { page: Page; watch: Watch };

/** Loaded before the server of the tests, in each of its threads. */
const PRELOADED = [
  import.meta.resolve('#api/testing/servers/cheap-passwords.ts'),
  import.meta.resolve('#api/testing/servers/fast-start.ts'),
];
/** Settings of a server that starts sooner, and hashes passwords in no time. */
export const CHEAP_HASHES = {
  NODE_OPTIONS: [process.env.NODE_OPTIONS, ...PRELOADED.map((url) => `--import=${url}`)].join(' '),
};

type Fixtures = {
  /** Opens the browser of one more person; what goes wrong on their pages fails the test. */
  newPerson: (options?: BrowserContextOptions) => Promise<Person>;
  /** A server that no other test uses. Ask for it before `newPerson`, so that it outlives the pages. */
  ownServer: StartedServer;
};

/** The test function of all specs: a server a worker, and as many people as a test needs. */
export const test = base.extend<Fixtures, { server: StartedServer }>({
  server: [
    async ({}, use) => {
      const server = await startServer(CHEAP_HASHES);
      await use(server);
      await server.remove();
    },
    { scope: 'worker', timeout: 90_000 },
  ],

  ownServer: async ({ baseURL: _ }, use) => {
    const server = await startServer(CHEAP_HASHES);
    await use(server);
    await server.remove();
  },

  newPerson: async ({ browser, server }, use, info) => {
    const people: Person[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: server.address, ...options });
      const watch = await Watch.over(context);
      const person = { page: await context.newPage(), watch };
      people.push(person);
      return person;
    });
    if (info.status !== info.expectedStatus) {
      await info.attach('server log', { body: server.log(), contentType: 'text/plain' });
    }
    for (const { page } of people) await page.context().close();
    expect(people.flatMap(({ watch }) => watch.problems)).toEqual([]);
  },
});
