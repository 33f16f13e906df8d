/**
 * The router that asks a Gemini model: one question, one answer, at most one retry, and a budget of its own.
 * @module
 */
import { FunctionCallingConfigMode, type GenerateContentParameters, ThinkingLevel } from '@google/genai';
import type { AttemptOutcome, ModelAttempt } from '../../commands/model-attempt.ts';
import type { Routed, Router, RouterFacts, ToolName, Unanswered } from '../../commands/tools.ts';
import type { ClientFactory, Generated, ModelRoute } from './client.ts';
import { ALL_TOOLS, functionDeclarations } from './declarations.ts';
import { type Reading, readResponse } from './response-reading.ts';
import { type KnownWords, saysOnlyWhatWasSaid } from './said-words.ts';
import { systemText } from './system-text.ts';
import { usageOf } from './usage.ts';

/** From the first request to the answer of the router, milliseconds, retry and pause included. */
export const BUDGET_MS = 8_000;
/** A retry that begins later than this has too little time left to be worth its price. */
const RETRY_UNTIL_MS = 5_000;
const RETRY_PAUSE_MIN_MS = 200;
const RETRY_PAUSE_SPREAD_MS = 400;
/** As long as a message of the channel can be, UTF-16 code units. */
const MESSAGE_LENGTH_MAX = 5_000;
/** A call takes under a hundred tokens; thinking counts too, so the bound leaves room for it. */
const OUTPUT_TOKENS_MAX = 2_048;

export type GeminiRouterOptions = {
  readonly route: ModelRoute;
  readonly createClient: ClientFactory;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Runs `run` after so many milliseconds unless the returned function is called before. */
  readonly timer: (milliseconds: number, run: () => void) => () => void;
  /** From 0 to below 1, for the pause before a retry. */
  readonly random: () => number;
  readonly dietOf: KnownWords['dietOf'];
  /** Which parts of a message ask for what LOCAL does not have; read from the person's words, not from the model. */
  readonly unansweredIn: (message: string) => readonly Unanswered[];
  /** What the model is there for, and the only tools it is offered; absent: a person's own words, and all of them. */
  readonly task?: { readonly tools: readonly ToolName[]; readonly systemText: (facts: RouterFacts) => string };
  /** Counts how attempts end: `model_<outcome>_<why>`, without any content. */
  readonly count: (name: string) => void;
};

/**
 * Builds the router. A route never throws and never takes longer than the budget; what comes later is dropped and its socket
 * let go. Without a key no router can be built.
 * @throws what the client factory throws, and when the declarations cannot be generated.
 */
export function createGeminiRouter(options: GeminiRouterOptions): Router {
  const { route: modelRoute, clock, timer, random, count } = options;
  const client = options.createClient(modelRoute);
  const task = options.task ?? { tools: ALL_TOOLS, systemText };
  const declarations = functionDeclarations(task.tools);

  async function attempt(
    asked: GenerateContentParameters,
    sent: ModelAttempt['request'],
    retry: 0 | 1,
    budget: Budget,
    record: (attempt: ModelAttempt) => void,
  ): Promise<Ended> {
    const requestedAt = clock();
    const generated = await Promise.race([client.generate(asked, budget.signal), budget.over]);
    const ended = endedOf(generated);
    count(`model_${ended.outcome}_${ended.why}`);
    const response = generated !== 'over' && generated.kind === 'response' ? generated.response : null;
    const { backend, model } = modelRoute;
    record({
      ...usageOf(response),
      retry,
      requestedAt,
      respondedAt: clock(),
      backend,
      model,
      modelVersion: modelVersionOf(response),
      request: sent,
      outcome: ended.outcome,
      httpStatus: ended.httpStatus,
      why: ended.why,
      proposed: ended.reading?.proposed ?? [],
    });
    return ended;
  }

  return {
    name: 'gemini',
    async route(text, facts, record = () => {}, mayAskAgain = () => Promise.resolve(true)) {
      if (text.length > MESSAGE_LENGTH_MAX) return { outcome: 'clarify', question: 'one_thing_at_a_time' };
      const sent = { systemText: task.systemText(facts), message: text.toWellFormed() };
      const asked = requestOf(modelRoute.model, sent, declarations);
      const budget = startBudget(timer);
      try {
        const startedAt = clock();
        let ended = await attempt(asked, sent, 0, budget, record);
        if (ended.worthRetrying && clock() - startedAt <= RETRY_UNTIL_MS) {
          const paused = await budget.pause(RETRY_PAUSE_MIN_MS + random() * RETRY_PAUSE_SPREAD_MS);
          if (paused === 'over') return { outcome: 'unavailable' };
          // Each request costs, so each is taken from what the person has left.
          const allowed = await Promise.race([mayAskAgain().catch(() => false), budget.over]);
          if (allowed !== true) return { outcome: 'unavailable' };
          ended = await attempt(asked, sent, 1, budget, record);
        }
        return settled(ended, text, facts, options, count);
      } finally {
        budget.stop();
      }
    },
  };
}

