#!/bin/sh
# A backup of a database in PostgreSQL, and of the images if they are in DATA_DIR, in a new folder below the one that is named:
#   backup-postgres.sh /var/backups/this-or-that
# It deletes those older than two weeks. The variables of libpq (PGHOST, PGUSER, …) say where the database is. The restore is
# in docs/operating.md.
set -eu
cd "$1"
backup=$(date +%Y-%m-%dT%H%M)
mkdir "$backup.partial"
pg_dump --format=custom --file="$backup.partial/polls.dump"
# After the dump: an image too many is swept after a restore, one too few would be missing. Those of the last backup are linked.
if [ -d "$DATA_DIR/uploads" ]; then
  # 24: images were deleted meanwhile.
  rsync -rt --link-dest="$PWD/latest/uploads" "$DATA_DIR/uploads/" "$backup.partial/uploads/" || [ $? = 24 ]
fi
mv "$backup.partial" "$backup"
ln -sfn "$backup" latest
find . -mindepth 1 -maxdepth 1 -type d -name '20*' -mtime +14 -exec rm -r {} +
