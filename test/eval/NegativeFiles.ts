/** Files and messages that speak of secrets and hold none: charts, plans, workflows, dumps, logs, and what people say. */
import { camel, capital, hash, lines, type Negative, word, words } from "./Negative.ts"
import { ALNUM, DIGITS, HEX, LOWER, type Seeded } from "./Seeded.ts"

/** A place in a template, which the source of this file must not have as such. */
const hole = (inside: string): string => `\u0024{${inside}}`
const base64 = (text: string): string => Buffer.from(text).toString("base64")
const host = (random: Seeded): string => `${word(random)}.example.net`
const version = (random: Seeded): string => `${random.between(0, 9)}.${random.between(0, 30)}.${random.between(0, 9)}`

const CLUSTERS: ReadonlyArray<Negative> = [
  {
    name: "helm chart",
    write: (random) =>
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ include "${word(random)}.fullname" . }}\n  labels: {{- include "${word(random)}.labels" . | nindent 4 }}\ntype: Opaque\ndata:\n  {{- if .Values.auth.password }}\n  password: {{ .Values.auth.password | b64enc | quote }}\n  {{- else }}\n  ${word(random)}-password: {{ randAlphaNum 32 | b64enc }}\n  {{- end }}\nstringData:\n  url: {{ printf "postgres://%s:%s@%s" .Values.user .Values.password .Values.host | quote }}`,
  },
  {
    name: "helm values",
    write: (random) =>
      `auth:\n  ## @param auth.existingSecret The name of a secret with the password\n  existingSecret: "${word(random)}-credentials"\n  existingSecretPasswordKey: "${word(random)}-password"\n  username: ${word(random)}\n  password: ""\n  secretKeys:\n    adminPasswordKey: postgres-password\n  tokenSecretRef:\n    name: ${word(random)}-token\n    key: token\nimagePullSecrets:\n  - name: ${word(random)}-registry\ntls:\n  secretName: ${word(random)}-tls\n`,
  },
  {
    name: "manifests that only name secrets",
    write: (random) =>
      `apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: ${word(random)}\n        image: ghcr.io/${word(random)}/${word(random)}:v${version(random)}\n        env:\n        - name: DB_PASSWORD\n          valueFrom:\n            secretKeyRef:\n              kind: Secret\n              name: ${word(random)}-db\n              key: password\n      volumes:\n      - name: ${word(random)}\n        secret:\n          secretName: ${word(random)}-certs\n---\napiVersion: v1\nkind: ConfigMap\ndata:\n  ${word(random)}.conf: |\n    mode = ${word(random)}\n    api_key_file = /run/secrets/${word(random)}\n---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nspec:\n  data:\n  - secretKey: ${word(random)}\n    remoteRef:\n      key: prod/${word(random)}/${word(random)}\n`,
  },
  {
    name: "secrets as they are listed",
    write: (random) =>
      `NAME                 TYPE                             DATA   AGE\n${word(random)}-token-${random.text(`${LOWER}${DIGITS}`, 5)}   kubernetes.io/service-account-token   3      ${random.between(1, 99)}d\n${word(random)}-tls    kubernetes.io/tls                2      ${random.between(1, 99)}d\n\nName:         ${word(random)}\nType:         Opaque\nData\n====\npassword:  ${random.between(8, 64)} bytes\ntoken:     ${random.between(800, 999)} bytes\n`,
  },
  {
    name: "events of a cluster",
    write: (random) =>
      JSON.stringify(
        {
          kind: "Event",
          involvedObject: {
            kind: "Secret",
            name: `${word(random)}-tls`,
            uid: random.uuid(),
            resourceVersion: random.text(DIGITS, 8),
          },
          message: `Secret "${word(random)}-tls" was not found`,
          data: { reason: capital(camel(random)) },
        },
        null,
        2,
      ),
  },
  {
    name: "sealed secrets",
    write: (random) =>
      `kind: SealedSecret\nspec:\n  template:\n    metadata:\n      name: ${word(random)}\n    type: Opaque\n    data:\n      ${word(random)}.yaml: |\n        mode: ${word(random)}\n`,
  },
]

