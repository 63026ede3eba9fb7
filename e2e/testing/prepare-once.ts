import { ensureBuild } from '#scripts/run/children.ts';
import { makeTemplate } from './servers.ts';

/** Before the first test: what the servers hand out is built from the sources as they are, and one has made a database. */
export default async function prepareOnce(): Promise<() => Promise<void>> {
  await ensureBuild();
  return makeTemplate();
}
