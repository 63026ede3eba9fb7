import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { hashInputs, isBuildCurrent, writeStamp } from './run/build-stamp.ts';
import { precompress } from './run/precompress.ts';
import { DIST, DIST_APP, ROOT } from './run/root.ts';

/** Replaces the last build with `built` by renaming, so that two concurrent builds never mix their files. */
async function replaceBuild(built: string): Promise<void> {
  const old = join(await mkdtemp(join(DIST, 'old-')), 'app');
  // The first build has none to replace.
  await rename(DIST_APP, old).catch(() => {});
  await rename(built, DIST_APP);
  await rm(join(old, '..'), { recursive: true, force: true });
}

const inputs = hashInputs();
if (!isBuildCurrent(inputs)) {
  process.chdir(ROOT);
  process.env.NODE_ENV = 'production';
  await mkdir(DIST, { recursive: true });
  const scratch = await mkdtemp(join(DIST, 'new-'));
  try {
    const outDir = join(scratch, 'app');
    await build({
      configFile: join(ROOT, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    });
    await precompress(outDir);
    await replaceBuild(outDir);
    writeStamp(inputs);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
