import { describe, expect, test } from "vitest"
import { hole, plain, redact } from "./Samples.ts"

const canary = `ca${"nary"}_value_4711`
const hex = "a8f5f167f44f4964e6c9"

describe("goes", () => {
  test.each([
    [`token=${canary}`, "token=[REDACTED:credential]"],
    ["password=bWM6Fqh.zbvP9JjE;", "password=[REDACTED:password];"],
    ["password=Cec.xAbQ4jEq~eziou", "password=[REDACTED:password]"],
    ["Password=hG9iamcjZA_P09.;Encrypt=true", "Password=[REDACTED:password];Encrypt=true"],
    ["?user=me&password=wPMnQ.yj1M.THJuY", "?user=me&password=[REDACTED:password]"],
    ['x {"password":"q8DB.mfOoHSu._-i"}}]}/file', 'x {"password":"[REDACTED:password]"}}]}/file'],
    ['x {"password":"RdmCZtW_2MGDf.a"}', 'x {"password":"[REDACTED:password]"}'],
    ["DB_PASSWORD=CfmuP.ku!LYIuB5K", "DB_PASSWORD=[REDACTED:password]"],
    ["Password=mockToken1;Database=a", "Password=[REDACTED:password];Database=a"],
    ["password: mockToken1\n", "password: [REDACTED:password]\n"],
    ["password: q7Rz2KbXñ9mTw", "password: [REDACTED:password]"],
    [`db:password:${hex}`, "db:password:[REDACTED:password]"],
    ["db_password: |\n  q7Rz2KbX9mTw\n", "db_password: |\n  [REDACTED:password]\n"],
    ["token=\u001b[31mq7Rz2KbX9mTw\u001b[0m", "token=\u001b[31m[REDACTED:credential]\u001b[0m"],
    ["password=12345678", "password=[REDACTED:password]"],
    ["secret = config.value1234567", "secret = [REDACTED:password]"],
    [`password = "${hex}"`, 'password = "[REDACTED:password]"'],
    [`api_key: '${hex}',`, "api_key: '[REDACTED:credential]',"],
    [`"apiKey": "${hex}"`, '"apiKey": "[REDACTED:credential]"'],
    [`API-KEY=${hex}`, "API-KEY=[REDACTED:credential]"],
    [`export AWS_SECRET_ACCESS_KEY=${hex}/x+y\n`, "export AWS_SECRET_ACCESS_KEY=[REDACTED:password]\n"],
    [`const apiKey: string = "${hex}";`, 'const apiKey: string = "[REDACTED:credential]";'],
    [`env["API_KEY"] = "${hex}"`, 'env["API_KEY"] = "[REDACTED:credential]"'],
    [`'password' => '${hex}'`, "'password' => '[REDACTED:password]'"],
    [`if (password === "${hex}") return`, 'if (password === "[REDACTED:password]") return'],
    [`token := "${hex}"`, 'token := "[REDACTED:credential]"'],
    [`token = f"${hex}"`, 'token = f"[REDACTED:credential]"'],
    [`?token=${hex}&page=2`, "?token=[REDACTED:credential]&page=2"],
    [`?token=${hex}&amp;page=2`, "?token=[REDACTED:credential]&amp;page=2"],
    [`PASSWORD=${hex}&x`, "PASSWORD=[REDACTED:password]"],
    [`connect(password=${hex})`, "connect(password=[REDACTED:password])"],
    [`PASSWORD=${hex}\\nNEXT=1`, "PASSWORD=[REDACTED:password]\\nNEXT=1"],
    [`{\\"password\\": \\"${hex}\\"}`, '{\\"password\\": \\"[REDACTED:password]\\"}'],
    ["pin: 4821", "pin: [REDACTED:password]"],
    [`log {"pin":4821,"n":1} end`, `log {"pin":"[REDACTED:password]","n":1} end`],
    [`log {\\"pin\\":4821} end`, `log {\\"pin\\":\\"[REDACTED:password]\\"} end`],
    [`password: "two ${hex} words"`, 'password: "[REDACTED:password]"'],
    [`password = "${hex}`, 'password = "[REDACTED:password]'],
  ])("%s", (text, expected) => {
    expect(redact(text)).toBe(expected)
  })
})

