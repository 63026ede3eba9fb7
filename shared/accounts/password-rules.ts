import { PASSWORD_SCORE_MIN } from './constants.ts';

type AccountNames = { username: string; email: string };

const PRODUCT_NAME = 'This or That?';
const WORD_MIN_LENGTH = 3;

/** Why a password is refused, as a text for the user; null if it is accepted. `score`: its estimated strength from 0 to 4. */
export function passwordWeakness(
  password: string,
  score: number,
  account: AccountNames | null,
): string | null {
  const text = lettersAndDigitsOf(password);
  const { name, email } = wordsOf(account);
  if (isMostly(text, name)) return 'Too easy: it has your name in it.';
  if (isMostly(text, email)) return 'Too easy: it has your email in it.';
  if (isMostly(text, [lettersAndDigitsOf(PRODUCT_NAME)]))
    return 'Too easy: it has the name of this app in it.';
  return score < PASSWORD_SCORE_MIN ? 'Too easy: it is one of the first that people would try.' : null;
}

/**
 * Words that an attacker would try first, because they belong to the account or the app. A password with such a word is weaker.
 */
export function guessableWords(account: AccountNames | null): string[] {
  const { name, email } = wordsOf(account);
  return [...new Set([...name, ...email, lettersAndDigitsOf(PRODUCT_NAME)])];
}

function wordsOf(account: AccountNames | null): { name: string[]; email: string[] } {
  if (account === null) return { name: [], email: [] };
  const [local = '', domain = ''] = account.email.split('@');
  return {
    name: wordsIn(account.username),
    email: [...wordsIn(account.email), ...wordsIn(local), ...wordsIn(domain.replace(/\.[^.]*$/, ''))],
  };
}

/** The letters and digits of a text, and those of each of its parts, if they are long enough. */
function wordsIn(text: string): string[] {
  const words = [lettersAndDigitsOf(text), ...text.split(/[^\p{L}\p{N}]+/u).map(lettersAndDigitsOf)];
  return words.filter((word) => word.length >= WORD_MIN_LENGTH);
}

function lettersAndDigitsOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Whether at least half of a text consists of these words. */
function isMostly(text: string, words: readonly string[]): boolean {
  const rest = words
    .toSorted((a, b) => b.length - a.length)
    .reduce((remaining, word) => remaining.replaceAll(word, ' '), text)
    .replaceAll(' ', '');
  return rest.length < text.length && rest.length <= text.length / 2;
}
