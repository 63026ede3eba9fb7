const NOBODY_UID = 65_534;

/** Does `work` as a user who may not write everywhere, as root may. */
export async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY_UID);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
