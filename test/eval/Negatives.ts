/** Texts that look like secrets to a careless eye and are none: what sessions are full of. Nothing in them may be redacted. */
import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { deflateSync } from "node:zlib"
import { CROCKFORD, camel, capital, hash, lines, type Negative, word, words } from "./Negative.ts"
import { NEGATIVE_FILES } from "./NegativeFiles.ts"
import { ALNUM, DIGITS, HEX, LOWER, Seeded, UPPER, URL64 } from "./Seeded.ts"

const IDS: ReadonlyArray<Negative> = [
  { name: "uuids", write: (random) => `${random.uuid()} ${word(random)}\nid=${random.uuid()}\n{"id":"${random.uuid()}"}` },
  { name: "ulids", write: (random) => `01J${random.text(CROCKFORD, 23)} ${word(random)}.json` },
  { name: "nano ids", write: (random) => `"id": "${random.text(URL64, 21)}", key={${random.text(URL64, 8)}}` },
  {
    name: "git log",
    write: (random) => `commit ${random.text(HEX, 40)}\nAuthor: Dev <dev@example.net>\n\n    ${capital(words(random, 6))}\n`,
  },
  {
    name: "git diff header",
    write: (random) =>
      `diff --git a/${word(random)}.ts b/${word(random)}.ts\nindex ${random.text(HEX, 7)}..${random.text(HEX, 7)} 100644`,
  },
  {
    name: "sha256 list",
    write: (random) =>
      `${hash(random, "sha256").toString("hex")}  ${word(random)}-${random.between(1, 9)}.${random.between(0, 20)}.tar.gz`,
  },
  {
    name: "docker digests",
    write: (random) =>
      `FROM node@sha256:${hash(random, "sha256").toString("hex")}\n ---> ${random.text(HEX, 12)}\n#8 sha256:${hash(random, "sha256").toString("hex")} 3.4MB / 3.4MB`,
  },
  {
    name: "trace ids",
    write: (random) =>
      `traceparent: 00-${random.text(HEX, 32)}-${random.text(HEX, 16)}-01\nx-request-id: ${random.uuid()}\netag: W/"${random.text(HEX, 32)}"\ncf-ray: ${random.text(HEX, 16)}-FRA`,
  },
  {
    name: "provider ids",
    write: (random) =>
      `toolu_01${random.text(ALNUM, 22)} msg_01${random.text(ALNUM, 22)} req_01${random.text(ALNUM, 22)}\ncall_${random.text(ALNUM, 24)} fc_${random.text(HEX, 50)} rs_${random.text(HEX, 50)} resp_${random.text(HEX, 48)} chatcmpl-${random.text(ALNUM, 29)} run_${random.text(ALNUM, 24)}`,
  },
  {
    name: "service ids",
    write: (random) =>
      `i-0${random.text(HEX, 16)} vpc-0${random.text(HEX, 16)} arn:aws:iam::${random.text(DIGITS, 12)}:role/${word(random)}\ncus_${random.text(ALNUM, 14)} price_${random.text(ALNUM, 24)} pi_${random.text(ALNUM, 24)} evt_${random.text(ALNUM, 24)} pk_live_${random.text(ALNUM, 24)} AC${random.text(HEX, 32)} T${random.text(UPPER + DIGITS, 10)} C${random.text(UPPER + DIGITS, 10)}`,
  },
]

