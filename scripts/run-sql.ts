import { enterProject } from './run/enter-project.ts';

enterProject();
await import('#api/run-sql.ts');
