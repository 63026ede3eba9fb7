-- The limits of a request. Processes ask for them when they connect, which PgBouncer does not pass on; migrations lift them.
alter role app set statement_timeout = '10s';
alter role app set lock_timeout = '4s';
