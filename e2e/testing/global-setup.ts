import { ensureBuild } from '#scripts/run/children.ts';
import { createTemplate } from './servers.ts';

/** Runs before the first test: builds the app from the current sources, and creates the servers' template database. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  await ensureBuild();
  return createTemplate();
}
