#!/bin/sh
# Backs up a PostgreSQL database, and the images if they are in DATA_DIR, to a new folder in the given one:
#   backup-postgres.sh /var/backups/this-or-that
# Deletes backups older than two weeks. libpq's variables (PGHOST, PGUSER, …) select the database; DATA_DIR, which must be set,
# is that of the server. docs/operating.md describes how to restore a backup.
set -eu
cd "$1"
backup=$(date +%Y-%m-%dT%H%M)
mkdir "$backup.partial"
pg_dump --format=custom --file="$backup.partial/polls.dump"
# Images are copied after the dump, so that the backup has every image in the dump; the server deletes surplus images after a
# restore. Images that the last backup has are hard-linked.
if [ -d "$DATA_DIR/uploads" ]; then
  # 24: images were deleted during the copy.
  rsync -rt --link-dest="$PWD/latest/uploads" "$DATA_DIR/uploads/" "$backup.partial/uploads/" || [ $? = 24 ]
fi
mv "$backup.partial" "$backup"
ln -sfn "$backup" latest
find . -mindepth 1 -maxdepth 1 -type d -name '20*' -mtime +14 -exec rm -r {} +
