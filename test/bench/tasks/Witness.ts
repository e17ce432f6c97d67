/** Loaded before a program that is measured from outside: says at its end how much memory it had at the most. */
import { writeSync } from "node:fs"
import process from "node:process"
import { peakMemory } from "../Task.ts"

process.on("exit", () => void writeSync(2, `\npeak ${peakMemory()}\n`))
