/**
 * Secrets as vendors describe them, each from a sentence of its documentation and from nothing else. Where the table of the redactor has
 * a mistake, its own generator would share it; this list does not.
 */
import { formats, oneOf, type SecretFormat, structure, token } from "./Sample.ts"
import { ALNUM, BASE64, base62Checksum, base64Url, DIGITS, HEX, LOWER, type Seeded, UPPER, URL64 } from "./Seeded.ts"

const vendor = formats("vendor")
const WORD = `${ALNUM}_`

const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

/** A macaroon of the second version: location, identifier, one caveat, signature. What PyPI encodes behind `pypi-`. */
const macaroon = (random: Seeded, location: string): string => {
  const field = (type: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([type, bytes.length]), bytes])
  const caveat = JSON.stringify({ permissions: "user", version: 1 })
  return base64Url(
    Buffer.concat([
      Buffer.from([2]),
      field(1, Buffer.from(location)),
      field(2, Buffer.from(random.uuid())),
      Buffer.from([0]),
      field(2, Buffer.from(caveat)),
      Buffer.from([0, 0]),
      field(6, random.bytes(32)),
    ]),
  )
}

const FORGES: ReadonlyArray<SecretFormat> = [
  // "ghp_, gho_, ghu_, ghs_, ghr_"; the characters are [A-Za-z0-9_]; the last six digits are a checksum; may grow to 255 characters.
  ...["p", "o", "u", "s", "r"].map((letter) =>
    vendor(`github gh${letter}_ (vendor)`, "A", "GH_TOKEN", (random) => {
      const body = random.text(ALNUM, 30)
      return random.between(0, 3) === 0
        ? token(`gh${letter}_`, [WORD, 76, 251])(random, "")
        : { text: `gh${letter}_${body}${base62Checksum(body)}`, bodies: [body] }
    }),
  ),
  // Fine-grained tokens begin with github_pat_.
  vendor("github fine-grained (vendor)", "A", "GH_TOKEN", token("github_pat_", [ALNUM, 22], "_", [ALNUM, 59])),
  // An administrator may put a prefix of the instance before every prefix; routable tokens have two dots.
  vendor(
    "gitlab (vendor)",
    "A",
    "CI_TOKEN",
    oneOf(
      ...["glpat", "gldt", "glrt", "glrtr", "glptt", "glft", "glimt", "glagent", "gloas", "glsoat", "glffct", "glcbt"].map(
        (start) => token(`${start}-`, [URL64, 20]),
      ),
    ),
  ),
  vendor(
    "gitlab routable (vendor)",
    "A",
    "CI_TOKEN",
    oneOf(
      token("glpat-", [URL64, 27], ".01.", [`${LOWER}${DIGITS}`, 9]),
      token("CORP-glpat-", [URL64, 40], ".02.", [`${LOWER}${DIGITS}`, 9]),
    ),
  ),
  // "npm_" and 36 characters, of which six are a checksum in base 62.
  vendor("npm (vendor)", "A", "NODE_AUTH_TOKEN", (random) => {
    const body = random.text(ALNUM, 30)
    return { text: `npm_${body}${base62Checksum(body)}`, bodies: [body] }
  }),
  vendor("pypi (vendor)", "A", "TWINE_PASSWORD", (random) => {
    const body = macaroon(random, random.pick(["pypi.org", "test.pypi.org"]))
    return { text: `pypi-${body}`, bodies: [body.slice(20)] }
  }),
  vendor("rubygems (vendor)", "A", "RUBYGEMS_API_KEY", token("rubygems_", [HEX, 48])),
  vendor("docker (vendor)", "A", "DOCKERHUB_TOKEN", token("dckr_pat_", [URL64, 27])),
  // A token of Atlassian ends with an equals sign and a checksum of eight hexadecimal digits.
  vendor("atlassian (vendor)", "A", "JIRA_API_TOKEN", token("ATATT3xFfGF0", [URL64, 171], "=", [`${DIGITS}ABCDEF`, 8])),
]

const MODELS: ReadonlyArray<SecretFormat> = [
  vendor("anthropic (vendor)", "A", "ANTHROPIC_API_KEY", token("sk-ant-api03-", [URL64, 93], "AA")),
  vendor("openai project (vendor)", "A", "OPENAI_API_KEY", token("sk-proj-", [URL64, 120, 160])),
  vendor("huggingface (vendor)", "B", "HF_TOKEN", token("hf_", [`${UPPER}${LOWER}`, 34])),
  vendor("groq (vendor)", "A", "GROQ_API_KEY", token("gsk_", [ALNUM, 52])),
  vendor("replicate (vendor)", "B", "REPLICATE_API_TOKEN", token("r8_", [ALNUM, 37])),
  vendor("openrouter (vendor)", "A", "OPENROUTER_API_KEY", token("sk-or-v1-", [HEX, 64])),
]