/** What is sent: the rules, the message, the five functions. No sampling settings: the model's own are the supported ones. */
function requestOf(
  model: string,
  sent: ModelAttempt['request'],
  declarations: ReturnType<typeof functionDeclarations>,
): GenerateContentParameters {
  return {
    model,
    contents: [{ role: 'user', parts: [{ text: sent.message }] }],
    config: {
      systemInstruction: sent.systemText,
      tools: [{ functionDeclarations: declarations.map((declaration) => ({ ...declaration })) }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
      thinkingConfig: { thinkingLevel: ThinkingLevel.LOW },
      maxOutputTokens: OUTPUT_TOKENS_MAX,
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  };
}

type Ended = {
  readonly outcome: AttemptOutcome;
  readonly why: string;
  readonly httpStatus: number | null;
  /** Null: there was no answer to read. */
  readonly reading: Reading | null;
  readonly worthRetrying: boolean;
};

function endedOf(generated: Generated | 'over'): Ended {
  const without = (outcome: AttemptOutcome, why: string, worthRetrying: boolean, httpStatus: number | null = null) => ({
    outcome,
    why,
    httpStatus,
    reading: null,
    worthRetrying,
  });
  if (generated === 'over') return without('timed_out', 'budget', false);
  switch (generated.kind) {
    case 'response': {
      const reading = readResponse(generated.response);
      return { outcome: reading.routed.outcome, why: reading.why, httpStatus: null, reading, worthRetrying: false };
    }
    case 'refused': {
      const { httpStatus } = generated;
      const passing = httpStatus === 429 || httpStatus === 408 || httpStatus >= 500;
      return without('refused', passing ? 'passing' : 'lasting', passing, httpStatus);
    }
    case 'network':
      return without('network', 'connection', true);
    case 'unreadable':
      return without('invalid', 'unreadable', false);
  }
}

/** The outcome for the person's message: calls that say what was not said become a question, and no half is lost. */
function settled(
  { reading, outcome }: Ended,
  text: string,
  { areas }: RouterFacts,
  { dietOf, unansweredIn }: GeminiRouterOptions,
  count: (name: string) => void,
): Routed {
  if (reading === null) return { outcome: outcome === 'invalid' ? 'invalid' : 'unavailable' };
  const { routed } = reading;
  if (routed.outcome === 'unsupported') return { outcome: 'unsupported', unanswered: unansweredIn(text) };
  if (routed.outcome !== 'call') return routed;
  if (!routed.calls.every((call) => saysOnlyWhatWasSaid(call, text, { areas, dietOf }))) {
    count('model_call_not_said');
    return { outcome: 'clarify', question: 'what_to_do' };
  }
  const unanswered = unansweredIn(text);
  // Beside a search, "out of scope" is told by naming the parts; if none can be named, the two calls lead to a question.
  const calls = unanswered.length === 0 ? routed.calls : routed.calls.filter((call) => call.tool !== 'show_local_help');
  return { outcome: 'call', calls: calls.length === 0 ? routed.calls : calls, unanswered };
}

function modelVersionOf(response: unknown): string | null {
  if (typeof response !== 'object' || response === null || !('modelVersion' in response)) return null;
  return typeof response.modelVersion === 'string' ? response.modelVersion.slice(0, 100) : null;
}

type Budget = {
  readonly signal: AbortSignal;
  /** Resolves when the time is used up. */
  readonly over: Promise<'over'>;
  readonly pause: (milliseconds: number) => Promise<'paused' | 'over'>;
  readonly stop: () => void;
};

function startBudget(timer: GeminiRouterOptions['timer']): Budget {
  const abort = new AbortController();
  const { promise: over, resolve } = Promise.withResolvers<'over'>();
  const cancel = timer(BUDGET_MS, () => {
    resolve('over');
    abort.abort();
  });
  return {
    signal: abort.signal,
    over,
    async pause(milliseconds) {
      const paused = Promise.withResolvers<'paused'>();
      const wake = timer(milliseconds, () => paused.resolve('paused'));
      const ended = await Promise.race([paused.promise, over]);
      wake();
      return ended;
    },
    stop: cancel,
  };
}