const HASHED: ReadonlyArray<Negative> = [
  {
    name: "package lock",
    write: (random) =>
      `    "node_modules/${word(random)}-${word(random)}": {\n      "version": "${random.between(0, 9)}.${random.between(0, 30)}.${random.between(0, 9)}",\n      "integrity": "sha512-${hash(random, "sha512").toString("base64")}",\n      "license": "MIT"\n    },`,
  },
  {
    name: "yarn lock",
    write: (random) =>
      `"${word(random)}@^${random.between(0, 9)}.0.0":\n  version "${random.between(0, 9)}.2.1"\n  resolved "https://example.com/${word(random)}/-/${word(random)}-1.2.1.tgz#${random.text(HEX, 40)}"\n  integrity sha512-${hash(random, "sha512").toString("base64")}`,
  },
  {
    name: "cargo and go sums",
    write: (random) =>
      `checksum = "${random.text(HEX, 64)}"\ngolang.org/x/${word(random)} v0.${random.between(1, 40)}.0 h1:${random.bytes(32).toString("base64")}\ngolang.org/x/${word(random)} v0.0.0-20260102030405-${random.text(HEX, 12)}/go.mod h1:${random.bytes(32).toString("base64")}`,
  },
  {
    name: "subresource integrity",
    write: (random) =>
      `<script src="/${word(random)}.js" integrity="sha384-${random.bytes(48).toString("base64")}" crossorigin="anonymous"></script>`,
  },
  {
    name: "hashed files",
    write: (random) =>
      `dist/assets/${word(random)}-${random.text(URL64, 8)}.js  ${random.between(1, 999)}.12 kB\n/_next/static/chunks/${random.between(100, 999)}-${random.text(HEX, 16)}.js\n${word(random)}.${random.text(HEX, 20)}.css`,
  },
  {
    name: "hex dump",
    write: (random) =>
      lines(
        8,
        () =>
          `${random.text(HEX, 8)}: ${Array.from({ length: 8 }, () => random.text(HEX, 4)).join(" ")}  ${random.text(`${ALNUM}....`, 16)}`,
      ),
  },
  {
    name: "bytes in code",
    write: (random) => `const K = [${Array.from({ length: 16 }, () => `0x${random.text(HEX, 8)}`).join(", ")}]`,
  },
]

