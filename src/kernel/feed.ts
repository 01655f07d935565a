/** Where a feed is told: one reader's connection, in the event stream format (HTML standard, section 9.2). */
export type Outlet = {
  /** Takes text. False where the reader is gone or too far behind: then nothing was taken. */
  tell(text: string): boolean;
  /** Says the last thing and ends. What the reader has not read yet it still may. */
  end(last: string): void;
  /** Cuts the reader off. */
  cut(): void;
};

/**
 * Events for one reader. The edge calls `start` once, `drained` whenever all that was told has gone out, and `stop` once when the
 * reader has gone or the feed has ended.
 */
export type Feed = { start(outlet: Outlet): void; drained(): void; stop(): void };
