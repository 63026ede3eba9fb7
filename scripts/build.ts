import { join } from 'node:path';
import { build } from 'vite';
import { hashInputs, isBuildCurrent, writeStamp } from './run/build-stamp.ts';
import { precompress } from './run/precompress.ts';
import { DIST_APP, ROOT } from './run/root.ts';

const inputs = hashInputs();
if (!isBuildCurrent(inputs)) {
  process.chdir(ROOT);
  process.env.NODE_ENV = 'production';
  await build({ configFile: join(ROOT, 'vite.config.ts'), logLevel: 'warn' });
  await precompress(DIST_APP);
  writeStamp(inputs);
}
