import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { PASSWORD_ESTIMATE_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#shared/accounts/constants.ts';
import { guessableWords, passwordWeakness } from '#shared/accounts/password-rules.ts';

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

export type PasswordStrength = {
  /** How many of four bars are filled. */
  bars: 1 | 2 | 3 | 4;
  label: string;
  hint: string;
};

/** The strength of a new password by the server's rules; 1 bar if the server would reject it. `account` is null if unknown. */
export function passwordStrength(
  password: string,
  account: { username: string; email: string } | null,
): PasswordStrength {
  if (password.length < PASSWORD_MIN_LENGTH) {
    return { bars: 1, label: 'Too short', hint: `at least ${PASSWORD_MIN_LENGTH} characters` };
  }
  const { score } = estimator.check(password.slice(0, PASSWORD_ESTIMATE_MAX_LENGTH), guessableWords(account));
  const weakness = passwordWeakness(password, score, account);
  if (weakness !== null) {
    // Such as "Too easy: it has your name in it."
    const [label = '', hint = ''] = weakness.replace(/\.$/, '').split(': ');
    return { bars: 1, label, hint };
  }
  if (score === 2) return { bars: 2, label: 'Could be better', hint: 'a second word would help' };
  if (score === 3) return { bars: 3, label: 'Good', hint: 'one more word makes it strong' };
  return { bars: 4, label: 'Strong', hint: 'very hard to guess' };
}
