# The server in a container, built as everywhere else:
#   docker build -t stint .
#   docker run --rm -p 127.0.0.1:8080:8080 stint
#   docker run --rm -p 127.0.0.1:8080:8080 -v "$PWD/rules.yaml:/etc/stint/rules.yaml:ro" stint
#   docker build --target test .     # runs the tests
FROM debian:12 AS build
WORKDIR /stint
COPY . .
RUN ./run --help

FROM build AS test
RUN ./test

FROM debian:12
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        ca-certificates libdate-tz3 libfmt9 libspdlog1.10 libssl3 libyaml-cpp0.7 tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --no-create-home stint
COPY --from=build /stint/build/release/stint /usr/local/bin/stint
COPY --from=build /stint/deploy/rules.yaml /etc/stint/rules.yaml
USER stint
EXPOSE 8080
# All addresses: those of the container. Who may reach it is said by `docker run -p`.
CMD ["stint", "serve", "--rules", "/etc/stint/rules.yaml", "--http", "0.0.0.0:8080"]
