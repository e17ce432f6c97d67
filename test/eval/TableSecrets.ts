/** Secrets by the table of the specification: a row for every format, with its prefix, its length and its alphabet. */
import { formats, mixed, oneOf, type SecretFormat, structure, token } from "./Sample.ts"
import {
  ALNUM,
  BASE32,
  BASE64,
  base62Checksum,
  base64Url,
  crc32,
  DIGITS,
  HEX,
  LOWER,
  type Seeded,
  UPPER,
  URL64,
} from "./Seeded.ts"

const row = formats("table")

/** Written in two parts, so that no scanner takes this file for one that holds keys. */
const OPENAI_MARK = `${"T3Blbk"}FJ`
const BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"

/** A token with a checksum at its end that is right in two of three cases: a wrong one is a secret as well. */
const summed =
  (prefix: string) =>
  (random: Seeded): { text: string; bodies: ReadonlyArray<string> } => {
    const body = random.text(ALNUM, 30)
    const tail = random.between(0, 2) > 0 ? base62Checksum(body) : random.text(ALNUM, 6)
    return { text: prefix + body + tail, bodies: [body + tail] }
  }

const jwtLike = (random: Seeded): string =>
  `${base64Url('{"alg":"RS256","typ":"JWT"}')}.${base64Url(
    JSON.stringify({ iss: random.text(DIGITS, 7), aud: "api", jti: random.text(ALNUM, 40) }),
  )}.${random.text(URL64, 342)}`

const MODELS: ReadonlyArray<SecretFormat> = [
  row("anthropic api", "A", "ANTHROPIC_API_KEY", token("sk-ant-api03-", [URL64, 93], "AA")),
  row("anthropic admin", "A", "ANTHROPIC_ADMIN_KEY", token("sk-ant-admin01-", [URL64, 93], "AA")),
  row("anthropic oauth access", "A", "CLAUDE_CODE_OAUTH_TOKEN", token("sk-ant-oat01-", [URL64, 40, 95])),
  row("anthropic oauth refresh", "A", "REFRESH_TOKEN", token("sk-ant-ort01-", [URL64, 40, 95])),
  row("openai legacy", "A", "OPENAI_API_KEY", token("sk-", [ALNUM, 20], OPENAI_MARK, [ALNUM, 20])),
  ...["proj", "svcacct", "service", "admin"].map((part) =>
    row(
      `openai ${part}`,
      "A",
      "OPENAI_API_KEY",
      oneOf(
        token(`sk-${part}-`, [URL64, 58], OPENAI_MARK, [URL64, 58]),
        token(`sk-${part}-`, [URL64, 74], OPENAI_MARK, [URL64, 74]),
      ),
    ),
  ),
  row("openrouter", "A", "OPENROUTER_API_KEY", token("sk-or-v1-", [HEX, 64])),
  row("deepseek", "B", "DEEPSEEK_API_KEY", token("sk-", [`${LOWER}${DIGITS}`, 32])),
  row("groq", "A", "GROQ_API_KEY", token("gsk_", [ALNUM, 52])),
  row("xai", "A", "XAI_API_KEY", token("xai-", [`${ALNUM}_`, 80])),
  row("perplexity", "A", "PERPLEXITY_API_KEY", token("pplx-", [ALNUM, 48])),
  row("replicate", "B", "REPLICATE_API_TOKEN", token("r8_", [URL64, 37])),
  row("huggingface user", "B", "HF_TOKEN", oneOf(token("hf_", [`${UPPER}${LOWER}`, 34]), token("hf_", [ALNUM, 34]))),
  row("huggingface org", "B", "HF_TOKEN", token("api_org_", [ALNUM, 34])),
  row("langsmith", "A", "LANGSMITH_API_KEY", oneOf(...["pt", "sk"].map((t) => token(`lsv2_${t}_`, [HEX, 32], "_", [HEX, 10])))),
  row("langfuse", "A", "LANGFUSE_SECRET_KEY", (random) => {
    const body = random.uuid()
    return { text: `sk-lf-${body}`, bodies: [body] }
  }),
  row("elevenlabs", "B", "ELEVENLABS_API_KEY", token("sk_", [HEX, 48])),
]

