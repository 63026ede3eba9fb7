import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { findBrowser } from '#scripts/browser/find-browser.ts';
import { keepTemporaryFilesInMemory } from '#scripts/run/memory-folder.ts';
import { ROOT } from '#scripts/run/root.ts';

keepTemporaryFilesInMemory();

const browser = await findBrowser();

export default defineConfig({
  testDir: import.meta.dirname,
  // The fault tests beside them are Vitest's.
  testMatch: '*.spec.ts',
  outputDir: join(ROOT, 'test-results'),
  globalSetup: './testing/build-once.ts',
  // Each has a server of its own; on two cores one of them waits while the other one works.
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: browser.executablePath,
      args: browser.args,
      env: { ...process.env, ...browser.env },
    },
    viewport: { width: 375, height: 812 },
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    // Recording costs a third of the time: ask for it with TRACE=1.
    trace: process.env.TRACE === undefined ? 'off' : 'retain-on-failure',
  },
});
