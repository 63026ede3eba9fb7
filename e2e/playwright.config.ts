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
  globalSetup: './testing/prepare-once.ts',
  // Each has a server of its own. On two cores a fourth one gains a twentieth of the time and makes tests miss their limits.
  workers: 3,
  timeout: 60_000,
  // Whole browsers on two busy cores: one miss of a time limit fails no run, but `npm test` lists the test as flaky.
  retries: 1,
  // With so many the app does not start: the rest would only take their time.
  maxFailures: 30,
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