const CLOUDS: ReadonlyArray<SecretFormat> = [
  row("bedrock long", "A", "AWS_BEARER_TOKEN_BEDROCK", token("ABSK", [BASE64, 109, 269])),
  row("bedrock short", "A", "AWS_BEARER_TOKEN_BEDROCK", (random) => {
    const body = Buffer.from(`bedrock.amazonaws.com/?Action=${random.text(ALNUM, 120)}`).toString("base64")
    return { text: `bedrock-api-key-${body}`, bodies: [body] }
  }),
  row(
    "aws key id",
    "A",
    "AWS_ACCESS_KEY_ID",
    oneOf(...["AKIA", "ASIA", "ABIA", "ACCA", "A3T7"].map((start) => token(start, [BASE32, 16]))),
  ),
  row("aws secret", "N", "AWS_SECRET_ACCESS_KEY", token([`${ALNUM}/+`, 40])),
  row(
    "aws pair",
    "C",
    "AWS",
    structure((random, secret) => `${`AKI${"A"}`}${random.text(BASE32, 16)}\n${secret(mixed(random, `${ALNUM}/+`, 40))}`),
  ),
  row(
    "aws session token",
    "A",
    "AWS_SESSION_TOKEN",
    oneOf(token("IQoJb3JpZ2lu", [BASE64, 300, 600], "=="), token("FwoGZXIvYXdz", [BASE64, 300, 600], "==")),
  ),
  row("google api", "A", "GEMINI_API_KEY", token("AIza", [URL64, 35])),
  row("google access", "A", "GOOGLE_ACCESS_TOKEN", token("ya29.", [URL64, 100, 180])),
  row("google refresh", "B", "GOOGLE_REFRESH_TOKEN", token("1//0", [URL64, 97, 103])),
  row("google client secret", "A", "GOOGLE_CLIENT_SECRET", token("GOCSPX-", [URL64, 28])),
  row(
    "azure storage",
    "A",
    "AZURE_STORAGE",
    structure(
      (random, secret) =>
        `DefaultEndpointsProtocol=https;AccountName=st${random.text(LOWER, 6)};AccountKey=${secret(random.text(BASE64, 86))}==;EndpointSuffix=core.windows.net`,
    ),
  ),
  row(
    "azure sas",
    "C",
    "SAS_URL",
    structure((random, secret) => {
      const signature = secret(`${random.text(BASE64, 43)}=`)
      return `https://st${random.text(LOWER, 6)}.blob.core.windows.net/box/file.bin?sv=2024-11-04&se=2026-12-01T08%3A00%3A00Z&sr=b&sp=r&sig=${encodeURIComponent(signature)}`
    }),
  ),
  row("azure entra secret", "B", "AZURE_CLIENT_SECRET", token([ALNUM, 3], [DIGITS, 1], "Q~", [`${ALNUM}_~.-`, 31, 34])),
  row("azure container registry", "B", "ACR_PASSWORD", token([BASE64, 42], "+ACR", [`${ALNUM}`, 6])),
  row("azure devops old", "N", "AZURE_DEVOPS_PAT_TOKEN", token([`${LOWER}${DIGITS}`, 52])),
  row("azure devops", "B", "AZURE_DEVOPS_PAT_TOKEN", token([ALNUM, 76], "AZDO", [ALNUM, 4])),
  row("azure openai", "N", "AZURE_OPENAI_API_KEY", token([HEX, 32])),
  row(
    "digitalocean",
    "A",
    "DIGITALOCEAN_TOKEN",
    oneOf(...["dop_v1_", "doo_v1_", "dor_v1_"].map((start) => token(start, [HEX, 64]))),
  ),
  row("heroku", "A", "HEROKU_API_KEY", token("HRKU-AA", [URL64, 58])),
  row("heroku old", "N", "HEROKU_API_KEY", (random) => {
    const text = random.uuid()
    return { text, bodies: [text] }
  }),
  row("cloudflare", "A", "CLOUDFLARE_API_TOKEN", (random) => {
    const body = random.text(ALNUM, 40)
    const sum = random.between(0, 2) > 0 ? crc32(body).toString(16).padStart(8, "0") : random.text(HEX, 8)
    return { text: random.pick(["cfk_", "cfut_", "cfat_"]) + body + sum, bodies: [body + sum] }
  }),
  row("cloudflare old", "N", "CLOUDFLARE_API_KEY", oneOf(token([HEX, 37]), token([URL64, 40]))),
  row("cloudflare origin ca", "A", "CLOUDFLARE_ORIGIN_CA_KEY", token("v1.0-", [HEX, 24], "-", [HEX, 146])),
  row("databricks", "A", "DATABRICKS_TOKEN", oneOf(token("dapi", [HEX, 32]), token("dapi", [HEX, 32], "-", [DIGITS, 1]))),
  row(
    "doppler",
    "A",
    "DOPPLER_TOKEN",
    oneOf(...["pt", "ct", "sa", "scim", "audit", "st.prd"].map((part) => token(`dp.${part}.`, [ALNUM, 40, 44]))),
  ),
  row(
    "vault",
    "A",
    "VAULT_TOKEN",
    oneOf(token("hvs.", [URL64, 90, 120]), token("hvb.", [URL64, 138, 300]), token("hvr.", [URL64, 90, 120])),
  ),
  row("vault old", "B", "VAULT_TOKEN", oneOf(token("s.", [ALNUM, 24]), token("b.", [ALNUM, 24]))),
  row("terraform cloud", "A", "TF_TOKEN", token([ALNUM, 14], ".atlasv1.", [URL64, 60, 70])),
  row("pulumi", "A", "PULUMI_ACCESS_TOKEN", token("pul-", [HEX, 40])),
  row(
    "fly",
    "A",
    "FLY_API_TOKEN",
    oneOf(token("fo1_", [URL64, 43]), ...["fm1a_", "fm1r_", "fm2_"].map((start) => token(start, [BASE64, 100, 300], "="))),
  ),
  row("tailscale", "A", "TS_AUTHKEY", token("tskey-auth-", [ALNUM, 16], "-", [ALNUM, 16, 60])),
  row("supabase", "A", "SUPABASE_ACCESS_TOKEN", token("sbp_", [HEX, 40])),
  row(
    "vercel",
    "A",
    "VERCEL_TOKEN",
    oneOf(...["vcp_", "vci_", "vca_", "vcr_", "vck_"].map((start) => token(start, [ALNUM, 20, 60]))),
  ),
  row("netlify", "A", "NETLIFY_AUTH_TOKEN", token("nfp_", [ALNUM, 36])),
  row(
    "planetscale",
    "A",
    "PLANETSCALE_TOKEN",
    oneOf(...["tkn", "oauth", "pw"].map((part) => token(`pscale_${part}_`, [URL64, 32, 64]))),
  ),
]

