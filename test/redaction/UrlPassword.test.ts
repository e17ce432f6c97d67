import { assert, describe, it } from "vitest"
import { makeRedactor } from "../../src/redaction/Redactor.ts"

const redactor = makeRedactor({ environment: {} })
const redacted = (text: string): string => redactor.redactText(text).text

/** Made while the test runs, so that nothing that looks like a secret is written down. */
const secret = ["k3J9", "xQ2m", "V7pL"].join("")

describe("the password of a URL", () => {
  const gone: ReadonlyArray<readonly [text: string, after: string]> = [
    [`postgres://reports:${secret}@db.internal:5432/app`, "postgres://reports:[REDACTED:url-password]@db.internal:5432/app"],
    [`redis://:${secret}@cache:6379`, "redis://:[REDACTED:url-password]@cache:6379"],
    [`"https://me:${secret}@host/a?b=1"`, '"https://me:[REDACTED:url-password]@host/a?b=1"'],
    [
      `see http://a:${secret}@b and http://c:${secret}@d`,
      "see http://a:[REDACTED:url-password]@b and http://c:[REDACTED:url-password]@d",
    ],
    [`amqp://u:p@${secret}@mq`, "amqp://u:[REDACTED:url-password]@mq"],
    [`{"dsn":"mysql://u:${secret}@h/d"}`, '{"dsn":"mysql://u:[REDACTED:url-password]@h/d"}'],
    [`postgres://u:${secret}@db.example.com/x`, "postgres://u:[REDACTED:url-password]@db.example.com/x"],
    [`see https://me:${secret}`, "see https://me:[REDACTED:url-password]"],
    [`url = https://me:${secret}\nnext = 1`, "url = https://me:[REDACTED:url-password]\nnext = 1"],
  ]
  for (const [text, after] of gone) {
    it(`goes from ${text.replaceAll(secret, "…")}`, () => {
      assert.equal(redacted(text), after)
      assert.equal(redacted(after), after)
    })
  }

  const kept: ReadonlyArray<string> = [
    "https://user:pass@example.com/",
    "postgres://user:password@localhost:5432/db",
    ["postgres://user:$", "{DB_PASSWORD}@host/db"].join(""),
    "https://user:<your-password>@host",
    "https://user:{{password}}@host",
    "https://u:xxxxxxxx@host",
    "http://localhost:3000/@scope/package@1.2.3",
    "https://files.example.com:8443/path@2",
    "ssh://git@github.com:22/owner/repo",
    "git@github.com:owner/repo.git",
    "https://host:8080/a:b@c",
    "import x from 'https://esm.sh/react@18.2.0'",
    "http://[::1]:8080/",
    "http://localhost:3000",
    "http://host.internal:65535",
    "https://host:8080-and-more",
    "redis://cache:6379,redis",
    `docker://sha256:${"0a1b2c3d".repeat(8)}`,
    `docker-pullable://example.net/app@sha256:${"0a1b2c3d".repeat(8)}`,
    `https://me:${secret.slice(0, 11)}`,
    `"https://me:${secret}"`,
    "cvs://:pserver:anoncvs@sources.example.net:/cvs/src",
  ]
  for (const text of kept) it(`is not seen in ${text}`, () => assert.equal(redacted(text), text))

  it("is looked for in bounded time", () => {
    for (const unit of ["://", "://a:", "http://a:", "://a:b@"]) {
      const text = unit.repeat(200_000)
      assert.isAtMost(redacted(text).length, text.length * 20)
    }
  })
})
