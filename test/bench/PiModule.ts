/** What the tasks use of pi's session manager. */
interface PiSession {
  readonly buildSessionContext: () => { readonly messages: ReadonlyArray<unknown> }
  readonly appendMessage: (message: unknown) => string
}

export interface PiModule {
  readonly SessionManager: { readonly open: (path: string) => PiSession }
}
