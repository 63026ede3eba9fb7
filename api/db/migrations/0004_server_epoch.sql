CREATE TABLE "server_state" (
	"id" integer PRIMARY KEY NOT NULL,
	"epoch" uuid DEFAULT gen_random_uuid() NOT NULL,
	CONSTRAINT "server_state_one_row" CHECK ("server_state"."id" = 1)
);--> statement-breakpoint
INSERT INTO "server_state" ("id") VALUES (1) ON CONFLICT DO NOTHING;
