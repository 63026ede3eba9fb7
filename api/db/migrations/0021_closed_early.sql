ALTER TABLE "point_entries" DROP CONSTRAINT "point_entries_reason";--> statement-breakpoint
ALTER TABLE "polls" ADD COLUMN "closed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "point_entries" ADD CONSTRAINT "point_entries_reason" CHECK ("point_entries"."reason" in ('signup', 'login', 'vote', 'referral', 'poll', 'refund'));