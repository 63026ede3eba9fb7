import { resolve } from 'node:path';
import { enterProject } from './run/enter-project.ts';

const [folder] = process.argv.slice(2).map((path) => resolve(path));
enterProject();
const { runBackupCommand } = await import('#api/backup/backup-command.ts');
await runBackupCommand('backup', folder ?? null);
