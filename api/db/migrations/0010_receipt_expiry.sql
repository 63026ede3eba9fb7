ALTER TABLE "mutation_receipts" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "mutation_receipts_expiry" ON "mutation_receipts" USING btree ("expires_at") WHERE "mutation_receipts"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "mutation_receipts_expiring" ON "mutation_receipts" USING btree ("user_id","expires_at") WHERE "mutation_receipts"."expires_at" is not null;--> statement-breakpoint
UPDATE "mutation_receipts" SET "expires_at" = "created_at" + interval '7 days' WHERE "code" IS NOT NULL;
