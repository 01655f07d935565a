/** A response body that is written while it is made. Its reader gets all of it, or a connection that breaks. */
export type TextStream = {
  /** The content type. */
  type: string;
  /** The name under which a browser saves it. */
  name: string;
  /** Begun, so that its `finally` runs wherever it ends. Its reader ends it. */
  texts: AsyncGenerator<string>;
};

/** Whether a response body is a text stream. */
export const isTextStream = (body: unknown): body is TextStream =>
  body !== null && typeof body === 'object' && 'texts' in body;
