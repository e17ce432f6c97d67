import { describe, expect, test } from "vitest"
import { drawn, hole, plain, redact } from "./Samples.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const secret = drawn(14)
const pair = base64(`deploy:${secret}`)
const id = `AK${"IA"}${"QZ7RKB2XM4TWLCV6"}`
const awsSecret = `${drawn(20)}/${drawn(19)}`
const hex = "a1b2c3d4e5f60718".repeat(4)

describe("goes", () => {
  test.each([
    [`Authorization: Basic ${pair}`, "Authorization: Basic [REDACTED:basic-auth]"],
    [`curl -H 'Authorization: Basic ${pair}' https://x`, "curl -H 'Authorization: Basic [REDACTED:basic-auth]' https://x"],
    [`Authorization: token ${secret}`, "Authorization: token [REDACTED:authorization]"],
    [`"Proxy-Authorization": "ApiKey ${secret}"`, '"Proxy-Authorization": "ApiKey [REDACTED:authorization]"'],
    [`Authorization: ${drawn(20)}\nHost: x`, "Authorization: [REDACTED:authorization]\nHost: x"],
    [`x-api-key: ${secret}`, "x-api-key: [REDACTED:credential]"],
    [`Cookie: theme=dark; session=${secret}; a=1`, "Cookie: theme=dark; session=[REDACTED:cookie]; a=1"],
    [`Set-Cookie: sid=${secret}; Path=/; HttpOnly`, "Set-Cookie: sid=[REDACTED:cookie]; Path=/; HttpOnly"],
    [`-H "Cookie: csrf_token=${secret}; jwt=${drawn(20)}"`, '-H "Cookie: csrf_token=[REDACTED:cookie]; jwt=[REDACTED:cookie]"'],
    [`curl -u me:${secret} https://x`, "curl -u me:[REDACTED:basic-auth] https://x"],
    [`curl -s --user "me:${secret}" https://x`, 'curl -s --user "me:[REDACTED:basic-auth]" https://x'],
    [`machine x.org login me password ${secret}\n`, "machine x.org login me password [REDACTED:password]\n"],
    [`machine x.org\n  login me\n  password ${secret}\n`, "machine x.org\n  login me\n  password [REDACTED:password]\n"],
    [`db.internal:5432:app:me:${secret}\n`, "db.internal:5432:app:me:[REDACTED:password]\n"],
    [`//npm.internal/:_authToken=${drawn(36)}`, "//npm.internal/:_authToken=[REDACTED:credential]"],
    [`//npm.x.org/:_password=${base64(secret)}`, "//npm.x.org/:_password=[REDACTED:password]"],
    [`_auth=${pair}`, "_auth=[REDACTED:basic-auth]"],
    // Cut behind the first character of the password.
    [`//npm.x.org/:_auth=${base64("npmuser:q")}`, "//npm.x.org/:_auth=[REDACTED:basic-auth]"],
    [`{"auths":{"ghcr.io":{"auth":"${pair}"}}}`, '{"auths":{"ghcr.io":{"auth":"[REDACTED:basic-auth]"}}}'],
    [`  "auth": "${pair}"`, '  "auth": "[REDACTED:basic-auth]"'],
    [`client-key-data: ${base64(drawn(60))}`, "client-key-data: [REDACTED:credential]"],
    [
      `{"private_key_id":"${hex.slice(0, 40)}","project_id":"p1"}`,
      '{"private_key_id":"[REDACTED:private-key]","project_id":"p1"}',
    ],
    [
      `https://a.blob.core.windows.net/c?sv=2024-01-01&sig=${encodeURIComponent(base64(drawn(32)))}&se=2026`,
      "https://a.blob.core.windows.net/c?sv=2024-01-01&sig=[REDACTED:azure-signature]&se=2026",
    ],
    [
      `AccountName=a;AccountKey=${base64(drawn(64))};EndpointSuffix=core`,
      "AccountName=a;AccountKey=[REDACTED:credential];EndpointSuffix=core",
    ],
    [`Server=x;User Id=sa;Password=${secret};Encrypt=true`, "Server=x;User Id=sa;Password=[REDACTED:password];Encrypt=true"],
    [`${id}\n${awsSecret}\n`, "[REDACTED:aws-key-id]\n[REDACTED:aws-secret-key]\n"],
    [`${awsSecret} belongs to ${id}`, "[REDACTED:aws-secret-key] belongs to [REDACTED:aws-key-id]"],
    [
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  user: ${base64(drawn(9))}\n  pw: ${base64(secret)}\n`,
      "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  user: [REDACTED:kubernetes-secret]\n  pw: [REDACTED:kubernetes-secret]\n",
    ],
    [
      `PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n${drawn(64)}\n${drawn(50)}==\nPrivate-MAC: ${hex}`,
      `PuTTY-User-Key-File-3: ssh-rsa\n[REDACTED:private-key]\nPrivate-MAC: ${hex}`,
    ],
    [`root:${"$"}6${"$"}${drawn(8)}${"$"}${drawn(86)}:19000`, "root:[REDACTED:password-hash]:19000"],
    [`default login me password ${secret}\n`, "default login me password [REDACTED:password]\n"],
    [`machine\tx.org\tlogin\tme\tpassword\t${secret}`, "machine\tx.org\tlogin\tme\tpassword\t[REDACTED:password]"],
    [`machine x.org password ${secret} login me`, "machine x.org password [REDACTED:password] login me"],
    [`machine x.org login me account a password ${secret}`, "machine x.org login me account a password [REDACTED:password]"],
    ["machine x.org login me password plainwords\n", "machine x.org login me password [REDACTED:password]\n"],
    [
      `machine x.org # mine\n  login me\n  password ${secret}\n`,
      "machine x.org # mine\n  login me\n  password [REDACTED:password]\n",
    ],
    [
      `machine a.org\nlogin me\npassword ${secret}\nmachine b.org login you password ${secret}B\n`,
      "machine a.org\nlogin me\npassword [REDACTED:password]\nmachine b.org login you password [REDACTED:password]\n",
    ],
    ["db.internal:5432:*:me:plainwords\n", "db.internal:5432:*:me:[REDACTED:password]\n"],
    [`*:*:*:me:${secret}\n`, "*:*:*:me:[REDACTED:password]\n"],
    [`10.0.0.1:5432:app:me@x:a\\:${secret}`, "10.0.0.1:5432:app:me@x:[REDACTED:password]"],
    ["curl --user 'me:cCtax_L97.trhuXkmK' https://x", "curl --user 'me:[REDACTED:basic-auth]' https://x"],
    [`//npm.x.org/:_authToken = "${drawn(36)}"`, '//npm.x.org/:_authToken = "[REDACTED:credential]"'],
    [`"auth": "${pair.slice(0, 25)}`, '"auth": "[REDACTED:basic-auth]'],
    [`{ "auths" : { "r.io" : { "auth" : "${pair}" } } }`, '{ "auths" : { "r.io" : { "auth" : "[REDACTED:basic-auth]" } } }'],
    [`auths:\n  r.io:\n    auth: ${pair}\n`, "auths:\n  r.io:\n    auth: [REDACTED:basic-auth]\n"],
    [`me:{SHA}${base64(drawn(20))}`, "me:[REDACTED:password-hash]"],
    [`userPassword: {SSHA512}${base64(drawn(40))}`, "userPassword: [REDACTED:password-hash]"],
    [`root:${"$"}1${"$"}${drawn(8)}${"$"}${drawn(22)}:19000`, "root:[REDACTED:password-hash]:19000"],
    [
      "otpauth://totp/A:me?issuer=A&secret=ABCDEFGHIJKLMNOP&digits=6",
      "otpauth://totp/A:me?issuer=A&secret=[REDACTED:password]&digits=6",
    ],
    [
      `otpauth-migration://offline?data=${encodeURIComponent(base64(drawn(40)))}`,
      "otpauth-migration://offline?data=[REDACTED:password]",
    ],
    [`otpauth://totp/me?secret=JBSWY3DPEHPK3PXP&issuer=x`, "otpauth://totp/me?secret=[REDACTED:password]&issuer=x"],
  ])("%s", (text, expected) => {
    const after = redact(text)
    expect(after.replace("Private-Lines: 2\n", "")).toBe(expected)
    expect(redact(after)).toBe(after)
  })

  test("as a member of an object", () => {
    const headers = { Authorization: `Basic ${pair}`, cookie: `a=1; sessionid=${secret}`, auth: pair }
    expect(plain.redactValue({ headers }).value).toEqual({
      headers: {
        Authorization: "Basic [REDACTED:basic-auth]",
        cookie: "a=1; sessionid=[REDACTED:cookie]",
        auth: "[REDACTED:basic-auth]",
      },
    })
  })
})

