/** A line of a file with a change to the record on it. */
import { apply, type Edit } from "../model/Edit.ts"
import { applyToText } from "../model/EditText.ts"
import type { JsonObject } from "../model/Json.ts"
import { parseJson } from "../model/JsonParse.ts"

/** The line with an edit made to it; serialised anew when a repeated key makes it impossible to say which bytes are meant. */
export const edited = (line: string, change: Edit): string =>
  applyToText(line, change) ?? JSON.stringify(apply(parseJson(line) as JsonObject, change))
