/** Secrets that are told by the structure around them, by the table of the specification: headers, addresses, files, assignments. */
import { formats, mixed, oneOf, type SecretFormat, structure, token } from "./Sample.ts"
import { ALNUM, BASE64, DIGITS, HEX, LOWER, type Seeded, UPPER, URL64 } from "./Seeded.ts"

const row = formats("table")

/** A password as people and managers make them, without what would end it in most notations. */
const password = (random: Seeded): string => mixed(random, `${ALNUM}!-_.~^`, random.between(14, 24))
const opaque = (random: Seeded): string => mixed(random, ALNUM, random.between(24, 48))
const user = (random: Seeded): string => random.text(LOWER, random.between(4, 9))
const host = (random: Seeded): string =>
  `${random.text(LOWER, 6)}.${random.pick(["internal", "example.net", "corp.example.org"])}`
const basic = (of: string): string => Buffer.from(of).toString("base64")

type Draw = Parameters<typeof structure>[0]

const simple = (id: string, kind: "B" | "C", name: string, ...draws: ReadonlyArray<Draw>): SecretFormat =>
  row(id, kind, name, oneOf(...draws.map((draw) => structure(draw))))

const HEADERS: ReadonlyArray<SecretFormat> = [
  simple(
    "authorization bearer",
    "C",
    "HEADER",
    (random, secret) => `Authorization: Bearer ${secret(opaque(random))}`,
    (random, secret) => `authorization: bearer ${secret(opaque(random))}`,
    (random, secret) => `Proxy-Authorization: Bearer ${secret(opaque(random))}`,
  ),
  simple(
    "authorization others",
    "C",
    "HEADER",
    (random, secret) => `Authorization: Token ${secret(opaque(random))}`,
    (random, secret) => `Authorization: ApiKey ${secret(opaque(random))}`,
  ),
  simple(
    "authorization basic",
    "C",
    "HEADER",
    (random, secret) => `Authorization: Basic ${secret(basic(`${user(random)}:${password(random)}`))}`,
    (random, secret) => `Proxy-Authorization: Basic ${secret(basic(`${user(random)}:${password(random)}`))}`,
  ),
  simple(
    "key headers",
    "C",
    "HEADER",
    ...["x-api-key", "api-key", "x-goog-api-key", "X-Auth-Token", "PRIVATE-TOKEN"].map(
      (name): Draw =>
        (random, secret) =>
          `${name}: ${secret(opaque(random))}`,
    ),
  ),
  simple(
    "curl user",
    "C",
    "COMMAND",
    (random, secret) => `curl -u ${user(random)}:${secret(password(random))} https://${host(random)}/v1/items`,
    (random, secret) => `curl --user '${user(random)}:${secret(password(random))}' https://${host(random)}/v1/items`,
  ),
  simple(
    "curl header",
    "C",
    "COMMAND",
    (random, secret) => `curl -s -H "Authorization: Bearer ${secret(opaque(random))}" https://${host(random)}/v1`,
    (random, secret) => `curl -s -H 'x-api-key: ${secret(opaque(random))}' https://${host(random)}/v1`,
  ),
  simple(
    "cookies",
    "C",
    "HEADER",
    (random, secret) => `Cookie: theme=dark; sessionid=${secret(opaque(random))}; lang=en`,
    (random, secret) => `Set-Cookie: auth_token=${secret(opaque(random))}; Path=/; HttpOnly; Secure`,
    (random, secret) => `Cookie: csrftoken=${secret(opaque(random))}; sid=${secret(opaque(random))}`,
    (random, secret) => `Set-Cookie: connect.sid=s%3A${secret(opaque(random))}; Path=/`,
  ),
]

const ADDRESSES: ReadonlyArray<SecretFormat> = [
  simple("url user", "C", "URL", (random, secret) => `https://${user(random)}:${secret(password(random))}@${host(random)}/path`),
  simple(
    "database url",
    "C",
    "URL",
    ...["postgres", "postgresql", "mysql", "mongodb+srv", "mongodb", "redis", "rediss", "amqp", "amqps"].map(
      (scheme): Draw =>
        (random, secret) =>
          `${scheme}://${user(random)}:${secret(password(random))}@${host(random)}:5432/app?ssl=true`,
    ),
    (random, secret) => `redis://:${secret(password(random))}@${host(random)}:6379/0`,
  ),
  simple(
    "connection string",
    "C",
    "URL",
    (random, secret) =>
      `Server=tcp:${host(random)},1433;Database=app;User ID=${user(random)};Password=${secret(password(random))};Encrypt=true;`,
    (random, secret) => `Data Source=${host(random)};Initial Catalog=app;Uid=${user(random)};Pwd=${secret(password(random))};`,
    (random, secret) =>
      `Endpoint=sb://${user(random)}.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${secret(random.text(BASE64, 43))}=`,
    (random, secret) => `jdbc:postgresql://${host(random)}:5432/app?user=${user(random)}&password=${secret(password(random))}`,
    (random, secret) =>
      `jdbc:sqlserver://${host(random)}:1433;databaseName=app;user=${user(random)};password=${secret(password(random))};`,
  ),
  simple(
    "sentry dsn",
    "C",
    "URL",
    (random, secret) =>
      `https://${random.text(HEX, 32)}:${secret(random.text(HEX, 32))}@o${random.text(DIGITS, 6)}.ingest.sentry.io/${random.text(DIGITS, 7)}`,
  ),
]

