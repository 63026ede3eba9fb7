import { ensureBuild } from '#scripts/run/children.ts';

/** Before the first test: what the servers hand out is built from the sources as they are. */
export default async function buildOnce(): Promise<void> {
  await ensureBuild();
}
