/**
 * The tamper figure: every way to tamper at every event of a long ledger, judged by both verifiers.
 * @module
 */
import { deepStrictEqual } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type Tampered, type TamperGround, type TamperKind, tamperings } from '../support/tamper.ts';
import { liveThrough, signingKey, type WitnessedWorld, witnessedWorld } from '../support/witnessed-ledgers.ts';
import { mjsVerifier, pythonVerifier, type Verdict } from './both-verifiers.ts';

/** How many events the tampered ledger has. */
export const EVENTS = 200;
/** The last events that no checkpoint covers yet. */
export const TAIL = 3;

/** What came of a run. */
export type TamperFigure = {
  /** Bundles judged by each verifier. */
  readonly bundles: { readonly mjs: number; readonly python: number };
  /** By kind, as the first verifier counted. */
  readonly kinds: Readonly<Partial<Record<TamperKind, number>>>;
  /** What was not found, or not where it is. */
  readonly missed: readonly string[];
  /** Bundles on which the two verifiers said different things. */
  readonly disagreements: readonly string[];
};

/** A ledger of {@link EVENTS} events, witnessed at most positions, and another person's. */
export async function tamperGround(): Promise<TamperGround & { readonly world: WitnessedWorld }> {
  const world = witnessedWorld();
  const witnessed: number[] = [];
  const ref = await liveThrough(world, 'Person A', EVENTS, async (position) => {
    // Some events come within one minute: then only the last of them is in the log.
    if (position % 7 === 3 || position > EVENTS - TAIL) return;
    const run = await world.checkpoint();
    if (run.outcome !== 'signed') throw new Error(`No checkpoint: ${run.outcome}`);
    witnessed.push(position);
  });
  const only = async function* () {
    yield ref;
  };
  const clean = await world.bundle({ ledgers: only(), scope: 'selected', content: true });
  const elsewhere = witnessedWorld();
  await liveThrough(elsewhere, 'Person B', EVENTS, async () => {});
  await elsewhere.checkpoint();
  return { world, clean, other: await elsewhere.bundle(), witnessed, foreignKey: signingKey('foreign') };
}

/** Why a verdict is not the right one, or null. */
function faultOf(tampered: Tampered, { exit, report }: Verdict, ledgerId: string): string | null {
  const [first] = report.problems;
  if (tampered.firstBad === null) {
    // Nothing is witnessed there yet, and the report must say how much that is.
    return exit === 0 && report.notYetWitnessed.events === TAIL ? null : `exit ${exit}, ${JSON.stringify(first)}`;
  }
  const about = tampered.about === 'ledger' ? ledgerId : null;
  const right =
    exit === 1 && !report.ok && first?.position === tampered.firstBad && report.problems[0]?.ledgerId === about;
  return right ? null : `exit ${exit}, ${JSON.stringify(first)}, expected ${tampered.firstBad}`;
}

/**
 * Runs the figure.
 * @param mjsStep every how many events for the JavaScript verifier; 1 is all.
 * @param pythonStep the same for the Python verifier; a multiple of `mjsStep`.
 */
export async function judgeTampered(mjsStep: number, pythonStep: number): Promise<TamperFigure> {
  const ground = await tamperGround();
  const manifest = JSON.parse(ground.clean.get('manifest.json')?.toString() ?? '') as {
    ledgers: [{ ledgerId: string }];
  };
  const [{ ledgerId }] = manifest.ledgers;
  const mjs = await mjsVerifier();
  const python = pythonVerifier(ground.clean);
  const bundles = { mjs: 0, python: 0 };
  const kinds: Partial<Record<TamperKind, number>> = {};
  const missed: string[] = [];
  const disagreements: string[] = [];
  const pending: Promise<void>[] = [];
  try {
    for (const tampered of tamperings(ground, mjsStep)) {
      const name = `${tampered.kind} at ${tampered.position}`;
      const verdict = await mjs.judge(tampered.files);
      bundles.mjs += 1;
      kinds[tampered.kind] = (kinds[tampered.kind] ?? 0) + 1;
      const fault = faultOf(tampered, verdict, ledgerId);
      if (fault !== null) missed.push(`${mjs.name}: ${name}: ${fault}`);
      if ((tampered.position - 1) % pythonStep !== 0) continue;
      bundles.python += 1;
      // Judged beside the others in its own process.
      const second = python.judge(tampered.files).then((judged) => {
        const other = faultOf(tampered, judged, ledgerId);
        if (other !== null) missed.push(`${python.name}: ${name}: ${other}`);
        if (!isSame(verdict, judged)) disagreements.push(`${name}: ${JSON.stringify([verdict, judged])}`);
      });
      pending.push(second);
      await setImmediate();
    }
    await Promise.all(pending);
  } finally {
    await python.end();
  }
  return { bundles, kinds, missed, disagreements };
}

function isSame(one: Verdict, other: Verdict): boolean {
  try {
    deepStrictEqual(one, other);
    return true;
  } catch {
    return false;
  }
}
