import { resolve } from 'node:path';
import { enterProject } from './run/enter-project.ts';

// Before `enterProject` changes the working directory, to which a relative path refers.
const [folder] = process.argv.slice(2).map((path) => resolve(path));
enterProject();
const { runBackupCommand } = await import('#api/backup/backup-command.ts');
await runBackupCommand('backup', folder ?? null);