const FORGES: ReadonlyArray<SecretFormat> = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((start) => row(`github ${start}`, "A", "GITHUB_TOKEN", summed(start))),
  row("github fine-grained", "A", "GITHUB_TOKEN", token("github_pat_", [ALNUM, 22], "_", [ALNUM, 59])),
  row("github installation", "A", "GITHUB_TOKEN", (random) => {
    const body = `${random.text(DIGITS, 7)}_${jwtLike(random)}`
    return { text: `ghs_${body}`, bodies: [body] }
  }),
  row("gitlab pat", "A", "GITLAB_TOKEN", oneOf(token("glpat-", [URL64, 20]), token("SIE-glpat-", [URL64, 20]))),
  row("gitlab routable", "A", "GITLAB_TOKEN", token("glpat-", [URL64, 27, 300], ".", [ALNUM, 9])),
  row(
    "gitlab others",
    "A",
    "GITLAB_TOKEN",
    oneOf(
      ...["gldt-", "glrt-", "glrt-t3_", "glcbt-4x_", "glft-", "glsoat-", "glffct-"].map((start) => token(start, [URL64, 20])),
      token("glptt-", [HEX, 40]),
      token("glimt-", [`${LOWER}${DIGITS}`, 25]),
      token("glagent-", [URL64, 50]),
      token("gloas-", [HEX, 64]),
      token("GR1348941", [URL64, 20]),
    ),
  ),
  row("gitlab cookie", "A", "COOKIE", token("_gitlab_session=", [HEX, 32])),
  row("npm", "A", "NPM_TOKEN", summed("npm_")),
  row("pypi", "A", "PYPI_TOKEN", token("pypi-AgEIcHlwaS5vcmc", [URL64, 50, 200])),
  row("rubygems", "A", "GEM_HOST_API_KEY", token("rubygems_", [HEX, 48])),
  row("docker hub", "A", "DOCKER_TOKEN", oneOf(token("dckr_pat_", [URL64, 27]), token("dckr_oat_", [URL64, 32]))),
  row("jfrog", "A", "JFROG_TOKEN", oneOf(token("AKCp", [ALNUM, 69]), token("cmVmdGtu", [ALNUM, 56]))),
  row(
    "atlassian",
    "A",
    "ATLASSIAN_TOKEN",
    oneOf(...["ATATT3", "ATCTT3"].map((t) => token(t, [URL64, 176], "=", [`${DIGITS}ABCDEF`, 8]))),
  ),
]

