# swapcheck in a container: the package, Node, and Anvil. See docs/releasing.md.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --ignore-scripts --pack-destination /tmp

FROM node:22-bookworm-slim
COPY --from=build /tmp/swapcheck-*.tgz /tmp/swapcheck.tgz
RUN npm install --global --omit=dev --ignore-scripts --no-audit --no-fund /tmp/swapcheck.tgz && rm /tmp/swapcheck.tgz
USER node
WORKDIR /home/node
ENTRYPOINT ["swapcheck"]
CMD ["--help"]
