import bcrypt from 'bcryptjs';

/**
 * Loaded before a server that is only tested, in each of its threads: hashing the password of a new account then takes
 * no time. Tests make hundreds of accounts, and the real cost was a tenth of all that they took.
 */
const CHEAPEST_COST = 4;

const { hash } = bcrypt;
bcrypt.hash = (password: string) => hash(password, CHEAPEST_COST);
