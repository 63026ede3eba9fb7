import { afterAll, afterEach, onTestFinished, TestRunner } from 'vitest';

// Vitest ignores `afterAll` and `afterEach` once it has collected the file, and so inside a test.

const isTestRunning = () => TestRunner.getCurrentTest() !== undefined;

/** Runs `release` after the file's tests, or the tests of the enclosing `describe`; if called inside a test, after that test. */
export function afterTests(release: () => Promise<void>): void {
  if (isTestRunning()) onTestFinished(release);
  else afterAll(release);
}

/**
 * Runs `check` after each test of the file or of the enclosing `describe`; if called inside a test, after that test. An error that
 * it throws fails the test.
 */
export function afterEachTest(check: () => void): void {
  if (isTestRunning()) onTestFinished(check);
  else afterEach(check);
}
