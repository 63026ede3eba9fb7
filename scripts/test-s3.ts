import { join } from 'node:path';
import { exitCodeOf, onTerminationSignal, spawnNode } from './run/children.ts';
import { installIfRequested } from './run/install-packages.ts';
import { ROOT } from './run/root.ts';
import { isSwiftInstalled, SWIFT_PACKAGES, startSwift } from './s3/swift.ts';

/**
 * Runs the tests of the image storage against OpenStack Swift, an independent S3-compatible server. `--install` first installs
 * it, as root. Exits with 1 if a test fails or Swift is missing.
 */

if (!isSwiftInstalled()) installIfRequested(SWIFT_PACKAGES);
if (isSwiftInstalled()) {
  const swift = await startSwift();
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const tests = spawnNode([vitest, 'run', '--project', 'api-pglite', 'api/storage/image-storage'], {
    env: { ...process.env, S3_TEST_SETTINGS: JSON.stringify(swift.settings) },
  });
  onTerminationSignal((signal) => tests.kill(signal));
  process.exitCode = await exitCodeOf(tests).finally(swift.stop);
} else {
  console.log(`Swift is not installed: apt-get install ${SWIFT_PACKAGES.join(' ')}`);
  process.exitCode = 1;
}