const FILES: ReadonlyArray<SecretFormat> = [
  simple(
    "netrc",
    "C",
    "FILE",
    (random, secret) => `machine ${host(random)} login ${user(random)} password ${secret(password(random))}\n`,
    (random, secret) => `machine ${host(random)}\n  login ${user(random)}\n  password ${secret(password(random))}\n`,
  ),
  simple("pgpass", "C", "FILE", (random, secret) => `${host(random)}:5432:app:${user(random)}:${secret(password(random))}\n`),
  simple(
    "git credentials",
    "C",
    "FILE",
    (random, secret) => `https://${user(random)}:${secret(opaque(random))}@git.example.net\n`,
  ),
  simple(
    "npmrc",
    "C",
    "FILE",
    (random, secret) => `//npm.${host(random)}/:_authToken=${secret(opaque(random))}\nalways-auth=true\n`,
    (random, secret) => `//npm.${host(random)}/:_password=${secret(basic(password(random)))}\n`,
    (random, secret) => `_auth=${secret(basic(`${user(random)}:${password(random)}`))}\nemail=dev@example.net\n`,
  ),
  simple(
    "pip conf",
    "C",
    "FILE",
    (random, secret) => `[global]\nindex-url = https://${user(random)}:${secret(password(random))}@${host(random)}/simple\n`,
  ),
  simple(
    "kubeconfig",
    "C",
    "FILE",
    (random, secret) =>
      `apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    client-key-data: ${secret(Buffer.from(`-----BEGIN EC ${"PRIV"}ATE KEY-----\n${random.text(BASE64, 64)}\n${random.text(BASE64, 64)}\n`).toString("base64"))}\n`,
    (random, secret) => `users:\n- name: ci\n  user:\n    token: ${secret(opaque(random))}\n`,
  ),
  simple("k8s secret", "C", "FILE", (random, secret) => {
    const [first, second] = [secret(basic(password(random))), secret(basic(password(random)))]
    return `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  username: ${basic("admin")}\n  password: ${first}\n  dsn: ${second}\n`
  }),
  simple(
    "docker auth",
    "C",
    "FILE",
    (random, secret) => JSON.stringify({ auths: { "ghcr.io": { auth: secret(basic(`${user(random)}:${opaque(random)}`)) } } }),
    (random, secret) => JSON.stringify({ auths: { "quay.io": { identitytoken: secret(opaque(random)) } } }, null, 2),
  ),
  simple(
    "aws credentials file",
    "C",
    "FILE",
    (random, secret) =>
      `[default]\naws_access_key_id = ${`ASI${"A"}`}${random.text("ABCDEFGHIJ234567", 16)}\naws_secret_access_key = ${secret(mixed(random, `${ALNUM}/+`, 40))}\nregion = eu-central-1\n`,
  ),
  simple("terraform state", "C", "FILE", (random, secret) =>
    JSON.stringify({
      version: 4,
      resources: [
        { type: "aws_db_instance", instances: [{ attributes: { username: "app", password: secret(password(random)) } }] },
      ],
    }),
  ),
  simple(
    "password hashes",
    "C",
    "FILE",
    (random, secret) => `${user(random)}:$2y$10$${secret(random.text(`${ALNUM}./`, 53))}\n`,
    (random, secret) => `${user(random)}:$apr1$${random.text(ALNUM, 8)}$${secret(random.text(`${ALNUM}./`, 22))}\n`,
    (random, secret) =>
      `${user(random)}:$6$${random.text(ALNUM, 16)}$${secret(random.text(`${ALNUM}./`, 86))}:19700:0:99999:7:::\n`,
  ),
  simple(
    "otpauth",
    "C",
    "URL",
    (random, secret) =>
      `otpauth://totp/Example:${user(random)}@example.net?secret=${secret(random.text(`${UPPER}234567`, 32))}&issuer=Example`,
  ),
  simple(
    "wireguard",
    "C",
    "WireGuard",
    (random, secret) => `[Interface]\nPrivateKey = ${secret(`${random.text(BASE64, 43)}=`)}\nAddress = 10.0.0.2/32\n`,
  ),
]

/** Values that nothing but a name gives away. */
const ASSIGNED: ReadonlyArray<SecretFormat> = [
  row("generic password", "N", "DB_PASSWORD", (random) => {
    const text = password(random)
    return { text, bodies: [text] }
  }),
  row("generic secret", "N", "CLIENT_SECRET", token([URL64, 32, 44])),
  row("generic token", "N", "SERVICE_TOKEN", (random) => {
    const text = opaque(random)
    return { text, bodies: [text] }
  }),
  row("generic key", "N", "MAPS_API_KEY", token([HEX, 40])),
  row("generic credential", "N", "APP_CREDENTIAL", token([ALNUM, 28])),
  row("numeric pin", "N", "CARD_PIN", (random) => {
    const text = random.text("123456789", 8)
    return { text, bodies: [text] }
  }),
]

export const tableStructures: ReadonlyArray<SecretFormat> = [...HEADERS, ...ADDRESSES, ...FILES, ...ASSIGNED]
