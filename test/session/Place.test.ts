import { assert, describe, it } from "vitest"
import { holderOf, storeDirectory } from "../../src/session/Place.ts"

describe("whose directory a file lies in", () => {
  const cases: ReadonlyArray<readonly [path: string, environment: Record<string, string>, holder: string]> = [
    ["/home/me/.pi/agent/sessions/x.jsonl", {}, "pi"],
    ["/home/me/.gjc/agent/sessions/v2-a/x.jsonl", {}, "gjc"],
    ["/home/me/.omp/agent/x.jsonl", {}, "oh-my-pi"],
    ["/home/me/.annals/sessions/x.jsonl", {}, "annals"],
    ["/home/me/project/.garuda/sessions/x.jsonl", {}, "garuda"],
    ["/home/me/project/x.jsonl", {}, "nobody"],
    ["/home/me/project/.pi", {}, "nobody"],
    ["/srv/agent/x.jsonl", { PI_CODING_AGENT_DIR: "/srv/agent" }, "pi"],
    ["/srv/agents/x.jsonl", { PI_CODING_AGENT_DIR: "/srv/agent" }, "nobody"],
    ["/srv/agent/x.jsonl", { PI_CODING_AGENT_DIR: "/srv/agent/" }, "pi"],
    ["/srv/x.jsonl", { PI_CODING_AGENT_DIR: "/" }, "nobody"],
    ["/data/annals/sessions/x.jsonl", { ANNALS_HOME: "/data/annals" }, "annals"],
    ["/home/me/.pi/kept/.annals/x.jsonl", {}, "annals"],
    ["C:\\Users\\me\\.pi\\agent\\x.jsonl", {}, "pi"],
  ]
  for (const [path, environment, holder] of cases) {
    it(`${path} ${JSON.stringify(environment)}: ${holder}`, () => assert.equal(holderOf(path, environment), holder))
  }

  it("keeps our own sessions where the user says, else in the home directory", () => {
    assert.equal(storeDirectory("/home/me", {}), "/home/me/.annals/sessions")
    assert.equal(storeDirectory("/home/me", { ANNALS_HOME: "/data/annals/" }), "/data/annals/sessions")
    assert.equal(storeDirectory("/home/me", { ANNALS_HOME: "" }), "/home/me/.annals/sessions")
  })
})
