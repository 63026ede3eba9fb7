CREATE TABLE "poll_reports" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "poll_reports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"poll_id" uuid,
	"user_id" integer NOT NULL,
	"reason" text NOT NULL,
	"text" text,
	"verdict" text,
	"decided_at" timestamp with time zone,
	"is_taken_back" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "poll_reports_one_a_user" UNIQUE("poll_id","user_id"),
	CONSTRAINT "poll_reports_text_length" CHECK (char_length("poll_reports"."text") between 1 and 500),
	CONSTRAINT "poll_reports_verdict" CHECK ("poll_reports"."verdict" in ('upheld', 'dismissed'))
);
--> statement-breakpoint
CREATE TABLE "report_decisions" (
	"poll_id" uuid PRIMARY KEY NOT NULL,
	"admin_id" integer,
	"action" text NOT NULL,
	"rule" text,
	"hidden_at" timestamp with time zone,
	"decided_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "report_decisions_action" CHECK ("report_decisions"."action" in ('keep', 'remove', 'suspend'))
);
--> statement-breakpoint
CREATE TABLE "user_blocks" (
	"user_id" integer NOT NULL,
	"blocked_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_blocks_key" PRIMARY KEY("user_id","blocked_id"),
	CONSTRAINT "user_blocks_not_oneself" CHECK ("user_blocks"."user_id" <> "user_blocks"."blocked_id")
);
--> statement-breakpoint
ALTER TABLE "mail_queue" DROP CONSTRAINT "mail_queue_recipient";--> statement-breakpoint
ALTER TABLE "mail_queue" ADD COLUMN "poll_id" uuid;--> statement-breakpoint
ALTER TABLE "mail_queue" ADD COLUMN "rule" text;--> statement-breakpoint
ALTER TABLE "polls" ADD COLUMN "hidden_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "polls" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "polls" ADD COLUMN "removed_rule" text;--> statement-breakpoint
ALTER TABLE "polls" ADD COLUMN "active_before" boolean;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "hides_polls" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "poll_reports" ADD CONSTRAINT "poll_reports_poll_id_polls_id_fk" FOREIGN KEY ("poll_id") REFERENCES "public"."polls"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "poll_reports" ADD CONSTRAINT "poll_reports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "report_decisions" ADD CONSTRAINT "report_decisions_poll_id_polls_id_fk" FOREIGN KEY ("poll_id") REFERENCES "public"."polls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "report_decisions" ADD CONSTRAINT "report_decisions_admin_id_users_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_blocks" ADD CONSTRAINT "user_blocks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_blocks" ADD CONSTRAINT "user_blocks_blocked_id_users_id_fk" FOREIGN KEY ("blocked_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "poll_reports_user" ON "poll_reports" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "poll_reports_open" ON "poll_reports" USING btree ("poll_id") WHERE "poll_reports"."verdict" is null;--> statement-breakpoint
CREATE INDEX "report_decisions_age" ON "report_decisions" USING btree ("decided_at" DESC NULLS LAST,"poll_id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "report_decisions_admin" ON "report_decisions" USING btree ("admin_id");--> statement-breakpoint
CREATE INDEX "user_blocks_blocked" ON "user_blocks" USING btree ("blocked_id");--> statement-breakpoint
ALTER TABLE "mail_queue" ADD CONSTRAINT "mail_queue_poll_id_polls_id_fk" FOREIGN KEY ("poll_id") REFERENCES "public"."polls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mail_queue_one_removal" ON "mail_queue" USING btree ("poll_id") WHERE "mail_queue"."purpose" = 'removal' and "mail_queue"."failed_at" is null;--> statement-breakpoint
CREATE INDEX "mail_queue_poll" ON "mail_queue" USING btree ("poll_id");--> statement-breakpoint
CREATE INDEX "polls_withheld" ON "polls" USING btree ("removed_at","id") WHERE "polls"."hidden_at" is not null or "polls"."removed_at" is not null;--> statement-breakpoint
ALTER TABLE "mail_queue" ADD CONSTRAINT "mail_queue_recipient" CHECK (("mail_queue"."purpose" = 'verify' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null)
        or ("mail_queue"."purpose" = 'reset' and "mail_queue"."email" is not null)
        or ("mail_queue"."purpose" = 'removal' and "mail_queue"."user_id" is not null and "mail_queue"."email" is null
          and "mail_queue"."poll_id" is not null and "mail_queue"."rule" is not null));--> statement-breakpoint
ALTER TABLE "polls" ADD CONSTRAINT "polls_withheld_inactive" CHECK (("polls"."hidden_at" is null and "polls"."removed_at" is null) = ("polls"."active_before" is null)
        and ("polls"."active_before" is null or not "polls"."active"));