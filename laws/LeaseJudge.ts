import * as Result from "effect/Result"
import type { LeaseError, LeaseReason } from "../src/lease/LeaseError.ts"
import type { Inspection, LeaseHeld } from "../src/lease/Taking.ts"
import type { Coverage } from "./Law.ts"
import type { LeaseProcess, LeaseWorld, ProcessKind } from "./LeaseWorld.ts"

/** Plays a history of processes that ask for one lease, and says when law LSE-1 is broken. */

type Ask = "acquire" | "force" | "take" | "release" | "offer" | "verify" | "inspect"

export type LeaseStep =
  | ({ readonly do: "start" } & Omit<ProcessKind, "born">)
  /** Begins an operation, or does all of it. */
  | { readonly do: "begin" | "ask"; readonly who: number; readonly what: Ask }
  /** Promises the lease to another one, and gives it back or is killed. */
  | { readonly do: "handOver"; readonly who: number; readonly to: number; readonly isKilled: boolean }
  | { readonly do: "go"; readonly who: number; readonly steps: number }
  | { readonly do: "kill"; readonly who: number; readonly as: "zombie" | "gone" }
  | { readonly do: "isolate" | "collect" | "stop" | "resume"; readonly who: number }
  | { readonly do: "pass"; readonly millis: number }
  | { readonly do: "tamper"; readonly how: "lock-removed" | "evidence-torn" }

interface Player {
  readonly process: LeaseProcess
  /** The operation under way. */
  under: Ask | undefined
  held: LeaseHeld | undefined
  /** What its last look has shown. */
  seen: Inspection | undefined
  /** Somebody has taken its lease by force. */
  isDisplaced: boolean
}

interface Reserved {
  readonly attempt: string
  readonly until: number
  readonly by: Player
}

const fail = (what: string): void => {
  throw new Error(what)
}

export class LeaseJudge {
  readonly #world: LeaseWorld
  readonly #coverage: Coverage
  readonly #players: Array<Player> = []
  #born = 0
  /** Who may write. */
  #holders: ReadonlyArray<Player> = []
  #reserved: Reserved | undefined
  #wasHad = false
  #tampered: "lock-removed" | "evidence-torn" | undefined

  constructor(world: LeaseWorld, coverage: Coverage) {
    this.#world = world
    this.#coverage = coverage
    for (const pid of [1, 2]) this.#start({ host: 0, space: 0, pid, seesItself: true, isHidden: false })
  }

  async play(step: LeaseStep): Promise<void> {
    if (step.do === "start") return this.#start(step)
    if (step.do === "pass") return this.#world.pass?.(step.millis)
    if (step.do === "tamper") return this.#tamper(step.how)
    const player = this.#players[step.who % Math.max(1, this.#players.length)]
    if (player === undefined) return
    switch (step.do) {
      case "handOver":
        return this.#handOver(player, this.#players[step.to % this.#players.length] ?? player, step.isKilled)
      case "begin":
        return this.#begin(player, step.what)
      case "ask":
        return this.#ask(player, step.what)
      case "go":
        for (let n = 0; n < step.steps; n++) player.process.go()
        return
      case "kill":
        return this.#kill(player, step.as)
      case "isolate":
        return this.#add(player.process.state === "ended" ? undefined : player.process.isolate?.())
      default:
        this.#coverage.hit(`${step.do} while holding`, this.#holders.includes(player))
        player.process[step.do]?.()
    }
  }

