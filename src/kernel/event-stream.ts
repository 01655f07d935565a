/** The connection of one reader. Text is in the event stream format (HTML standard, section 9.2). */
export type Writer = {
  /** Writes text. False, with nothing written, if the reader is gone or too far behind. */
  write(text: string): boolean;
  /** Writes the last text and ends the stream. The reader still receives everything written before. */
  end(last: string): void;
  /** Closes the connection at once. */
  cut(): void;
};

/**
 * The event stream of one reader. The edge calls `start` once, `drained` whenever all written text has been sent, and
 * `stop` once when the reader is gone or the stream has ended.
 */
export type EventStream = { start(writer: Writer): void; drained(): void; stop(): void };
