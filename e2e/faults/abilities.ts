/**
 * Abilities of the engine that the fault tests can ask for. One that it lacks is off: then the histories leave out what
 * needs it.
 */
export const ABILITIES = {
  /** A tab that stays frozen while it holds a lock holds up no other tab. */
  passesOverFrozenLocks: true,
  /** Error codes and poll states that it does not know are taken for what they are. */
  toleratesUnknownValues: true,
  /** A poll that is stored while its person logs out and keeps what waits is kept too. */
  keepsWhatIsStoredDuringLogOut: true,
  /** A server that was restored from a backup is followed back, and gets again what it has lost. */
  survivesRestores: true,
};
