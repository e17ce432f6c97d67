/** Keys that are made for real: by Node's own generators, in every encoding it writes, and tokens that are signed with them. */
import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { formats, type SecretFormat } from "./Sample.ts"
import { base64Url, crc32, type Seeded } from "./Seeded.ts"

const row = formats("real")

/** A pool of keys, made once: making an RSA key takes long. They are not determined by the seed, which no figure depends on. */
const pools = new Map<string, ReadonlyArray<KeyObject>>()

const pool = (kind: string, make: () => KeyObject): ReadonlyArray<KeyObject> => {
  const known = pools.get(kind)
  if (known !== undefined) return known
  const made = Array.from({ length: 4 }, make)
  pools.set(kind, made)
  return made
}

const rsa = (random: Seeded): KeyObject =>
  random.pick(pool("rsa", () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey))
const ec = (random: Seeded): KeyObject =>
  random.pick(pool("ec", () => generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey))
const ed = (random: Seeded): KeyObject => random.pick(pool("ed25519", () => generateKeyPairSync("ed25519").privateKey))

/** The lines between the first and the last, but for those that are too short to tell. */
const linesWithin = (armour: string): ReadonlyArray<string> =>
  armour
    .trim()
    .split("\n")
    .slice(1, -1)
    .filter((line) => line.length >= 16 && !line.includes(": "))

const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1", passphrase?: string) => {
  const secured = passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase }
  const text = key.export({ format: "pem", type, ...secured } as never) as unknown as string
  return { text, bodies: linesWithin(text) }
}

const PEMS: ReadonlyArray<SecretFormat> = [
  row("pem rsa pkcs1", "C", "TLS_KEY_PEM", (random) => pem(rsa(random), "pkcs1")),
  row("pem rsa pkcs8", "C", "TLS_KEY_PEM", (random) => pem(rsa(random), "pkcs8")),
  row("pem rsa pkcs8 encrypted", "C", "TLS_KEY_PEM", (random) => pem(rsa(random), "pkcs8", random.text("abcdefgh", 12))),
  row("pem rsa pkcs1 encrypted", "C", "TLS_KEY_PEM", (random) => pem(rsa(random), "pkcs1", random.text("abcdefgh", 12))),
  row("pem ec sec1", "C", "TLS_KEY_PEM", (random) => pem(ec(random), "sec1")),
  row("pem ec pkcs8", "C", "TLS_KEY_PEM", (random) => pem(ec(random), "pkcs8")),
  row("pem ed25519 pkcs8", "C", "TLS_KEY_PEM", (random) => pem(ed(random), "pkcs8")),
]

const lengthFirst = (bytes: Buffer | string): Buffer => {
  const body = Buffer.from(bytes)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

const wrapped = (bytes: Buffer, width: number): string =>
  (bytes.toString("base64").match(new RegExp(`.{1,${width}}`, "g")) ?? []).join("\n")

const rawOf = (key: KeyObject): { readonly secret: Buffer; readonly open: Buffer } => {
  const { d = "", x = "" } = key.export({ format: "jwk" })
  return { secret: Buffer.from(d, "base64url"), open: Buffer.from(x, "base64url") }
}

/** The form in which `ssh-keygen` writes an Ed25519 key. */
const openssh = (random: Seeded) => {
  const { secret, open } = rawOf(ed(random))
  const publicPart = Buffer.concat([lengthFirst("ssh-ed25519"), lengthFirst(open)])
  const check = random.bytes(4)
  const inner = Buffer.concat([
    check,
    check,
    publicPart,
    lengthFirst(Buffer.concat([secret, open])),
    lengthFirst("dev@example.net"),
  ])
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, n) => n + 1))
  const bytes = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    lengthFirst("none"),
    lengthFirst("none"),
    lengthFirst(""),
    Buffer.from([0, 0, 0, 1]),
    lengthFirst(publicPart),
    lengthFirst(Buffer.concat([inner, padding])),
  ])
  const label = `OPENSSH ${"PRIV"}ATE KEY`
  const text = `-----BEGIN ${label}-----\n${wrapped(bytes, 70)}\n-----END ${label}-----\n`
  return { text, bodies: linesWithin(text) }
}

/** PuTTY's file of an Ed25519 key. */
const putty = (random: Seeded) => {
  const { secret, open } = rawOf(ed(random))
  const body = lengthFirst(secret).toString("base64")
  const text = [
    "PuTTY-User-Key-File-3: ssh-ed25519",
    "Encryption: none",
    "Comment: dev@example.net",
    "Public-Lines: 2",
    wrapped(Buffer.concat([lengthFirst("ssh-ed25519"), lengthFirst(open)]), 64),
    "Private-Lines: 1",
    body,
    `Private-MAC: ${random.bytes(32).toString("hex")}`,
    "",
  ].join("\n")
  return { text, bodies: [body] }
}

const crc24 = (bytes: Buffer): Buffer => {
  let crc = 0xb704ce
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1
      if (crc & 0x1000000) crc ^= 0x1864cfb
    }
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff])
}