const CLOUDS: ReadonlyArray<SecretFormat> = [
  // AKIA is the prefix of access keys and ASIA that of temporary ones; ids are upper-case letters and digits, 16 to 128 characters.
  vendor(
    "aws key id (vendor)",
    "A",
    "AWS_ACCESS_KEY_ID",
    oneOf(token("AKIA", [`${UPPER}234567`, 16]), token("ASIA", [`${UPPER}234567`, 16])),
  ),
  vendor(
    "aws credentials (vendor)",
    "C",
    "AWS",
    structure((random, secret) =>
      JSON.stringify({
        AccessKeyId: `${`ASI${"A"}`}${random.text(`${UPPER}234567`, 16)}`,
        SecretAccessKey: secret(random.text(`${ALNUM}+/`, 40)),
        SessionToken: secret(`IQoJb3JpZ2luX2Vj${random.text(BASE64, 420)}==`),
        Expiration: "2026-12-01T08:00:00Z",
      }),
    ),
  ),
  vendor("google api (vendor)", "A", "GOOGLE_API_KEY", token("AIzaSy", [URL64, 33])),
  // An access token begins with ya29. and may be as long as 2048 bytes.
  vendor("google access (vendor)", "A", "ACCESS_TOKEN", token("ya29.a0", [URL64, 200, 400])),
  vendor(
    "google tokens (vendor)",
    "C",
    "TOKENS",
    structure((random, secret) =>
      JSON.stringify({
        client_id: `${random.text(DIGITS, 12)}-${random.text(LOWER, 32)}.apps.googleusercontent.com`,
        client_secret: secret(`GOCSPX-${random.text(URL64, 28)}`),
        refresh_token: secret(`1//0${random.text(URL64, 98)}`),
      }),
    ),
  ),
  vendor(
    "azure connection string (vendor)",
    "C",
    "AZURE_STORAGE_CONNECTION",
    structure(
      (random, secret) =>
        `DefaultEndpointsProtocol=https;AccountName=box;AccountKey=${secret(random.bytes(64).toString("base64"))};EndpointSuffix=core.windows.net`,
    ),
  ),
  vendor(
    "digitalocean (vendor)",
    "A",
    "DO_TOKEN",
    oneOf(...["dop", "doo", "dor"].map((start) => token(`${start}_v1_`, [HEX, 64]))),
  ),
  vendor("vault (vendor)", "A", "VAULT_TOKEN", token("hvs.CAESI", [URL64, 86])),
  vendor("databricks (vendor)", "A", "DATABRICKS_TOKEN", token("dapi", [HEX, 32])),
  vendor("doppler (vendor)", "A", "DOPPLER_TOKEN", oneOf(token("dp.pt.", [ALNUM, 43]), token("dp.st.dev_ci.", [ALNUM, 43]))),
  vendor(
    "tailscale (vendor)",
    "A",
    "TS_KEY",
    oneOf(...["auth", "api", "client"].map((t) => token(`tskey-${t}-`, [`k${ALNUM}`, 12], "CNTRL-", [ALNUM, 32]))),
  ),
  vendor(
    "supabase secret (vendor)",
    "A",
    "SUPABASE_SECRET_KEY",
    oneOf(token("sbp_", [HEX, 40]), token("sb_secret_", [URL64, 22], "_", [URL64, 8])),
  ),
  vendor("pulumi (vendor)", "A", "PULUMI_ACCESS_TOKEN", token("pul-", [HEX, 40])),
  vendor(
    "fly (vendor)",
    "A",
    "FLY_API_TOKEN",
    structure((random, secret) => `FlyV1 fm2_${secret(random.text(BASE64, 200))}`),
  ),
]

