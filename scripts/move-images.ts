import { loadRootEnvFile } from './run/load-env-file.ts';
import { ROOT } from './run/root.ts';

process.chdir(ROOT);
loadRootEnvFile();
await import('#api/move-images.ts');
