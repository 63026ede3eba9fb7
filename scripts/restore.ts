import { resolve } from 'node:path';
import { loadRootEnvFile } from './run/load-env-file.ts';
import { ROOT } from './run/root.ts';

const [folder] = process.argv.slice(2).map((path) => resolve(path));
process.chdir(ROOT);
loadRootEnvFile();
const { runBackupCommand } = await import('#api/backup/backup-command.ts');
await runBackupCommand('restore', folder ?? null);
