import bcrypt from 'bcryptjs';

/**
 * Loaded before a server that is only tested, in each of its threads: hashing the password of a new account then takes
 * no time. Tests make hundreds of accounts, and the real cost was a tenth of all that they took.
 */
const CHEAPEST_COST = 4;

/** What a hash of that cost passes for, so that no login hashes anew. */
const REAL_COST = 12;

const { hash, genSalt, getRounds } = bcrypt;
bcrypt.genSalt = () => genSalt(CHEAPEST_COST);
bcrypt.hash = (password: string, salt: number | string) =>
  hash(password, typeof salt === 'string' ? salt : CHEAPEST_COST);
bcrypt.getRounds = (stored: string) => {
  const cost = getRounds(stored);
  return cost === CHEAPEST_COST ? REAL_COST : cost;
};
