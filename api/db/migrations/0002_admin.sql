CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE TABLE "admin_jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"admin_id" integer,
	"input" jsonb NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer NOT NULL,
	"place" jsonb,
	"stop_asked" boolean DEFAULT false NOT NULL,
	"lease" uuid,
	"leased_until" timestamp with time zone,
	"message" text,
	"code" text,
	"result" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "admin_jobs_kind" CHECK ("admin_jobs"."kind" in ('bulk-upload', 'repair-images', 'generate-polls')),
	CONSTRAINT "admin_jobs_state" CHECK ("admin_jobs"."state" in ('queued', 'running', 'done', 'failed', 'stopped')),
	CONSTRAINT "admin_jobs_end" CHECK (("admin_jobs"."ended_at" is not null) = ("admin_jobs"."state" in ('done', 'failed', 'stopped'))),
	CONSTRAINT "admin_jobs_progress" CHECK ("admin_jobs"."done" between 0 and "admin_jobs"."total")
);
--> statement-breakpoint
ALTER TABLE "poll_totals" DROP CONSTRAINT "poll_totals_not_negative";--> statement-breakpoint
ALTER TABLE "poll_totals" ADD COLUMN "total" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "polls" ADD COLUMN "is_free" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "admin_jobs" ADD CONSTRAINT "admin_jobs_admin_id_users_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "admin_jobs_age" ON "admin_jobs" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "admin_jobs_open" ON "admin_jobs" USING btree ("created_at") WHERE "admin_jobs"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "polls_newest" ON "polls" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "polls_question_search" ON "polls" USING gin ("question" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ("username" gin_trgm_ops,"email" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_newest" ON "users" USING btree ("created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "votes_user" ON "votes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "votes_age" ON "votes" USING brin ("created_at");--> statement-breakpoint
ALTER TABLE "poll_totals" ADD CONSTRAINT "poll_totals_not_negative" CHECK ("poll_totals"."active" >= 0 and "poll_totals"."total" >= 0);--> statement-breakpoint
INSERT INTO "poll_totals" ("id") VALUES (1) ON CONFLICT DO NOTHING;--> statement-breakpoint
UPDATE "poll_totals" SET "total" = (SELECT count(*) FROM "polls");
