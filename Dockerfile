# The bundles run in browsers, so this stage's base image does not have to match the final one.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/build.ts

FROM node:24.21.0-alpine3.23 AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Packages that run only in browsers are already in the bundles.
RUN npm ci --omit=dev --no-audit --no-fund \
  && npm uninstall --omit=dev --no-save --no-audit --no-fund \
    @fontsource-variable/gabarito @simplewebauthn/browser @tanstack/react-query dexie dexie-react-hooks jotai \
    lucide-react react react-dom react-error-boundary react-router-dom workbox-core workbox-expiration \
    workbox-precaching workbox-routing workbox-strategies workbox-window \
  && find node_modules -type f \( -name '*.map' -o -name '*.md' -o -name '*.d.ts' -o -name '*.d.?ts' \) -delete

# Contains Node but not npm: Node runs TypeScript directly, so nothing has to be built here.
FROM alpine:3.23
RUN apk add --no-cache libstdc++ && install -d -o 10001 -g 10001 -m 700 /data
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist/app dist/app
COPY package.json ./
COPY shared shared
COPY api api
COPY scripts/backup.ts scripts/restore.ts scripts/renew-epoch.ts scripts/move-images.ts scripts/run-sql.ts scripts/
COPY scripts/run/enter-project.ts scripts/run/root.ts scripts/run/
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/api/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "api/server.ts"]