const pgp = (random: Seeded) => {
  const bytes = random.bytes(random.between(400, 700))
  const label = `PGP ${"PRIV"}ATE KEY BLOCK`
  const body = wrapped(bytes, 64)
  const text = `-----BEGIN ${label}-----\nVersion: GnuPG v2\n\n${body}\n=${crc24(bytes).toString("base64")}\n-----END ${label}-----\n`
  return { text, bodies: body.split("\n").filter((line) => line.length >= 16) }
}

const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

const polymod = (values: ReadonlyArray<number>): number => {
  let sum = 1
  for (const value of values) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [n, generator] of [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].entries()) {
      if ((top >> n) & 1) sum ^= generator
    }
  }
  return sum
}

/** An identity of age: an X25519 key in Bech32. */
const age = (random: Seeded) => {
  const prefix = "age-secret-key-"
  const bits = [...random.bytes(32)].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  const data = (bits.match(/.{1,5}/g) ?? []).map((five) => Number.parseInt(five.padEnd(5, "0"), 2))
  const expanded = [...prefix]
    .map((each) => each.charCodeAt(0) >> 5)
    .concat(
      0,
      [...prefix].map((each) => each.charCodeAt(0) & 31),
    )
  const sum = polymod([...expanded, ...data, 0, 0, 0, 0, 0, 0]) ^ 1
  const checked = [...data, ...Array.from({ length: 6 }, (_, n) => (sum >> (5 * (5 - n))) & 31)]
  const body = checked
    .map((five) => BECH32[five])
    .join("")
    .toUpperCase()
  return { text: `${prefix.toUpperCase()}1${body}`, bodies: [body] }
}

const claims = (random: Seeded): string =>
  base64Url(
    JSON.stringify({ sub: random.uuid(), iss: "https://id.example.net", iat: random.between(1.7e9, 1.8e9), scope: "read write" }),
  )

const header = (algorithm: string): string => base64Url(JSON.stringify({ alg: algorithm, typ: "JWT" }))

const jwt = (random: Seeded, algorithm: "HS256" | "RS256" | "ES256" | "none") => {
  const signed = `${header(algorithm)}.${claims(random)}`
  const signature = {
    HS256: () => createHmac("sha256", random.bytes(32)).update(signed).digest(),
    RS256: () => sign("sha256", Buffer.from(signed), rsa(random)),
    ES256: () => sign("sha256", Buffer.from(signed), { key: ec(random), dsaEncoding: "ieee-p1363" }),
    none: () => Buffer.alloc(0),
  }[algorithm]()
  const body = `${signed.slice(signed.indexOf(".") + 1)}${signature.length === 0 ? "" : `.${base64Url(signature)}`}`
  return { text: `${header(algorithm)}.${body}`, bodies: [body] }
}

const jwe = (random: Seeded) => {
  const head = base64Url(JSON.stringify({ alg: "RSA-OAEP", enc: "A256GCM" }))
  const body = [256, 12, 80, 16].map((length) => base64Url(random.bytes(length))).join(".")
  return { text: `${head}.${body}`, bodies: [body] }
}

const TOKENS: ReadonlyArray<SecretFormat> = [
  row("openssh ed25519", "C", "SSH_KEY_PEM", openssh),
  row("putty ed25519", "C", "PPK", putty),
  row("pgp private block", "C", "PGP", pgp),
  row("age identity", "A", "AGE_KEY", age),
  row("wireguard x25519", "C", "WireGuard", (random) => {
    const key = random.bytes(32).toString("base64")
    return { text: `[Interface]\nPrivateKey = ${key}\nListenPort = 51820\n`, bodies: [key] }
  }),
  ...(["HS256", "RS256", "ES256", "none"] as const).map((algorithm) =>
    row(`jwt ${algorithm}`, "A", "ID_TOKEN", (random) => jwt(random, algorithm)),
  ),
  row("jwe", "A", "ID_TOKEN", jwe),
  row("gcp service account", "C", "GOOGLE_CREDENTIALS", (random) => {
    const key = pem(rsa(random), "pkcs8")
    const id = random.bytes(20).toString("hex")
    const account = {
      type: "service_account",
      project_id: "project-1",
      private_key_id: id,
      private_key: key.text,
      client_email: "ci@project-1.iam.gserviceaccount.com",
      token_uri: "https://oauth2.googleapis.com/token",
    }
    return { text: JSON.stringify(account, null, 2), bodies: [...key.bodies, id] }
  }),
  row("github with a wrong checksum", "A", "GITHUB_TOKEN", (random) => {
    const body = random.text("ABCDEFGHJKabcdefghijk23456789", 30)
    const sum = (crc32(body) ^ 1).toString(36).padStart(6, "0").slice(-6)
    return { text: `ghp_${body}${sum}`, bodies: [body + sum] }
  }),
]

/** Whether an armoured key can be read back: what is generated must be real. */
export const isReadable = (text: string): boolean => createPrivateKey(text).type === "private"

export const realKeys: ReadonlyArray<SecretFormat> = [...PEMS, ...TOKENS]
