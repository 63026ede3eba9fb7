import { hash } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { PASSWORD_ESTIMATE_MAX_LENGTH } from '#shared/accounts/constants.ts';

export type PasswordTask =
  | { kind: 'hash'; password: string; cost: number }
  /** The recovery codes of a user share one salt, so that a typed code has to be hashed only once. */
  | { kind: 'hashCodes'; codes: readonly string[]; cost: number }
  | { kind: 'hashCodeLike'; code: string; hash: string }
  | { kind: 'verify'; password: string; hash: string }
  | { kind: 'estimate'; password: string; words: readonly string[] };

export type PasswordResult = string | boolean | number | readonly string[];

/** Length of the version, cost and salt at the start of a bcrypt hash. */
const SALT_LENGTH = 29;

export default async function runPasswordTask(task: PasswordTask): Promise<PasswordResult> {
  switch (task.kind) {
    case 'estimate':
      return estimate(task.password, task.words);
    case 'hash':
      return bcrypt.hash(digestOf(task.password), task.cost);
    case 'hashCodes': {
      const salt = await bcrypt.genSalt(task.cost);
      return Promise.all(task.codes.map((code) => bcrypt.hash(digestOf(code), salt)));
    }
    case 'hashCodeLike':
      return bcrypt.hash(digestOf(task.code), task.hash.slice(0, SALT_LENGTH));
    case 'verify':
      return bcrypt.compare(digestOf(task.password), task.hash);
  }
}

/** bcrypt reads only 72 bytes and stops at a NUL, so it gets a base64 digest of fixed length instead of the password. */
function digestOf(password: string): string {
  return hash('sha384', password, 'base64');
}

type Estimator = { check(password: string, words: string[]): { score: number } };

let estimator: Estimator | null = null;

async function estimate(password: string, words: readonly string[]): Promise<number> {
  estimator ??= await loadEstimator();
  return estimator.check(password.slice(0, PASSWORD_ESTIMATE_MAX_LENGTH), [...words]).score;
}

/** Loads the estimator at its first use, because its dictionaries take memory and logins do not need them. */
async function loadEstimator(): Promise<Estimator> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
