import { PRIVATE_UMASK } from '#api/data-folders.ts';
import { readEnv } from '#api/env.ts';
import { ExplainedError } from '#api/errors.ts';
import { explainStartError } from '#api/start-error.ts';
import { backUp } from './back-up.ts';
import { restoreBackup } from './restore-backup.ts';

/** Runs `npm run backup` or `npm run restore` with the configuration of the environment. `folder`: its argument. */
export async function runBackupCommand(command: 'backup' | 'restore', folder: string | null): Promise<void> {
  process.umask(PRIVATE_UMASK);
  try {
    const env = readEnv();
    if (command === 'backup') {
      process.stdout.write(`${await backUp(env, folder)}\n`);
      return;
    }
    if (folder === null) throw new ExplainedError('Name the backup: npm run restore -- FOLDER');
    const epoch = await restoreBackup(env, folder);
    process.stdout.write(`${folder} is restored in ${env.dataDir}, with the epoch ${epoch}.\n`);
  } catch (error) {
    process.stderr.write(`${explainStartError(error, 'The command failed')}\n`);
    process.exitCode = 1;
  }
}