const SERVICES: ReadonlyArray<SecretFormat> = [
  vendor("slack bot (vendor)", "A", "SLACK_BOT_TOKEN", token("xoxb-", [DIGITS, 12], "-", [DIGITS, 12], "-", [ALNUM, 24])),
  vendor(
    "slack rotated (vendor)",
    "A",
    "SLACK_TOKEN",
    oneOf(token("xoxe.xoxp-1-", [ALNUM, 163]), token("xoxe.xoxb-1-", [ALNUM, 163]), token("xoxe-1-", [ALNUM, 146])),
  ),
  vendor(
    "slack app (vendor)",
    "A",
    "SLACK_APP_TOKEN",
    token("xapp-1-A", [`${UPPER}${DIGITS}`, 10], "-", [DIGITS, 13], "-", [HEX, 64]),
  ),
  vendor(
    "slack webhook (vendor)",
    "A",
    "WEBHOOK",
    structure(
      (random, secret) =>
        `https://hooks.slack.com/services/T${random.text(DIGITS, 8)}/B${random.text(DIGITS, 8)}/${secret(random.text(ALNUM, 24))}`,
    ),
  ),
  // "110201543:AAHdqTcv…": the bot's number, a colon and 35 characters.
  vendor("telegram (vendor)", "B", "BOT_TOKEN", (random) => {
    const body = `AA${random.text(URL64, 33)}`
    return { text: `${random.text("123456789", 10)}:${body}`, bodies: [body] }
  }),
  vendor("discord bot (vendor)", "B", "DISCORD_TOKEN", (random) => {
    const text = `${base64Url(random.text("123456789", 19))}.G${random.text(URL64, 5)}.${random.text(URL64, 38)}`
    return { text, bodies: [text.slice(text.lastIndexOf(".") + 1)] }
  }),
  vendor(
    "stripe (vendor)",
    "A",
    "STRIPE_API_KEY",
    oneOf(...["sk_test_", "sk_live_", "rk_test_", "rk_live_"].map((t) => token(t, [ALNUM, 99]))),
  ),
  vendor("stripe webhook (vendor)", "A", "ENDPOINT_SECRET", token("whsec_", [ALNUM, 32])),
  vendor("standard webhooks (vendor)", "A", "WEBHOOK_SECRET", (random) => {
    const body = random.bytes(24).toString("base64")
    return { text: `whsec_${body}`, bodies: [body] }
  }),
  vendor("twilio (vendor)", "B", "TWILIO_API_KEY", token("SK", [HEX, 32])),
  vendor("sendgrid (vendor)", "A", "SENDGRID_API_KEY", (random) => {
    const body = `${base64Url(random.bytes(16))}.${base64Url(random.bytes(32))}`
    return { text: `SG.${body}`, bodies: [body] }
  }),
  vendor("shopify (vendor)", "A", "SHOPIFY_TOKEN", oneOf(token("shpat_", [HEX, 32]), token("shpss_", [HEX, 32]))),
  vendor("sentry (vendor)", "A", "SENTRY_AUTH_TOKEN", (random) => {
    const body = `${json({ iat: 1_790_000_000.5, url: "https://sentry.io", region_url: "https://de.sentry.io", org: "acme" })}_${random.text(BASE64, 43)}`
    return { text: `sntrys_${body}`, bodies: [body] }
  }),
  vendor("linear (vendor)", "A", "LINEAR_API_KEY", token("lin_api_", [ALNUM, 40])),
  vendor("notion (vendor)", "A", "NOTION_API_KEY", token("ntn_", [ALNUM, 46])),
  vendor("figma (vendor)", "A", "FIGMA_TOKEN", token("figd_", [URL64, 40])),
  vendor("grafana (vendor)", "A", "GRAFANA_TOKEN", token("glsa_", [ALNUM, 32], "_", [HEX, 8])),
  vendor("1password (vendor)", "A", "OP_SERVICE_ACCOUNT_TOKEN", (random) => {
    const body = base64Url(
      JSON.stringify({
        email: "x@1passwordserviceaccounts.com",
        muk: { k: base64Url(random.bytes(32)) },
        srpX: random.text(HEX, 64),
        deviceUuid: random.text(LOWER, 26),
      }),
    )
    return { text: `ops_${body}`, bodies: [body.slice(3)] }
  }),
  vendor("airtable (vendor)", "A", "AIRTABLE_TOKEN", token("pat", [ALNUM, 14], ".", [HEX, 64])),
  vendor("circleci (vendor)", "A", "CIRCLE_TOKEN", token("CCIPAT_", [ALNUM, 22], "_", [HEX, 40])),
]

export const vendorSecrets: ReadonlyArray<SecretFormat> = [...FORGES, ...MODELS, ...CLOUDS, ...SERVICES]
