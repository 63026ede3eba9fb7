import { createHash } from 'node:crypto';
import bcrypt from 'bcryptjs';

export type PasswordTask =
  | { kind: 'hash'; password: string; cost: number }
  | { kind: 'verify'; password: string; hash: string };

export default async function runPasswordTask(task: PasswordTask): Promise<string | boolean> {
  // bcrypt reads 72 bytes and stops at a NUL: it gets a digest of fixed length in base64.
  const digest = createHash('sha384').update(task.password, 'utf8').digest('base64');
  return task.kind === 'hash' ? bcrypt.hash(digest, task.cost) : bcrypt.compare(digest, task.hash);
}
