import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { adminJobs } from '#api/db/schema/admin.ts';
import { ageMsOf } from '#api/storage/durable-files.ts';

/** Longer than the transaction that creates a folder and its job takes. */
const UNCLAIMED_AGE_MAX_MS = 15 * 60_000;
const STAGING_PREFIX = 'staged-';

/** Whether a file is output that a running job may still be writing; the next holder of the job's lease writes it again. */
export function isStaged(path: string): boolean {
  return basename(dirname(path)).startsWith(STAGING_PREFIX);
}

export type JobFiles = ReturnType<typeof createJobFiles>;

/** Stores the files of each job in a folder below `dataDir`, so that they outlive the process. */
export function createJobFiles(dataDir: string) {
  const root = join(dataDir, 'jobs');
  const folderOf = (jobId: string) => join(root, jobId);
  /** Removes all files of a job, if it has any. */
  const remove = (jobId: string) => rm(folderOf(jobId), { recursive: true, force: true });
  /** The path of the file with this index: from 0, in the order of the `paths` of `store`. */
  const pathOf = (jobId: string, index: number) => join(folderOf(jobId), String(index));

  return {
    pathOf,
    remove,

    /** Moves files (same file system) into the folder of a job. Call it in the transaction that creates the job. */
    async store(jobId: string, paths: readonly string[]): Promise<void> {
      await mkdir(folderOf(jobId), { recursive: true });
      try {
        for (const [index, path] of paths.entries()) await rename(path, pathOf(jobId, index));
      } catch (error) {
        await remove(jobId);
        throw error;
      }
    },

    /** Creates an empty folder for the output of the holder of `lease`, and removes those of earlier holders. */
    async openStaging(jobId: string, lease: string): Promise<string> {
      for (const name of await readdir(folderOf(jobId))) {
        if (name.startsWith(STAGING_PREFIX)) await rm(join(folderOf(jobId), name), { recursive: true });
      }
      const folder = join(folderOf(jobId), `${STAGING_PREFIX}${lease}`);
      await mkdir(folder);
      return folder;
    },

    /** Removes the files of ended jobs, and those that have no job and are at least `unclaimedAgeMaxMs` old. */
    async sweep({ orm }: Handle, unclaimedAgeMaxMs = UNCLAIMED_AGE_MAX_MS): Promise<void> {
      for (const jobId of await readdir(root).catch(() => [])) {
        const ageMs = await ageMsOf(folderOf(jobId));
        const [job] = await orm
          .select({ endedAt: adminJobs.endedAt })
          .from(adminJobs)
          .where(sql`${adminJobs.id}::text = ${jobId}`);
        const isUnused = job === undefined ? ageMs >= unclaimedAgeMaxMs : job.endedAt !== null;
        if (isUnused) await remove(jobId);
      }
    },
  };
}
