/**
 * The formats of secrets that can be told by themselves, as a table.
 *
 * A row says: one of these prefixes, then at least `minimum` characters of the alphabet. The whole run is the secret, however long: a
 * longer form of the future, and one cut short, are found as well. Checksums are not looked at, since a wrong one may be a cut or a new
 * form. Rows with the same start may overlap; the longest prefix names the kind.
 */
import type { Alphabet } from "./Alphabet.ts"

export interface Format {
  /** What the marker calls it. */
  readonly kind: string
  readonly prefixes: ReadonlyArray<string>
  readonly body: Alphabet
  /** Characters after the prefix from which on it is a secret, even if cut. */
  readonly minimum: number
  /** Characters after the prefix of a whole one. From here on it is a secret even with a letter right before it. */
  readonly full: number
  /** How many dots may stand between two parts of the body. */
  readonly dots?: 1 | 2
  /** The prefix also begins ordinary names, so a body that reads like one is left alone. */
  readonly weak?: true
  /** What belongs to it behind the run. Sticky. */
  readonly tail?: RegExp
  /** The prefix says nothing secret and stays. */
  readonly keeps?: true
}

const row = (
  kind: string,
  prefixes: string,
  body: Alphabet,
  minimum: number,
  full: number,
  more: Partial<Format> = {},
): Format => ({
  kind,
  prefixes: prefixes.split(" "),
  body,
  minimum,
  full,
  ...more,
})

/** The id of an access key: its secret may stand near it. */
export const AWS_KEY_ID = "aws-key-id"

const WEAK = { weak: true } as const
const PARTS = { dots: 1 } as const