describe("stays", () => {
  test.each([
    "tokenBudget: 20000000",
    "- `url-token`: `url('./icon.png')`",
    "token = parser.readToken2(input.line1)",
    "password = config.db2.password",
    "token = this._inner.stage2_token",
    "apiKey: settings.s3Client.apiKey1,",
    "privateKey = key.x25519.privateKey",
    "token = this.position+1",
    "case Token.Comment2:",
    "secret = Crypto::Sha256::SECRET",
    '"password": "auth.step2.password-label"',
    '"tokenBudget": 20_000_000',
    "tokenBudget: z.number().int().positive()",
    "apiKey: options.apiKey",
    "max_tokens=4096, temperature=0",
    "api_key=api_key,",
    "password: hashedPassword,",
    "const token = parser.nextToken()",
    "token => token.type === SyntaxKind.DotDotDotToken",
    "token?: string | undefined",
    "readonly privateKey: Uint8Array",
    "password: Redacted.Redacted<string>,",
    'os.environ.get("X")',
    'api_key = os.environ["OPENAI_API_KEY"]',
    "apiKey: process.env.OPENAI_API_KEY,",
    "PASSWORD=$DB_PASSWORD",
    `PASSWORD=${hole("DB_PASSWORD:-default1234")}`,
    `token: "${hole("{ secrets.GITHUB_TOKEN }")}"`,
    'password: "<your-password>"',
    "password: {{ vault_password }}",
    "PASSWORD=%DB_PASSWORD%",
    'password: "your-password-here"',
    'password: "changeme"',
    'password: "xxxxxxxxxxxx"',
    'password: "************"',
    '"password": "Password must have at least 8 characters"',
    '"forgotPassword": "Forgot password? Click here, it takes 2 minutes"',
    "secretName: my-tls-secret",
    'token: "keyword.operator"',
    "tokenType: access_token",
    '"token_endpoint": "https://example.com/oauth2/v1/token"',
    "token_url: https://example.com/oauth2/v2.0/12345678",
    "secret: /run/secrets/db_password",
    "api_key_file: ./keys/api1.txt",
    "password: true",
    "secret: undefined",
    "token=short1",
    "pin: 123",
    "pass: 1180",
    "password: [REDACTED]",
    'password = "[REDACTED:password]"',
    "std::token::from_string12345",
    "{self.pg_host}:{self.pg_port}/{self.pg_password}\n@decorator",
    'pin-sha256="WoiWRyIOVNa9ihaBciRSC7XHjliYS9VwUGOIud4PB18="',
    'createElement("label", {htmlFor: "auth_password"}, "Password:"),$?x():y("code",null," ****** ")',
    "next_page_token: CAoQAA12345678",
    "HTTP_QUOTED_STRING_TOKENS = /^[\\u0009\\u0020-\\u007E]+$/u",
    "password = \nhunter2hunter2",
    "arn:aws:secretsmanager:eu-central-1:583842482536:secret:prod/queue-wSv9ni]",
    "reply({ token: mockToken1, refreshToken: mockRefreshToken2 })",
    "const token = mockToken1;",
    '"oauth_token_secret=secret%3Dpassword&oauth_token=lock%26key"',
    "password_encryption = scram-sha-256",
    "$pass = '-anonymous@'",
    "//r.org/:_authToken=MYTOKEN1",
    `aws_secret_access_key = ${"wJalrXUtnFEMI"}/K7MDENG/bPxRfiCYEXAMPLEKEY`,
    '"token": "忘记密码了吗请点击这里"',
    '"apiKey": "Lösenordsåterställning"',
    "password=Hasłomusimiećconajmniej8znaków",
    "secret: Восстановитьпароль",
    "token = r'[^\\W\\d]\\w*'",
    "_token = r'(?:[%s]+|%s)' % (_punct, _core_token)",
  ])("%s", (text) => {
    expect(redact(text)).toBe(text)
  })
})

describe("a member of an object", () => {
  test("is an assignment, and its value is data and not code", () => {
    const value = {
      password: "correct horse battery staple",
      api_key: hex,
      nested: { clientSecret: "correct-horse-battery", pin: 4821, secret: -12345 },
      api_keys: [hex, "a"],
    }
    expect(plain.redactValue(value).value).toEqual({
      password: "[REDACTED:password]",
      api_key: "[REDACTED:credential]",
      nested: { clientSecret: "[REDACTED:password]", pin: "[REDACTED:password]", secret: "[REDACTED:password]" },
      api_keys: ["[REDACTED:credential]", "a"],
    })
  })

  test("stays when its value says what a form says about a password", () => {
    const form = {
      password: "Passwort",
      "auth.password": "Confirm your password",
      newPassword: "Password must have at least 8 characters",
      passphrase: "パスワードを再入力してください",
      secret: "Choose something that nobody else would guess.",
      clientSecret: "Восстановить",
    }
    expect(plain.redactValue(form).value).toBe(form)
    expect(redact(JSON.stringify(form))).toBe(JSON.stringify(form))
  })

  test("stays when its value only stands for a secret, or its name speaks of something else", () => {
    const value = {
      password: "undefined",
      apiKey: "process.env.API_KEY",
      clientSecret: hole("SECRET"),
      dbPassword: "/run/secrets/db",
      secret: true,
      pin: 13,
      token: "identifier",
      tokens: 12345678,
      usage: { inputTokens: 123456, tokenBudget: 20_000_000, maxTokens: 4096 },
      secretName: "my-tls-secret-4711",
      password_hint: "the name of my first cat, 2004",
    }
    expect(plain.redactValue(value).value).toBe(value)
  })
})