const INFRASTRUCTURE: ReadonlyArray<Negative> = [
  {
    name: "terraform plan",
    write: (random) =>
      `  # aws_db_instance.${word(random)} will be created\n  + resource "aws_db_instance" "${word(random)}" {\n      + arn                    = (known after apply)\n      + id                     = (known after apply)\n      + kms_key_id             = "arn:aws:kms:eu-central-1:${random.text(DIGITS, 12)}:key/${random.uuid()}"\n      + password               = (sensitive value)\n      + master_user_secret     = (known after apply)\n      ~ token                  = (sensitive value) -> (known after apply)\n      + ca_cert_identifier     = "rds-ca-rsa2048-g1"\n    }\nPlan: ${random.between(1, 9)} to add, 0 to change, 0 to destroy.\nrandom_password.${word(random)}: Refreshing state... [id=none]\naws_secretsmanager_secret.${word(random)}: Refreshing state... [id=arn:aws:secretsmanager:eu-central-1:${random.text(DIGITS, 12)}:secret:prod/${word(random)}-${random.text(ALNUM, 6)}]\n`,
  },
  {
    name: "terraform code",
    write: (random) =>
      `variable "db_password" {\n  type      = string\n  sensitive = true\n}\nresource "random_password" "${word(random)}" {\n  length  = ${random.between(16, 64)}\n  special = false\n}\nresource "aws_ssm_parameter" "${word(random)}" {\n  name  = "/prod/${word(random)}/password"\n  value = random_password.${word(random)}.result\n}\nmaster_password = var.db_password\napi_token = data.vault_generic_secret.${word(random)}.data["token"]\nsecret_key = module.${word(random)}2.secret_key\n`,
  },
  {
    name: "workflow",
    write: (random) =>
      `jobs:\n  ${word(random)}:\n    runs-on: ubuntu-24.04\n    permissions:\n      id-token: write\n    steps:\n      - uses: actions/checkout@${random.text(HEX, 40)} # v4\n        with:\n          token: ${hole("{ secrets.RELEASE_TOKEN }")}\n          persist-credentials: false\n      - uses: actions/cache@v4\n        with:\n          key: ${hole("{ runner.os }")}-${word(random)}-${hole("{ hashFiles('**/package-lock.json') }")}\n      - run: npm publish --provenance\n        env:\n          NODE_AUTH_TOKEN: ${hole("{ secrets.NPM_TOKEN || github.token }")}\n          DB_PASSWORD: ${hole(`{ secrets['${word(random).toUpperCase()}_PASSWORD'] }`)}\n`,
  },
  {
    name: "compose file",
    write: (random) =>
      `services:\n  ${word(random)}:\n    image: postgres:17-alpine\n    environment:\n      POSTGRES_PASSWORD_FILE: /run/secrets/${word(random)}_password\n      POSTGRES_PASSWORD: ${hole("POSTGRES_PASSWORD:?set it")}\n      API_TOKEN: ${hole("API_TOKEN")}\n      DATABASE_URL: postgres://${hole("DB_USER")}:${hole("DB_PASSWORD")}@${word(random)}:5432/${word(random)}\n    secrets:\n      - ${word(random)}_password\nsecrets:\n  ${word(random)}_password:\n    file: ./secrets/${word(random)}.txt\n    external: true\n`,
  },
  {
    name: "example of an environment",
    write: (random) =>
      `# Copy to .env and fill in\nDATABASE_URL=postgres://user:password@localhost:5432/${word(random)}\nSECRET_KEY=changeme\nJWT_SECRET=your-jwt-secret\nSTRIPE_SECRET_KEY=sk_test_xxxxxxxxxxxxxxxxxxxxxxxx\nOPENAI_API_KEY=sk-...\nSMTP_PASSWORD=\nSESSION_TOKEN_TTL=${random.between(60, 99999)}\nNEXT_PUBLIC_API_URL=https://${host(random)}/api/v1\nPASSWORD_MIN_LENGTH=12\nAWS_ACCESS_KEY_ID=${"AKI"}AIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=${"wJalrXUtnFEMI"}/K7MDENG/bPxRfiCYEXAMPLEKEY\n`,
  },
  {
    name: "web server",
    write: (random) =>
      `server {\n  listen 443 ssl;\n  server_name ${host(random)};\n  ssl_certificate /etc/letsencrypt/live/${host(random)}/fullchain.pem;\n  ssl_certificate_key /etc/letsencrypt/live/${host(random)}/privkey.pem;\n  ssl_password_file /etc/nginx/${word(random)}.pass;\n  ssl_session_tickets off;\n  auth_basic "${capital(word(random))} area";\n  auth_basic_user_file /etc/nginx/.htpasswd;\n  proxy_set_header Authorization $http_authorization;\n  proxy_set_header X-Api-Key $arg_api_key;\n  proxy_cookie_path / "/; HTTPOnly; Secure";\n  proxy_hide_header Set-Cookie;\n  secure_link_md5 "$secure_link_expires$uri$remote_addr";\n}\n`,
  },
  {
    name: "processes",
    write: (random) =>
      `USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot         ${random.between(1, 999)}  0.0  0.1 ${random.between(1000, 999999)} ${random.between(1000, 99999)} ?        Ss   Nov30   0:0${random.between(0, 9)} /usr/lib/systemd/systemd-logind\nroot         ${random.between(1000, 99999)}  0.0  0.0      0     0 ?        I<   Nov30   0:00 [kworker/u${random.between(2, 16)}:${random.between(0, 9)}-events_unbound]\ndev          ${random.between(1000, 99999)}  1.2  3.4 ${random.between(100000, 9999999)} ${random.between(10000, 999999)} pts/${random.between(0, 9)}    Sl+  10:0${random.between(0, 9)}   0:1${random.between(0, 9)} node /home/dev/${word(random)}/node_modules/.bin/vite --port ${random.between(3000, 9999)} --token-file /run/${word(random)}/token\ndev          ${random.between(1000, 99999)}  0.0  0.0  ${random.between(1000, 9999)}  ${random.between(100, 9999)} ?        S    10:02   0:00 ssh-agent -s -a /tmp/ssh-${random.text(ALNUM, 12)}/agent.${random.between(100, 9999)}\n`,
  },
  {
    name: "units and agents",
    write: (random) =>
      `[Service]\nEnvironmentFile=/etc/${word(random)}/secrets.env\nLoadCredential=token:/etc/${word(random)}/token\nImportCredential=${word(random)}.*\nPrivateTmp=yes\nKeyringMode=private\nExecStart=/usr/bin/${word(random)} --credentials-file %d/token --api-key-env ${word(random).toUpperCase()}_API_KEY\n\nHost ${word(random)}\n  IdentityFile ~/.ssh/id_ed25519_${word(random)}\n  PasswordAuthentication no\n  PubkeyAuthentication yes\n|1|${random.text(ALNUM, 27)}=|${random.text(ALNUM, 27)}= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.text(ALNUM, 43)}\n`,
  },
]

