# swapcheck in a container: the package, Node, and Anvil. See docs/releasing.md.
FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --ignore-scripts --pack-destination /tmp

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
COPY --from=build /tmp/swapcheck-*.tgz /tmp/swapcheck.tgz
RUN npm install --global --omit=dev --ignore-scripts --no-audit --no-fund /tmp/swapcheck.tgz && rm /tmp/swapcheck.tgz
USER node
WORKDIR /home/node
ENTRYPOINT ["swapcheck"]
CMD ["--help"]