const SERVICES: ReadonlyArray<SecretFormat> = [
  row("slack bot", "A", "SLACK_TOKEN", token("xoxb-", [DIGITS, 11, 13], "-", [DIGITS, 11, 13], "-", [ALNUM, 24])),
  row("slack user", "A", "SLACK_TOKEN", token("xoxp-", [DIGITS, 12], "-", [DIGITS, 12], "-", [DIGITS, 13], "-", [HEX, 32])),
  row(
    "slack others",
    "A",
    "SLACK_TOKEN",
    oneOf(
      ...["xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-"].map((start) =>
        token(start, [DIGITS, 12], "-", [DIGITS, 12], "-", [HEX, 32]),
      ),
      ...["xoxe-1-", "xoxe.xoxb-1-", "xoxe.xoxp-1-"].map((start) => token(start, [ALNUM, 146])),
    ),
  ),
  row("slack app", "A", "SLACK_APP_TOKEN", token("xapp-1-", [`${UPPER}${DIGITS}`, 11], "-", [DIGITS, 13], "-", [HEX, 64])),
  row(
    "slack webhook",
    "A",
    "SLACK_WEBHOOK_URL",
    structure((random, secret) => {
      const ids = () => random.text(`${UPPER}${DIGITS}`, 9)
      const kind = random.pick(["services", "workflows", "triggers"])
      return `https://hooks.slack.com/${kind}/T${ids()}/B${ids()}/${secret(random.text(ALNUM, random.between(23, 25)))}`
    }),
  ),
  row("discord bot", "B", "DISCORD_TOKEN", (random) => {
    const text = `${base64Url(random.text("123456789", 18))}.${random.text(URL64, 6)}.${random.text(URL64, random.between(27, 38))}`
    return { text, bodies: [text.slice(text.lastIndexOf(".") + 1)] }
  }),
  row(
    "discord webhook",
    "A",
    "DISCORD_WEBHOOK",
    structure((random, secret) => {
      const host = random.pick(["discord.com", "discordapp.com"])
      return `https://${host}/api/webhooks/${random.text("123456789", random.between(17, 19))}/${secret(random.text(URL64, 68))}`
    }),
  ),
  row("telegram", "B", "TELEGRAM_BOT_TOKEN", (random) => {
    const body = `AA${random.text(URL64, 33)}`
    return { text: `${random.text("123456789", random.between(8, 10))}:${body}`, bodies: [body] }
  }),
  row(
    "stripe",
    "A",
    "STRIPE_SECRET_KEY",
    oneOf(...["sk_live_", "sk_test_", "rk_live_", "rk_test_"].map((start) => token(start, [ALNUM, 24, 107]))),
  ),
  row("stripe webhook", "A", "STRIPE_WEBHOOK_SECRET", token("whsec_", [BASE64, 32, 44])),
  row("twilio key", "B", "TWILIO_API_KEY", token("SK", [HEX, 32])),
  row("twilio auth token", "N", "TWILIO_AUTH_TOKEN", token([HEX, 32])),
  row("sendgrid", "A", "SENDGRID_API_KEY", token("SG.", [URL64, 22], ".", [URL64, 43])),
  row("mailgun", "B", "MAILGUN_API_KEY", oneOf(token("key-", [HEX, 32]), token([HEX, 32], "-", [HEX, 8], "-", [HEX, 8]))),
  row("mailchimp", "B", "MAILCHIMP_API_KEY", (random) => {
    const body = random.text(HEX, 32)
    return { text: `${body}-us${random.between(1, 21)}`, bodies: [body] }
  }),
  row(
    "shopify",
    "A",
    "SHOPIFY_TOKEN",
    oneOf(...["shpat_", "shpca_", "shppa_", "shpss_"].flatMap((start) => [token(start, [HEX, 32]), token(start, [ALNUM, 64])])),
  ),
  row("square", "A", "SQUARE_TOKEN", oneOf(token("sq0atp-", [URL64, 22]), token("sq0csp-", [URL64, 43]))),
  row("square access", "B", "SQUARE_TOKEN", token("EAAA", [URL64, 60])),
  row("sentry", "A", "SENTRY_AUTH_TOKEN", (random) => {
    if (random.between(0, 1) === 0) return token("sntryu_", [HEX, 64])(random, "")
    const claims = { iat: random.between(1, 1e9), url: "https://sentry.io", org: random.text(LOWER, 8) }
    const body = `${Buffer.from(JSON.stringify(claims)).toString("base64")}_${random.text(BASE64, 43)}`
    return { text: `sntrys_${body}`, bodies: [body] }
  }),
  row("linear", "A", "LINEAR_API_KEY", token("lin_api_", [ALNUM, 40])),
  row("notion", "A", "NOTION_TOKEN", token("ntn_", [DIGITS, 11], [ALNUM, 35])),
  row("notion old", "B", "NOTION_TOKEN", token("secret_", [ALNUM, 43])),
  row("figma", "A", "FIGMA_TOKEN", token("figd_", [URL64, 40, 48])),
  row("postman", "A", "POSTMAN_API_KEY", token("PMAK-", [HEX, 24], "-", [HEX, 34])),
  row("grafana", "A", "GRAFANA_TOKEN", (random) => {
    if (random.between(0, 1) === 0) return token("glsa_", [ALNUM, 32], "_", [HEX, 8])(random, "")
    const claims = { o: random.text(DIGITS, 6), n: "agent", k: random.text(ALNUM, 24), m: { r: "eu" } }
    const body = Buffer.from(JSON.stringify(claims)).toString("base64")
    return { text: `glc_${body}`, bodies: [body] }
  }),
  row("airtable", "A", "AIRTABLE_TOKEN", token("pat", [ALNUM, 14], ".", [HEX, 64])),
  row("circleci", "A", "CIRCLECI_TOKEN", token("CCIPAT_", [ALNUM, 22], "_", [HEX, 40])),
  row("buildkite", "A", "BUILDKITE_TOKEN", token("bkua_", [HEX, 40])),
  row(
    "new relic",
    "A",
    "NEW_RELIC_LICENSE_KEY",
    oneOf(
      token("NRII-", [URL64, 32]),
      token("NRIQ-", [URL64, 32]),
      token("NRBR-", [HEX, 19]),
      token("NRAK-", [`${UPPER}${DIGITS}`, 27]),
      token([HEX, 36], "NRAL"),
    ),
  ),
  row("1password service account", "A", "OP_SERVICE_ACCOUNT_TOKEN", (random) => {
    const claims = {
      signInAddress: "my.1password.com",
      secretKey: random.text(ALNUM, 120),
      email: `${random.text(LOWER, 12)}@example.com`,
    }
    const body = Buffer.from(JSON.stringify(claims)).toString("base64url")
    return { text: `ops_${body}`, bodies: [body.slice(3)] }
  }),
  row("1password secret key", "A", "OP_SECRET_KEY", (random) => {
    const part = (length: number) => random.text(`${UPPER}${DIGITS}`, length)
    const body = [part(6), part(6), part(5), part(5), part(5), part(5)].join("-")
    return { text: `A3-${body}`, bodies: [body] }
  }),
  row("age", "A", "AGE_KEY", token("AGE-SECRET-KEY-1", [BECH32, 58])),
  row(
    "minisign",
    "A",
    "MINISIGN",
    structure((random, secret) => {
      const start = random.pick(["RWRTY0Iy", "RWRCSw"])
      return `untrusted comment: encrypted secret key\n${start}${secret(random.text(BASE64, 204))}==\n`
    }),
  ),
]

export const tableSecrets: ReadonlyArray<SecretFormat> = [...MODELS, ...CLOUDS, ...FORGES, ...SERVICES]
