/**
 * Other processes on the same store file.
 * @module
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What a child does with the store of the folder it is given; see store.child.ts. */
export type ChildTask = 'hold' | 'approve' | 'approve_until_killed';

export type Child = {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line the child prints; null once it has ended. */
  nextLine(): Promise<string | null>;
  /** Ends the child's input, which ends the child, and gives the lines it still prints. */
  finish(): Promise<readonly string[]>;
};

/** Starts a child; the first line it prints is `ready`. */
export async function startChild(task: ChildTask, folder: string, name: string): Promise<Child> {
  const script = fileURLToPath(new URL('./store.child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, task, folder, name], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Interface = createInterface({ input: child.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  async function nextLine(): Promise<string | null> {
    const { value, done } = await iterator.next();
    return done === true ? null : value;
  }
  const ready = await nextLine();
  if (ready !== 'ready') throw new Error(`The child did not get ready: ${ready}`);
  return {
    process: child,
    nextLine,
    async finish() {
      child.stdin.end();
      const rest: string[] = [];
      for (let line = await nextLine(); line !== null; line = await nextLine()) rest.push(line);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return rest;
    },
  };
}
