/** Where people read what waits for them, or goes wrong. */

export interface NotificationChannel {
  /**
   * Posts a text of one or more lines.
   * @throws PortError, retryable where the same may succeed later. Its message never has the channel's address, which is a secret.
   */
  post(text: string, signal: AbortSignal): Promise<void>;
}