/** A small picture: real headers around compressed rows. */
const png = (random: Seeded): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0, 0, 0, data.length & 0xff]), Buffer.from(type), data, random.bytes(4)])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk("IHDR", random.bytes(13)),
    chunk("IDAT", deflateSync(random.bytes(1500))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

const ENCODED: ReadonlyArray<Negative> = [
  { name: "base64 png", write: (random) => `data:image/png;base64,${png(random).toString("base64")}` },
  {
    name: "base64 png in lines",
    write: (random) =>
      (
        png(random)
          .toString("base64")
          .match(/.{1,76}/g) ?? []
      ).join("\n"),
  },
  {
    name: "base64 font",
    write: (random) =>
      `@font-face{font-family:"${word(random)}";src:url(data:font/woff2;base64,${Buffer.concat([Buffer.from("wOF2"), random.bytes(1200)]).toString("base64")}) format("woff2")}`,
  },
  {
    name: "source map",
    write: (random) =>
      `{"version":3,"sources":["${word(random)}.ts"],"names":["${camel(random)}"],"mappings":"${Array.from({ length: 200 }, () => random.text(`${ALNUM}+/`, random.between(4, 6))).join(random.pick([",", ";"]))}"}`,
  },
  {
    name: "inline source map",
    write: (random) =>
      `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify({ version: 3, sources: [`${word(random)}.ts`], mappings: random.text(`${ALNUM},;`, 300) })).toString("base64")}`,
  },
  {
    name: "base64 of prose",
    write: (random) => Buffer.from(`${capital(words(random, 30))}.\n${capital(words(random, 20))}.`).toString("base64"),
  },
  {
    name: "signatures",
    write: (random) =>
      `-----BEGIN PGP SIGNATURE-----\n\n${lines(6, () => random.text(`${ALNUM}+/`, 64))}\n=${random.text(ALNUM, 4)}\n-----END PGP SIGNATURE-----`,
  },
  {
    name: "certificates",
    write: (random) =>
      `-----BEGIN CERTIFICATE-----\nMIID${random.text(`${ALNUM}+/`, 60)}\n${lines(14, () => random.text(`${ALNUM}+/`, 64))}\n-----END CERTIFICATE-----`,
  },
  {
    name: "percent-encoded text",
    write: (random) =>
      `https://example.com/search?q=${encodeURIComponent(`${words(random, 5)} (${word(random)}/${word(random)})`)}&page=${random.between(1, 99)}`,
  },
]

const publicKeys = ["rsa", "ec", "ed25519"].map((kind) => {
  const { publicKey } =
    kind === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : kind === "ec"
        ? generateKeyPairSync("ec", { namedCurve: "prime256v1" })
        : generateKeyPairSync("ed25519")
  return createPublicKey(publicKey.export({ format: "pem", type: "spki" }))
    .export({ format: "pem", type: "spki" })
    .toString()
})

const KEYS: ReadonlyArray<Negative> = [
  { name: "public keys", write: (random) => random.pick(publicKeys) },
  {
    name: "ssh public keys",
    write: (random) =>
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.text(`${ALNUM}+/`, 43)} dev@example.net\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC${random.text(`${ALNUM}+/`, 500)}= ci@example.net\nhost.example.net ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB${random.text(`${ALNUM}+/`, 88)}=`,
  },
  {
    name: "ssh fingerprints",
    write: (random) =>
      `256 SHA256:${random.text(`${ALNUM}+/`, 43)} dev@example.net (ED25519)\nMD5:${Array.from({ length: 16 }, () => random.text(HEX, 2)).join(":")}`,
  },
  {
    name: "age recipients",
    write: (random) =>
      `age1${random.text("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58)}\nPublicKey = ${random.bytes(32).toString("base64")}`,
  },
]

const PEOPLE: ReadonlyArray<Negative> = [
  {
    name: "emails",
    write: (random) => `${word(random)}.${word(random)}@example.com, ${word(random)}+${word(random)}@mail.example.org`,
  },
  {
    name: "url docs",
    write: () =>
      `Use postgres://user:password@localhost:5432/db or https://user:pass@example.com/ or redis://:\${REDIS_PASSWORD}@cache:6379, mongodb://<user>:<password>@host/db, amqp://guest:guest@localhost`,
  },
  {
    name: "placeholders",
    write: (random) =>
      random.pick([
        "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ANTHROPIC_API_KEY=your-api-key-here",
        "GITHUB_TOKEN=<your-github-token>",
        `API_KEY=\${API_KEY}`,
        "password: changeme",
        "password: ********",
        'token: "{{ .Values.token }}"',
        `token: \${{ secrets.GITHUB_TOKEN }}`,
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        `Authorization: Bearer \${token}`,
        "x-api-key: YOUR_API_KEY",
        "set API_KEY=%API_KEY%",
        "sk-ant-...",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AKIAXXXXXXXXXXXXXXXX",
        "SECRET_KEY=replace-me-with-a-secret",
        "password = os.environ['DB_PASSWORD']",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
      ]),
  },
  {
    name: "translations",
    write: (random) =>
      random.pick([
        '"password": "Passwort"',
        '"forgotPassword": "Haben Sie Ihr Passwort vergessen?"',
        '"passwordMismatch": "Die Passwörter stimmen nicht überein"',
        '"token_expired": "Votre session a expiré"',
        '"secret": "Geheimnis"',
        '"apiKey": "Clé d’API"',
        '"api_key_hint": "Find it under Settings, Developer"',
        '"auth.password.label": "パスワード"',
        '"credentials": "Anmeldedaten"',
        '"pin": "Stecknadel"',
      ]),
  },
  {
    name: "prose",
    write: (random) =>
      `The ${word(random)} token is read by the ${word(random)} before the ${word(random)}; the secret of a good ${word(random)} is a small ${word(random)}. Password: see the ${word(random)}. Key: ${word(random)}.`,
  },
]

const CODE: ReadonlyArray<Negative> = [
  {
    name: "token counts",
    write: (random) =>
      random.pick([
        `{"max_tokens":${random.between(100, 99999)},"input_tokens":${random.between(100, 99999)},"tokenBudget":${random.between(1e6, 2e7)}}`,
        `tokenBudget: ${random.between(1e6, 2e7)},`,
        `maxTokens=${random.between(1000, 99999)}, total_tokens = ${random.between(1e7, 9e8)}`,
        `usage: { promptTokens: ${random.between(100, 99999)}, cacheReadTokens: 0 }`,
        `const TOKEN_LIMIT = 1_000_000`,
        `tokens per second: ${random.between(10, 99)}.${random.between(10, 99)}`,
        `MAX_TOKENS=${random.between(10000000, 99999999)}`,
      ]),
  },
  {
    name: "key code",
    write: (random) =>
      random.pick([
        `const apiKey = options.apiKey ?? process.env.${word(random).toUpperCase()}_API_KEY`,
        `password: Redacted.make(config.password),`,
        `token: string | undefined`,
        `secret: z.string().min(8).max(64),`,
        `if (token === "${word(random)}") return parseToken(${camel(random)})`,
        `key={item.${camel(random)}}`,
        `privateKey: readFileSync(${camel(random)}Path, "utf8"),`,
        `api_key=api_key,`,
        `max_tokens=4096,`,
        `password=getpass.getpass(),`,
        `self.token = token_factory.create(${camel(random)})`,
        `headers: { Authorization: \`Bearer \${${camel(random)}}\` }`,
        `export type AccessToken = Branded<string, "AccessToken">`,
        `credentials: "same-origin",`,
        `secretKeyRef: { name: ${word(random)}-secret, key: password }`,
        `const tokenPattern = /^[A-Za-z0-9_-]{20,}$/`,
        `private readonly accessKey: AccessKey<${capital(word(random))}>`,
        `cy.get('[name="password"]').type(user.password)`,
        `passwordHash: await bcrypt.hash(password, 12),`,
        `let next_token = tokens.next().ok_or(ParseError::UnexpectedEnd)?;`,
      ]),
  },
  {
    name: "minified script",
    write: (random) =>
      lines(1, () =>
        Array.from(
          { length: 40 },
          () =>
            `function ${random.text(LOWER, 1)}(${random.text(LOWER, 1)}){return ${random.text(ALNUM, 2).replace(/^\d/, "a")}.${word(random)}(${random.between(0, 99)},"${word(random)}")}`,
        ).join(""),
      ),
  },
  {
    name: "css classes",
    write: (random) =>
      `.sk-circle${random.between(1, 12)} .sk-child,.sk-cube-grid .sk-cube${random.between(1, 9)},.sk-folding-cube,.sk-fading-circle .sk-circle-fade-dot:before{animation:sk-circleBounceDelay 1.2s}._${word(random)}_${random.text(`${LOWER}${DIGITS}`, 5)}_${random.between(1, 99)}{color:#${random.text(HEX, 6)}}.css-${random.text(`${LOWER}${DIGITS}`, 7)}-${capital(word(random))}{}`,
  },
  {
    name: "tailwind",
    write: (random) =>
      `<div className="flex h-[calc(100vh-4rem)] items-center bg-${word(random)}-500/20 text-[#${random.text(HEX, 6)}] hover:bg-gradient-to-r md:grid-cols-${random.between(1, 12)} data-[state=open]:animate-in" data-testid="${word(random)}-${word(random)}-input-${random.between(1, 99)}">`,
  },
  {
    name: "long names",
    write: (random) =>
      `sk-${word(random)}-${word(random)}-${word(random)}-wrapper key-${word(random)}-${word(random)} hf_${word(random)}_${word(random)}_${word(random)}_config npm_${word(random)}_${word(random)}_${word(random)} pk-${word(random)} SG.${capital(word(random))}.${capital(camel(random))} xai-${word(random)}-${word(random)} gsk_${word(random)}`,
  },
  {
    name: "environment names",
    write: (random) =>
      `npm_config_${word(random)}_${word(random)}=true\nnpm_package_version=1.2.3\nKEYBOARD_LAYOUT=de-latin1\nSSH_AUTH_SOCK=/run/user/1000/keyring/ssh\nTOKENIZERS_PARALLELISM=false\nSIGNING_KEY_PATH=/etc/${word(random)}/key.pem\nSECRET_NAME=${word(random)}-${word(random)}`,
  },
  {
    name: "protobuf text",
    write: (random) =>
      `message ${capital(camel(random))} {\n  string api_key = ${random.between(1, 20)};\n  bytes token = ${random.between(21, 40)} [json_name = "token"];\n  repeated Secret secrets = ${random.between(41, 60)};\n}`,
  },
  {
    name: "logs",
    write: (random) =>
      `2026-11-30T12:00:00.${random.text(DIGITS, 3)}Z INFO ${word(random)}[${random.between(100, 99999)}]: GET /api/v1/${word(random)}/${random.between(1, 99999)} 200 ${random.between(1, 999)}ms bytes=${random.between(1, 1e9)} session=${random.between(1, 99)} key=${word(random)}:${random.between(1, 9999)}`,
  },
  {
    name: "reasoning summaries",
    write: (random) => `reasoning id rs_${random.text(HEX, 32)} summary: ${words(random, 12)}`,
  },
]

/** Texts that come close to one rule or another: what a looser rule would take. */
const NEAR: ReadonlyArray<Negative> = [
  {
    name: "members of short names",
    write: (random) =>
      `s.${camel(random)}${capital(camel(random))}(b.${camel(random)}${capital(word(random))}, s.${random.text(LOWER, 24)})`,
  },
  {
    name: "compiler output",
    write: (random) =>
      `src/${word(random)}.ts:${random.between(1, 999)}:${random.between(1, 99)}: error TS2304: Cannot find name '${camel(random)}'.\n${random.text(HEX, 2)}:${random.text(HEX, 2)}:${random.text(HEX, 2)}:${random.text(HEX, 2)}:${random.text(HEX, 2)}:${random.text(HEX, 2)} 2001:db8:${random.text(HEX, 4)}:${random.text(HEX, 4)}::1 ${word(random)}.example.net:${random.between(1024, 9999)}`,
  },
  {
    name: "configuration of a cluster",
    write: (random) =>
      `kind: ConfigMap\ndata:\n  mode: ${word(random)}-${word(random)}\n---\nclusters:\n- cluster:\n    certificate-authority-data: ${Buffer.from(`-----BEGIN CERTIFICATE-----\nMIID${random.text(`${ALNUM}+/`, 60)}\n-----END CERTIFICATE-----\n`).toString("base64")}\n    server: https://${word(random)}.example.net:6443`,
  },
  {
    name: "prose of access",
    write: (random) =>
      random.pick([
        "Authorization: Basic auth is used where nothing better is at hand.",
        "A machine learning course, a login page and a password reset are not the same.",
        "Bearer tokens are read from the header; the cookie is a session cookie.",
        "docker run -u 1000:1000 -v $PWD:/app node:24",
        'curl -u "$USER:$PASSWORD" https://example.com',
        "Secret: the number of the page. Cookie: chocolate. Key: of G.",
      ]),
  },
  {
    name: "public addresses",
    write: (random) =>
      `https://${random.text(HEX, 32)}@o${random.text(DIGITS, 6)}.ingest.sentry.io/${random.text(DIGITS, 7)}\nhttps://example.com/@${word(random)}/${word(random)}:${random.between(1, 99)}\nssh://git@example.com:22/${word(random)}.git\ngit@example.com:${word(random)}/${word(random)}.git\nnpm:@${word(random)}/${word(random)}@1.2.3`,
  },
  {
    name: "base64 of bytes with gaps",
    write: (random) =>
      Buffer.concat(Array.from({ length: 20 }, () => Buffer.concat([random.bytes(8), Buffer.alloc(12)]))).toString("base64"),
  },
  {
    name: "utf-16 of prose",
    write: (random) => Buffer.from(`${words(random, 12)}: ${random.uuid()}\n`, "utf16le").toString("latin1"),
  },
  {
    name: "base64 of settings",
    write: (random) =>
      Buffer.from(
        `REGION=eu\nNAME=${word(random)}-${word(random)}\nID=${random.uuid()}\nMAX_TOKENS=${random.between(1e7, 9e7)}\n`,
      ).toString("base64"),
  },
]

export const NEGATIVES: ReadonlyArray<Negative> = [
  ...NEAR,
  ...IDS,
  ...HASHED,
  ...ENCODED,
  ...KEYS,
  ...PEOPLE,
  ...CODE,
  ...NEGATIVE_FILES,
]

/** About so many characters of a class, in pieces of the size of a usual file. */
export function* negativeFiles(seed: string, negative: Negative, characters: number): Iterable<string> {
  const random = new Seeded(seed, "negative", negative.name)
  for (let left = characters; left > 0; ) {
    const parts: Array<string> = []
    for (let size = 0; size < Math.min(left, 32_768); ) {
      const part = negative.write(random)
      parts.push(part)
      size += part.length + 1
    }
    const file = `${parts.join("\n")}\n`
    left -= file.length
    yield file
  }
}
