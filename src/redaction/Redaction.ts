/** The redactor as a service: one set of known values for everything a host writes. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { makeRedactor, type Redactor, type RedactorOptions } from "./Redactor.ts"

export class Redaction extends Context.Service<Redaction, Redactor>()("annals/redaction/Redaction") {
  /** The environment is handed in: nothing here reads the process. */
  static readonly layer = (options: RedactorOptions): Layer.Layer<Redaction> => Layer.sync(Redaction, () => makeRedactor(options))
}
