const NOBODY_UID = 65_534;

/** Runs `work` as an unprivileged user if the process runs as root, which could write everywhere. */
export async function asUnprivilegedUser<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY_UID);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
