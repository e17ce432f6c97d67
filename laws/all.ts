/** Every law there is, by the file it stands in. A family that is not named here is not run. */
import * as blob from "./blob.ts"
import * as branchOut from "./branchOut.ts"
import * as context from "./context.ts"
import * as copy from "./copy.ts"
import * as crashes from "./crashes.ts"
import * as deferral from "./deferral.ts"
import * as disk from "./disk.ts"
import * as edit from "./edit.ts"
import * as follow from "./follow.ts"
import * as indifference from "./indifference.ts"
import * as integrity from "./integrity.ts"
import * as journal from "./journal.ts"
import type { Law } from "./Law.ts"
import * as lanes from "./lanes.ts"
import * as lease from "./lease.ts"
import * as ledger from "./ledger.ts"
import * as ledgerDisk from "./ledgerDisk.ts"
import * as ledgerResume from "./ledgerResume.ts"
import * as ledgerStore from "./ledgerStore.ts"
import * as ledgerTools from "./ledgerTools.ts"
import * as leftInFile from "./leftInFile.ts"
import * as longText from "./longText.ts"
import * as outline from "./outline.ts"
import * as process from "./process.ts"
import * as provider from "./provider.ts"
import * as queue from "./queue.ts"
import * as redaction from "./redaction.ts"
import * as repair from "./repair.ts"
import * as runs from "./runs.ts"
import * as scan from "./scan.ts"
import * as scrub from "./scrub.ts"
import * as sealed from "./sealed.ts"
import * as session from "./session.ts"
import * as sizes from "./sizes.ts"
import * as storage from "./storage.ts"
import * as store from "./store.ts"
import * as stored from "./stored.ts"
import * as streaming from "./streaming.ts"
import * as tree from "./tree.ts"
import * as writer from "./writer.ts"

export interface Family {
  /** From the root of the project. */
  readonly file: string
  readonly laws: ReadonlyArray<Law>
}

export const families: ReadonlyArray<Family> = [
  { file: "laws/blob.ts", laws: blob.laws },
  { file: "laws/branchOut.ts", laws: branchOut.laws },
  { file: "laws/context.ts", laws: context.laws },
  { file: "laws/copy.ts", laws: copy.laws },
  { file: "laws/crashes.ts", laws: crashes.laws },
  { file: "laws/deferral.ts", laws: deferral.laws },
  { file: "laws/disk.ts", laws: disk.laws },
  { file: "laws/edit.ts", laws: edit.laws },
  { file: "laws/follow.ts", laws: follow.laws },
  { file: "laws/indifference.ts", laws: indifference.laws },
  { file: "laws/integrity.ts", laws: integrity.laws },
  { file: "laws/journal.ts", laws: journal.laws },
  { file: "laws/lanes.ts", laws: lanes.laws },
  { file: "laws/lease.ts", laws: lease.laws },
  { file: "laws/ledger.ts", laws: ledger.laws },
  { file: "laws/ledgerDisk.ts", laws: ledgerDisk.laws },
  { file: "laws/ledgerResume.ts", laws: ledgerResume.laws },
  { file: "laws/ledgerStore.ts", laws: ledgerStore.laws },
  { file: "laws/ledgerTools.ts", laws: ledgerTools.laws },
  { file: "laws/leftInFile.ts", laws: leftInFile.laws },
  { file: "laws/outline.ts", laws: outline.laws },
  { file: "laws/scan.ts", laws: scan.laws },
  { file: "laws/runs.ts", laws: runs.laws },
  { file: "laws/longText.ts", laws: longText.laws },
  { file: "laws/process.ts", laws: process.laws },
  { file: "laws/provider.ts", laws: provider.laws },
  { file: "laws/queue.ts", laws: queue.laws },
  { file: "laws/redaction.ts", laws: redaction.laws },
  { file: "laws/repair.ts", laws: repair.laws },
  { file: "laws/scrub.ts", laws: scrub.laws },
  { file: "laws/sealed.ts", laws: sealed.laws },
  { file: "laws/session.ts", laws: session.laws },
  { file: "laws/sizes.ts", laws: sizes.laws },
  { file: "laws/storage.ts", laws: storage.laws },
  { file: "laws/store.ts", laws: store.laws },
  { file: "laws/stored.ts", laws: stored.laws },
  { file: "laws/streaming.ts", laws: streaming.laws },
  { file: "laws/tree.ts", laws: tree.laws },
  { file: "laws/writer.ts", laws: writer.laws },
]