  /** Lets everybody come to an end, and looks whether the lease can be had again. */
  async end(): Promise<void> {
    for (const { process } of this.#players) process.resume?.()
    for (const { process } of this.#players) await process.finish()
    for (const each of this.#players) await this.#ask(each, "verify")
    for (const each of this.#players) await this.#ask(each, "release")
    if (this.#world.pass !== undefined) {
      this.#world.pass(1e9)
      this.#reserved = undefined
    }
    const last = this.#players.find(({ process }) => process.state === "running")
    if (last === undefined) return
    await this.#ask(last, "inspect")
    await this.#ask(last, "acquire")
    await this.#ask(last, "release")
  }

  #add(process: LeaseProcess | undefined): void {
    if (process !== undefined)
      this.#players.push({ process, under: undefined, held: undefined, seen: undefined, isDisplaced: false })
  }

  #start(kind: Omit<ProcessKind, "born">): void {
    this.#add(this.#world.start({ ...kind, born: ++this.#born }))
  }

  /** One kind in one history: with both nothing is left that could tell one writer of another. */
  #tamper(how: "lock-removed" | "evidence-torn"): void {
    if ((this.#tampered ?? how) === how && this.#world.tamper?.(how) === true) this.#tampered = how
  }

  #kill(player: Player, as: "zombie" | "gone"): void {
    if (player.process.kill === undefined || player.process.state === "ended") return
    player.process.kill(as)
    const ended = this.#players.filter((each) => each.process.state === "ended")
    for (const each of ended) this.#coverage.hit(`killed within ${each.under}`, each.under !== undefined)
    this.#coverage.hit("killed while holding", this.#holders.includes(player))
    for (const each of ended) each.under = undefined
    this.#holders = this.#holders.filter((each) => !ended.includes(each))
  }

  /** All of one operation. When nobody else is at anything, it is known what it must come to. */
  async #ask(player: Player, what: Ask): Promise<void> {
    const isAlone = this.#players.every(({ under }) => under === undefined)
    const isFree = isAlone && this.#isFreeFor(player)
    const before = this.#world.state?.()
    player.seen = undefined
    this.#begin(player, what)
    await player.process.finish()
    if (!isAlone || player.process.state !== "running") return
    if (what === "acquire" && isFree && player.held === undefined) fail("a lease that nobody has was refused")
    this.#coverage.hit("had after others were killed", isFree && this.#players.some(({ process }) => process.state === "ended"))
    if (player.seen === undefined) return
    if (before !== this.#world.state?.()) fail("looking at a lease has changed something")
    this.#judgeInspection(player.seen, isFree)
  }

  async #handOver(player: Player, next: Player, wantsDeath: boolean): Promise<void> {
    const isKilled = wantsDeath && player.process.kill !== undefined
    const isAlone = this.#players.every(({ under }) => under === undefined)
    await this.#ask(player, "offer")
    const isOffered = this.#holders.includes(player) && this.#reserved?.by === player
    if (isKilled) this.#kill(player, "gone")
    else await this.#ask(player, "release")
    const isKnown = this.#world.locksAlways || !isKilled || next.process.sees?.(player.process) === true
    const mustGet = isAlone && isOffered && isKnown && this.#tampered === undefined && next.process.state === "running"
    await this.#ask(next, "take")
    if (mustGet && !this.#holders.includes(next)) fail("a lease was not given to the one to whom it was promised")
    this.#coverage.hit("handed over at death", isKilled && this.#holders.includes(next))
  }

  /** Whether a player must get the lease: all others have given it back, or their end can be known. */
  #isFreeFor(player: Player): boolean {
    const { process } = player
    if (this.#holders.length > 0 || player.held !== undefined || process.state !== "running" || this.#isReserved()) return false
    // One that has lost its lease to force keeps its lock until it gives it back.
    if (this.#players.some((each) => each.isDisplaced && each.held !== undefined && each.process.state !== "ended")) return false
    if (this.#world.locksAlways) return this.#tampered !== "lock-removed"
    // A lock that works for some tells the others that there was somebody, until there is evidence of who it was.
    if (!this.#wasHad) return false
    const ended = this.#players.filter((each) => each.process.state === "ended")
    return this.#tampered === undefined && ended.every((each) => process.sees?.(each.process) === true)
  }

  #isReserved(): boolean {
    return this.#reserved !== undefined && this.#world.now < this.#reserved.until
  }

  #begin(player: Player, what: Ask): void {
    const { process, held } = player
    if (player.under !== undefined || process.state !== "running") return
    if (what === "inspect") this.#inspect(player)
    else if (what === "acquire" || what === "force" || what === "take") this.#acquire(player, what)
    else if (held !== undefined) this.#beginWith(player, held, what)
  }

  #beginWith(player: Player, held: LeaseHeld, what: "release" | "offer" | "verify"): void {
    const { process } = player
    player.under = what
    if (what === "release") {
      // From its first step on it does not write any more.
      this.#holders = this.#holders.filter((each) => each !== player)
      player.held = undefined
      this.#coverage.hit("a release by one that has lost it", player.isDisplaced)
      process.begin(held.release, () => {
        player.under = undefined
      })
    } else if (what === "offer") {
      process.begin(held.offer(), (result) => {
        player.under = undefined
        if (Result.isFailure(result)) this.#refused(player, result.failure.reason)
        else this.#reserved = { attempt: result.success.attempt, until: Date.parse(result.success.until), by: player }
      })
    } else {
      process.begin(held.verify, (result) => {
        player.under = undefined
        if (Result.isFailure(result)) this.#refused(player, result.failure.reason)
        else if (player.isDisplaced) fail("one whose lease was taken by force was told that it has it")
      })
    }
  }

  /** A holder is told that it has lost the lease. */
  #refused(player: Player, reason: LeaseReason): void {
    this.#coverage.hit(reason._tag === "Lost" ? `lost: ${reason.how}` : reason.code)
    if (!player.isDisplaced && this.#tampered === undefined)
      fail(`a holder was told that it has lost the lease: ${JSON.stringify(reason)}`)
  }

  #acquire(player: Player, what: "acquire" | "force" | "take"): void {
    // It has one, and asks for another: that must be refused as anybody's.
    const { process } = player
    const offer = what === "take" ? (this.#reserved?.attempt ?? "nobody's") : undefined
    player.under = what
    const options = { offer, ...(what === "force" ? { force: { reason: "it shall be mine" } } : {}) }
    const effect = process.lease.acquire(this.#world.path, options)
    process.begin(effect, (result) => {
      player.under = undefined
      if (Result.isSuccess(result)) this.#got(player, result.success, what)
      else this.#didNotGet(result.failure)
    })
  }

  #didNotGet({ reason }: LeaseError): void {
    this.#coverage.hit(reason._tag === "Held" ? `refused: ${reason.obstacle}` : reason.code)
  }

  #got(player: Player, held: LeaseHeld, what: "acquire" | "force" | "take"): void {
    for (const rival of this.#holders) {
      // Its own earlier lease is no rival: somebody was about to take it by force, and it has taken it back.
      if (rival === player && what === "force") continue
      const isUnseen = player.process.sees?.(rival.process) === false || this.#tampered === "evidence-torn"
      if (what !== "force" || !isUnseen) fail(`the lease was taken from a writer that is ${rival.process.state}, by ${what}`)
      rival.isDisplaced = true
      this.#coverage.hit("taken by force from one that lives unseen")
    }
    if (this.#isReserved() && this.#tampered === undefined) {
      if (what === "acquire" && !this.#reserved?.by.isDisplaced)
        fail("the lease was taken although it was promised to somebody else")
      this.#coverage.hit("an offer taken", what === "take")
      this.#coverage.hit("an offer set aside", what === "force")
    }
    this.#coverage.hit(`got by ${what}`)
    this.#reserved = undefined
    this.#wasHad = true
    player.held = held
    player.isDisplaced = false
    this.#holders = [player]
  }

  #inspect(player: Player): void {
    player.under = "inspect"
    player.process.begin(player.process.lease.inspect(this.#world.path), (result) => {
      player.under = undefined
      if (Result.isFailure(result)) fail(`looking at a lease failed: ${JSON.stringify(result.failure.reason)}`)
      else player.seen = result.success
    })
  }

  #judgeInspection({ decision }: Inspection, isFree: boolean): void {
    this.#coverage.hit(decision.may ? `seen: ${decision.ground}` : `seen: ${decision.obstacle}`)
    if (decision.may && this.#holders.length > 0) fail("a lease that is held was said to be free")
    if (!decision.may && isFree) fail(`a lease that is free was said to be held: ${decision.obstacle}`)
  }
}
