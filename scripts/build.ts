import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { hashInputs, isBuildCurrent, writeStamp } from './run/build-stamp.ts';
import { precompress } from './run/precompress.ts';
import { replaceFolder } from './run/replace-folder.ts';
import { DIST, DIST_APP, ROOT } from './run/root.ts';

const inputsHash = hashInputs();
if (!isBuildCurrent(inputsHash)) {
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
    await replaceFolder(outDir, DIST_APP);
    writeStamp(inputsHash);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
