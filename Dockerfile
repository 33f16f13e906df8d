FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY data ./data
COPY src ./src
# The commit of the image, shown at / and in 功能: docker build --build-arg BUILD_ID=$(git rev-parse HEAD) .
ARG BUILD_ID=unknown
RUN echo "$BUILD_ID" > .build-id
USER node
EXPOSE 8080
CMD ["node", "src/main.ts", "serve"]
