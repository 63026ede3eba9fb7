-- Timeouts for requests. Processes also set them when they connect, but PgBouncer ignores that. Migrations disable them.
alter role app set statement_timeout = '10s';
alter role app set lock_timeout = '4s';
