import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { adminJobs } from '#api/db/schema/admin.ts';

/** Longer than it takes from a folder to its job, which is made with it. */
const UNCLAIMED_AGE_MAX_MS = 15 * 60_000;
const STAGING_PREFIX = 'staged-';

export type JobFiles = ReturnType<typeof createJobFiles>;

/** The files that wait for a job, in a folder of `dataDir` for each, so that they outlive the process. */
export function createJobFiles(dataDir: string) {
  const root = join(dataDir, 'jobs');
  const folderOf = (jobId: string) => join(root, jobId);
  /** Removes all files of a job, if it has any. */
  const remove = (jobId: string) => rm(folderOf(jobId), { recursive: true, force: true });
  /** Where the file of this number (from 0, in the order in which they were kept) is. */
  const pathOf = (jobId: string, index: number) => join(folderOf(jobId), String(index));

  return {
    pathOf,
    remove,

    /** Moves files (same file system) into the folder of a job. Call it in the transaction that makes the job. */
    async keep(jobId: string, paths: readonly string[]): Promise<void> {
      await mkdir(folderOf(jobId), { recursive: true });
      try {
        for (const [index, path] of paths.entries()) await rename(path, pathOf(jobId, index));
      } catch (error) {
        await remove(jobId);
        throw error;
      }
    },

    /** An empty folder for what the holder of `lease` makes; what earlier holders left is gone. */
    async openStaging(jobId: string, lease: string): Promise<string> {
      for (const name of await readdir(folderOf(jobId))) {
        if (name.startsWith(STAGING_PREFIX)) await rm(join(folderOf(jobId), name), { recursive: true });
      }
      const folder = join(folderOf(jobId), `${STAGING_PREFIX}${lease}`);
      await mkdir(folder);
      return folder;
    },

    /** Removes the files of jobs that have ended, and those at least `unclaimedAgeMaxMs` old that never became a job. */
    async sweep({ orm }: Handle, unclaimedAgeMaxMs = UNCLAIMED_AGE_MAX_MS): Promise<void> {
      for (const jobId of await readdir(root).catch(() => [])) {
        const age = await stat(folderOf(jobId)).then(
          ({ mtimeMs }) => Date.now() - mtimeMs,
          () => 0,
        );
        const [job] = await orm
          .select({ endedAt: adminJobs.endedAt })
          .from(adminJobs)
          .where(sql`${adminJobs.id}::text = ${jobId}`);
        if (job === undefined ? age >= unclaimedAgeMaxMs : job.endedAt !== null) await remove(jobId);
      }
    },
  };
}
