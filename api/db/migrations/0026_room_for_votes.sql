-- Room in each page for new versions of its rows: a vote whose new versions stay in the page changes no index of polls and users.
-- It counts for pages that are written from now on.
ALTER TABLE "polls" SET (fillfactor = 75);--> statement-breakpoint
ALTER TABLE "users" SET (fillfactor = 85);