export const FORMATS: ReadonlyArray<Format> = [
  // Models
  row("anthropic-key", "sk-ant-", "url", 8, 60),
  row("openai-key", "sk-proj- sk-svcacct- sk-service- sk-admin-", "url", 8, 60),
  row("openai-key", "sk-", "url", 20, 48, { ...WEAK, ...PARTS }),
  row("openrouter-key", "sk-or-v1-", "alnum", 8, 64),
  row("langfuse-key", "sk-lf-", "url", 8, 36),
  row("groq-key", "gsk_", "alnum", 8, 52),
  row("xai-key", "xai-", "word", 8, 80),
  row("perplexity-key", "pplx-", "alnum", 8, 48),
  row("replicate-token", "r8_", "url", 30, 37, WEAK),
  row("huggingface-token", "hf_ api_org_", "alnum", 20, 34),
  row("langsmith-key", "lsv2_pt_ lsv2_sk_", "word", 8, 43),
  row("elevenlabs-key", "sk_", "hex", 40, 48, WEAK),
  // Clouds
  row(AWS_KEY_ID, "AKIA ASIA ABIA ACCA", "upper", 10, 16),
  row(AWS_KEY_ID, "A3T", "upper", 17, 17),
  row("aws-session-token", "IQoJb3JpZ2lu FwoGZXIvYXdz", "base64", 8, 200),
  row("bedrock-key", "ABSK", "base64", 40, 109),
  row("bedrock-key", "bedrock-api-key-", "base64", 8, 100),
  row("google-key", "AIza", "url", 12, 35),
  row("google-token", "ya29.", "url", 8, 60, PARTS),
  row("google-token", "1//0", "url", 40, 90, WEAK),
  row("google-client-secret", "GOCSPX-", "url", 8, 28),
  row("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "alnum", 8, 64),
  row("heroku-key", "HRKU-AA", "url", 8, 58),
  row("cloudflare-token", "cfk_ cfut_ cfat_", "alnum", 8, 48),
  row("databricks-token", "dapi", "hex", 16, 32),
  row("doppler-token", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", "alnum", 8, 40),
  row("doppler-token", "dp.st.", "url", 8, 40, PARTS),
  row("vault-token", "hvs. hvb. hvr.", "url", 8, 90, WEAK),
  row("pulumi-token", "pul-", "hex", 8, 40),
  row("fly-token", "fo1_", "url", 8, 43),
  row("fly-token", "fm1a_ fm1r_ fm2_", "any64", 8, 100),
  row("tailscale-key", "tskey-", "url", 8, 30),
  row("supabase-token", "sbp_", "alnum", 12, 40),
  row("supabase-token", "sb_secret_", "url", 8, 31),
  row("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", "alnum", 16, 24),
  row("netlify-token", "nfp_", "alnum", 8, 36),
  row("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", "url", 8, 32, PARTS),
  // Forges and registries
  row("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "url", 8, 36, PARTS),
  row("github-token", "github_pat_", "word", 8, 82),
  row("gitlab-token", "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-", "url", 8, 20, {
    ...PARTS,
    tail: /\.[0-9a-z]{2}\.[0-9a-z]{5,12}/y,
  }),
  { ...row("gitlab-token", "_gitlab_session=", "hex", 8, 32), keeps: true },
  row("gitlab-token", "GR1348941", "url", 16, 20),
  row("npm-token", "npm_", "alnum", 16, 36),
  row("pypi-token", "pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", "url", 8, 50),
  row("rubygems-key", "rubygems_", "hex", 8, 48),
  row("docker-token", "dckr_pat_ dckr_oat_", "url", 8, 27),
  row("jfrog-key", "AKCp", "alnum", 8, 69),
  row("jfrog-key", "cmVmdGtu", "alnum", 8, 56),
  row("circleci-token", "CCIPAT_", "word", 8, 63),
  row("buildkite-token", "bkua_", "alnum", 8, 40),
  // Services
  row("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe.xoxb- xoxe.xoxp- xapp-", "dashed", 8, 40),
  row("slack-webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", "base64", 20, 40, {
    keeps: true,
  }),
  row("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "any64", 40, 86, { keeps: true }),
  row("atlassian-token", "ATATT3 ATCTT3", "any64", 8, 180),
  row("stripe-key", "sk_live_ rk_live_", "alnum", 8, 24),
  row("stripe-key", "sk_test_ rk_test_", "alnum", 8, 24),
  row("stripe-webhook-secret", "whsec_", "base64", 12, 32),
  row("sendgrid-key", "SG.", "url", 20, 66, { ...WEAK, ...PARTS }),
  row("mailgun-key", "key-", "hex", 32, 32),
  row("shopify-token", "shpat_ shpca_ shppa_ shpss_", "alnum", 8, 32),
  row("square-token", "sq0atp- sq0csp-", "url", 8, 22),
  row("sentry-token", "sntryu_", "alnum", 8, 64),
  row("sentry-token", "sntrys_", "any64", 8, 100),
  row("linear-key", "lin_api_", "alnum", 8, 40),
  row("notion-token", "secret_", "alnum", 43, 43, WEAK),
  row("notion-token", "ntn_", "alnum", 8, 46),
  row("figma-token", "figd_", "url", 8, 40),
  row("postman-key", "PMAK-", "dashed", 8, 59),
  row("grafana-token", "glsa_", "word", 8, 41),
  row("grafana-token", "glc_eyJ", "base64", 8, 100),
  row("grafana-token", "glc_", "base64", 24, 100, WEAK),
  row("newrelic-key", "NRAK- NRII- NRIQ- NRBR-", "url", 8, 27),
  row("onepassword-token", "ops_eyJ", "any64", 8, 250),
  row("age-key", "AGE-SECRET-KEY-1", "alnum", 8, 58),
  { ...row("bearer-token", "", "any64", 16, 32), prefixes: ["Bearer ", "bearer "], weak: true, dots: 2, keeps: true },
  row("password-hash", "$2a$ $2b$ $2y$ $apr1$ $5$ $6$ $argon2id$ $argon2i$ $y$", "crypt", 24, 50),
  row("minisign-key", "RWRTY0Iy RWRCSw", "base64", 40, 140),
]

/** A private key in PEM or PGP armour: recognised by `PrivateKey.ts`, since it has lines. */
export const PRIVATE_KEY = "private-key"

/** A JSON web token, signed, unsigned or encrypted: base64 of a brace and a quote, on one line or two, and at least one more part. */
export const JWT = { kind: "jwt", prefixes: ["eyJ", "ewog", "ewoi"], firstPart: 10, whole: 24 } as const
