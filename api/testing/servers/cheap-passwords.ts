import bcrypt from 'bcryptjs';

// Preloaded into each thread of a server in tests, so that hashing the password of a new account takes no time. Tests create
// hundreds of accounts, and hashing at the real cost took a tenth of their time.

/** The lowest cost that bcrypt accepts. */
const CHEAPEST_COST = 4;

/** The cost that `getRounds` returns for a hash of the lowest cost, so that no login causes a rehash. */
const REAL_COST = 12;

const { hash, genSalt, getRounds } = bcrypt;
bcrypt.genSalt = () => genSalt(CHEAPEST_COST);
bcrypt.hash = (password: string, salt: number | string) =>
  hash(password, typeof salt === 'string' ? salt : CHEAPEST_COST);
bcrypt.getRounds = (stored: string) => {
  const cost = getRounds(stored);
  return cost === CHEAPEST_COST ? REAL_COST : cost;
};
