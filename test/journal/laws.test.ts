import { describe, it } from "vitest"
import { laws } from "../../laws/journal.ts"

describe("laws of the journal", () => {
  for (const law of laws) it(`${law.id}: ${law.sentence}`, () => law.check({ runs: law.runs }))
})