describe("stays", () => {
  test.each([
    `Authorization: Bearer ${hole("token")}`,
    "Authorization: Bearer <your-token>",
    "headers.authorization = buildAuthorization(user, options)",
    'if (request.headers.authorization === undefined) return unauthorized("no header")',
    "Basic authentication is required",
    "Cookie: theme=dark; lang=en; consent=accepted1",
    `document.cookie = ${hole("name")}=1; path=/`,
    "docker run -u 1000:1000 image",
    "curl -u user:password https://x",
    "the machine has a login and a password",
    "auth: true",
    "machine learning with login and password protection",
    "the default login and password prompt",
    "default login anonymous password user@site",
    "Basic Options are these",
    "`machine HOST login USER password PASSWORD`, in any order",
    "export default login(account).then(password)",
    "this$1$1.getToken().then(x$1$2)",
    "{SHA} and {SSHA} are schemes",
    "https://x.org/*:*:*:a:b",
    'auth: "required"',
    "kind: SecretStore\ndata:\n  a: b1c2d3e4f5\n",
    "sig=abcdefghijklmnopqrstuvwxyz",
    "0123456789abcdef0123456789abcdef01234567 is a commit",
    `${id.slice(0, 8)} ${awsSecret}`,
    "?sv=1&sigma=3&significant=abcdefghijklmnopqrst",
    "costs $6$ and $5$",
  ])("%s", (text) => {
    expect(redact(text)).toBe(text)
  })
})
