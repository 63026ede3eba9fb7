import { enterProject } from './run/enter-project.ts';

enterProject();
await import('#api/move-images.ts');