const DATA: ReadonlyArray<Negative> = [
  {
    name: "database dump",
    write: (random) =>
      `-- Dumped by pg_dump version 17.${random.between(0, 9)}\nSET default_table_access_method = heap;\nCREATE TABLE public.users (\n    id uuid DEFAULT gen_random_uuid() NOT NULL,\n    password_hash text NOT NULL,\n    reset_token character varying(64),\n    api_key_id integer,\n    token_expires_at timestamp with time zone\n);\nALTER ROLE ${word(random)} WITH PASSWORD :'password';\nCREATE USER ${word(random)} IDENTIFIED BY '<password>';\nCOPY public.${word(random)} (id, name, digest) FROM stdin;\n${lines(4, () => `${random.uuid()}\t${word(random)}\t\\\\x${random.text(HEX, 64)}`)}\n\\.\nINSERT INTO \`tokens\` VALUES (${random.between(1, 999)},'${word(random)}','${random.uuid()}','2026-01-0${random.between(1, 9)} 10:00:00');\nCREATE UNIQUE INDEX users_reset_token_key ON public.users USING btree (reset_token);\n`,
  },
  {
    name: "openapi file",
    write: (random) =>
      `components:\n  securitySchemes:\n    bearerAuth:\n      type: http\n      scheme: bearer\n      bearerFormat: JWT\n    apiKey:\n      type: apiKey\n      in: header\n      name: X-API-Key\n    oauth2:\n      flows:\n        clientCredentials:\n          tokenUrl: https://${host(random)}/oauth2/token\n  schemas:\n    Login:\n      required: [username, password]\n      properties:\n        password:\n          type: string\n          format: password\n          minLength: ${random.between(8, 16)}\n          example: "correct horse battery staple"\n        access_token: { type: string, description: "The ${word(random)} token" }\n        client_secret: { $ref: "#/components/schemas/${capital(camel(random))}" }\n      operationId: ${camel(random)}Token${random.between(1, 9)}\n`,
  },
  {
    name: "styles in code",
    write: (random) =>
      `const ${capital(word(random))} = styled.div.withConfig({ displayName: "${capital(word(random))}", componentId: "sc-${random.text(`${LOWER}${DIGITS}`, 6)}-${random.between(0, 9)}" })\`color: ${hole("({ theme }) => theme.tokens.color500")}; background: ${hole("p => p.$secret ? tokens.red700 : tokens.neutral50")};\`\nexport const tokens = { colorPrimary500: "#${random.text(HEX, 6)}", shadowKey: "0 1px 2px rgba(0,0,0,.${random.between(10, 99)})", tokenSpacing4: "1rem" }\n.${word(random)}_${random.text(ALNUM, 5)}__${random.text(ALNUM, 5)}{--token-${word(random)}:var(--${word(random)}-${random.between(100, 900)})}\n`,
  },
  {
    name: "data addresses",
    write: (random) =>
      `<img src="data:image/svg+xml;base64,${base64(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${random.between(8, 64)} 24"><path d="M${random.between(1, 9)} 2L${random.between(10, 99)} 7v10l-10 5z" fill="#${random.text(HEX, 6)}"/></svg>`)}">\ncursor: url(data:image/gif;base64,${random.bytes(120).toString("base64")}), auto;\nfetch("data:application/wasm;base64,AGFzbQEAAAABEAAAAA${random.bytes(150).toString("base64")}")\n<audio src="data:audio/mpeg;base64,${random.bytes(300).toString("base64")}">\n`,
  },
  {
    name: "diff of a lock file",
    write: (random) =>
      `diff --git a/package-lock.json b/package-lock.json\nindex ${random.text(HEX, 7)}..${random.text(HEX, 7)} 100644\n@@ -${random.between(1, 9999)},7 +${random.between(1, 9999)},7 @@\n     "node_modules/${word(random)}-token": {\n-      "version": "${version(random)}",\n-      "integrity": "sha512-${hash(random, "sha512").toString("base64")}",\n+      "version": "${version(random)}",\n+      "resolved": "https://npm.example.net/${word(random)}-token/-/${word(random)}-token-${version(random)}.tgz",\n+      "integrity": "sha512-${hash(random, "sha512").toString("base64")}",\n-  resolution: {integrity: sha512-${hash(random, "sha512").toString("base64")}}\n+${word(random)}@${version(random)}: "${random.text(HEX, 64)}"\n--- a/${word(random)}.sum\n+github.com/${word(random)}/${word(random)}-key v${version(random)} h1:${random.bytes(32).toString("base64")}\n`,
  },
  {
    name: "certificates as they are shown",
    write: (random) =>
      `Certificate:\n    Data:\n        Serial Number:\n            ${Array.from({ length: 16 }, () => random.text(HEX, 2)).join(":")}\n        Subject Public Key Info:\n            Public Key Algorithm: rsaEncryption\n                Modulus:\n${lines(4, () => `                    ${Array.from({ length: 15 }, () => random.text(HEX, 2)).join(":")}:`)}\n        X509v3 Subject Key Identifier:\n            ${Array.from({ length: 20 }, () => random.text(HEX, 2).toUpperCase()).join(":")}\n        X509v3 Authority Key Identifier: keyid:${Array.from({ length: 20 }, () => random.text(HEX, 2).toUpperCase()).join(":")}\nsha256 Fingerprint=${Array.from({ length: 32 }, () => random.text(HEX, 2).toUpperCase()).join(":")}\npin-sha256="${random.bytes(32).toString("base64")}"\n-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA${random.bytes(32).toString("base64")}\n-----END PUBLIC KEY-----\n-----BEGIN CERTIFICATE REQUEST-----\n${lines(3, () => random.bytes(48).toString("base64"))}\n-----END CERTIFICATE REQUEST-----\n`,
  },
  {
    name: "documented stand-ins",
    write: (random) =>
      random.pick([
        `aws_access_key_id = ${"AKI"}AIOSFODNN7EXAMPLE\naws_secret_access_key = ${"wJalrXUtnFEMI"}/K7MDENG/bPxRfiCYEXAMPLEKEY`,
        `expect(mask("${"AKI"}AI44QH8DHBEXAMPLE")).toBe("AKIA****")`,
        "token: ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "xoxb-XXXXXXXXXXXX-XXXXXXXXXXXX-XXXXXXXXXXXXXXXXXXXXXXXX",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        'const password = "hunter2"',
        "password: <REDACTED>",
        "api_key=***REDACTED***",
        'Authorization: "Bearer ***"',
        "glpat-xxxxxxxxxxxxxxxxxxxx",
        "sk-ant-api03-xxxxxxxxxxxxxxxxxxxx",
        "npm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      ]),
  },
  {
    name: "logs of access",
    write: (random) =>
      `Nov 30 10:0${random.between(0, 9)}:00 ${word(random)} sshd[${random.between(100, 99999)}]: Accepted publickey for dev from 10.0.0.${random.between(1, 254)} port ${random.between(1024, 65535)} ssh2: ED25519 SHA256:${random.text(ALNUM, 43)}\nNov 30 10:00:00 ${word(random)} sshd[1]: Failed password for invalid user ${word(random)} from 10.0.0.1 port 22 ssh2\nWARN token expired at 2026-11-30T10:00:00Z (iat=${random.text(DIGITS, 10)}, exp=${random.text(DIGITS, 10)}), kid=${random.text(HEX, 8)}\nINFO password changed for user ${random.between(1, 99999)}; session ${random.uuid()} revoked\nAuthenticationError: password authentication failed for user "${word(random)}"\nTOKEN_INVALID: the token could not be parsed\n{"level":"info","msg":"token refreshed","token_type":"Bearer","expires_in":${random.between(100, 99999)},"scope":"read:user repo"}\n`,
  },
]

/** What people say about passwords and keys. */
const SAID: ReadonlyArray<string> = [
  "The password is wrong, and so is the second one. Could you reset it?",
  "password: the one we agreed on yesterday",
  "My password isn't working since Tuesday 14:30, token expired I guess?",
  "What is the difference between a token and a secret? Key: a token expires.",
  "Never put your api key: it belongs into the environment.",
  "secret = something that nobody else knows; password = something you remember",
  "Is the password case-sensitive? It has to be 8-20 characters with at least 1 digit.",
  "the api_key is read from OPENAI_API_KEY, the token from ~/.config/tool/token.json",
  "Passwort: siehe Zettel am Monitor. Das Kennwort ist falsch, bitte zurücksetzen.",
  "Le mot de passe est incorrect : veuillez réessayer dans 15 minutes.",
  "La contraseña es incorrecta. Contraseña: mínimo 12 caracteres, token: opcional",
  "Parola d'ordine: sconosciuta. La password è scaduta il 30/11/2026.",
  "Пароль: неверный. Введите пароль ещё раз, токен: просрочен",
  "パスワード: 間違っています。token: 期限切れです。password: パスワードを入力してください",
  "密码：错误。请重新输入密码，token：已过期。password: 请输入密码",
  "비밀번호: 잘못되었습니다. password: 비밀번호를 입력하세요",
  "كلمة المرور: غير صحيحة. token: منتهي الصلاحية",
  "סיסמה: שגויה. password: הזן סיסמה",
  "Hasło: nieprawidłowe. password: wprowadźHasłoPonownie",
  "Şifre: yanlış. password: lütfenŞifreniziGirin",
  "पासवर्ड: ग़लत है. password: पासवर्डदर्जकरें",
  "รหัสผ่าน: ไม่ถูกต้อง password: กรุณากรอกรหัสผ่าน",
  "Mật khẩu: không đúng. password: vuilòngnhậplạimậtkhẩu",
  "Κωδικός: λάθος. token: έληξε. password: εισαγάγετεκωδικό",
]

const TRANSLATED: ReadonlyArray<string> = [
  "Haben Sie Ihr Kennwort vergessen? In 24 Stunden läuft der Link ab.",
  "Zurücksetzen",
  "Passwortbestätigung",
  "Mot de passe oublié",
  "Confirmez le mot de passe",
  "¿Olvidaste tu contraseña?",
  "Restablecercontraseña",
  "Забыли пароль?",
  "Восстановитьпароль",
  "パスワードをお忘れですか？",
  "パスワードを再入力してください",
  "忘记密码了吗请点击这里",
  "비밀번호를잊으셨나요",
  "نسيت كلمة المرور؟",
  "Hasłomusimiećconajmniej8znaków",
  "Unohtuikosalasana",
  "Salasananvahvistus",
  "Lösenordsåterställning",
  "Wachtwoordvergeten",
  "Parolanızımıunuttunuz",
]

const LANGUAGES: ReadonlyArray<Negative> = [
  { name: "talk about passwords", write: (random) => `${random.pick(SAID)} ${capital(words(random, 4))}.` },
  {
    name: "messages in many languages",
    write: (random) =>
      `  "${random.pick(["password", "secret", "token", "apiKey", "passphrase", "auth.password"])}${random.pick(["", ".label", "Label", "_confirm", ".hint"])}": ${JSON.stringify(random.pick(TRANSLATED))},`,
  },
  {
    name: "messages of gettext",
    write: (random) =>
      `#: src/${word(random)}.c:${random.between(1, 999)}\nmsgid "Password:"\nmsgstr "${random.pick(TRANSLATED)}"\n\npassword=${random.pick(TRANSLATED).split(" ")[0]}\n`,
  },
]

const LANGUAGES_OF_CODE: ReadonlyArray<Negative> = [
  {
    name: "code of servers",
    write: (random) =>
      random.pick([
        `password, err := os.ReadFile("/run/secrets/${word(random)}")`,
        `token := r.Header.Get("Authorization")[len("Bearer "):]`,
        `String password = System.getenv("DB_PASSWORD");`,
        `private static final String TOKEN_HEADER = "X-Auth-Token";`,
        `@Value("${hole(`${word(random)}.datasource.password`)}") private String password;`,
        `let token = env::var("${word(random).toUpperCase()}_TOKEN").expect("token is set");`,
        `$password = password_hash($_POST['password'], PASSWORD_DEFAULT);`,
        `password = Rails.application.credentials.dig(:${word(random)}, :password)`,
        `var secret = builder.Configuration["${capital(word(random))}:ClientSecret"];`,
        `services.AddAuthentication(JwtBearerDefaults.AuthenticationScheme).AddJwtBearer(o => o.TokenValidationParameters = p2);`,
        `val apiKey: String by lazy { BuildConfig.${word(random).toUpperCase()}_API_KEY }`,
        `SECRET_KEY = config("SECRET_KEY", default="django-insecure-change-me")`,
        `if subtle.ConstantTimeCompare([]byte(token), []byte(expected)) != 1 {`,
        `const { password: _password, token2, ...rest } = user`,
        `mock.onPost("/login").reply(200, { token: mockToken1, refreshToken: mockRefreshToken2 })`,
        `this.tokens[0].kind === SyntaxKind.OpenBraceToken ? parsePrimary2(this.tokens[1]) : undefined`,
        `expect(screen.getByLabelText("Password")).toHaveAttribute("type", "password")`,
        `ENV NODE_AUTH_TOKEN=$NODE_AUTH_TOKEN PASSWORD_FILE=/run/secrets/pw`,
        `curl -u "$USER:$(pass show ${word(random)}/${word(random)})" https://${host(random)}/`,
        `mysql -u root -p"$MYSQL_ROOT_PASSWORD" ${word(random)} < dump.sql`,
        `export GITHUB_TOKEN=$(gh auth token) && gh api /repos/${word(random)}/${word(random)}`,
        `docker login -u ${word(random)} --password-stdin ghcr.io < ~/.ghcr-token`,
        `token=$(curl -sf https://${host(random)}/token | jq -r .access_token)`,
      ]),
  },
]

export const NEGATIVE_FILES: ReadonlyArray<Negative> = [
  ...CLUSTERS,
  ...INFRASTRUCTURE,
  ...DATA,
  ...LANGUAGES,
  ...LANGUAGES_OF_CODE,
]
