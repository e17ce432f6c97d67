import { configureGlobal } from "fast-check"
import { FIXED_SEED } from "../laws/Law.ts"

// What is right of a commit must not depend on when it was tried. Cases by chance are tried by `npm run laws`.
configureGlobal({ seed: FIXED_SEED })
