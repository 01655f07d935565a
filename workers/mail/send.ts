import type { Task } from '../../src/intents/task.ts';
import { type SendDeps, sendMail } from '../../src/mail/send.ts';

const send: Task<{ mail_id: string }, SendDeps> = ({ mail_id }, deps) => sendMail(mail_id, deps);

export default send;
