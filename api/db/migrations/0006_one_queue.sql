DROP INDEX "admin_jobs_open";--> statement-breakpoint
ALTER TABLE "admin_jobs" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "admin_jobs" ADD COLUMN "next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "admin_jobs_due" ON "admin_jobs" USING btree ("next_attempt_at") WHERE "admin_jobs"."ended_at" is null;--> statement-breakpoint
UPDATE "admin_jobs" SET "state" = 'queued', "next_attempt_at" = "created_at" WHERE "ended_at" IS NULL;