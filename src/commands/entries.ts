/**
 * What a person can ask for without a model: the fixed typed texts and the buttons.
 * @module
 */
import type { Location } from './catalog.ts';

export type Entry =
  | { readonly entry: 'menu' }
  | { readonly entry: 'inspect' }
  /** Why did you use that: answered from the ledger. */
  | { readonly entry: 'explain' }
  | { readonly entry: 'update' }
  /** What happened in the person's own ledger, with a link to their page. */
  | { readonly entry: 'my_records' }
  /** The receipt of the newest decision. */
  | { readonly entry: 'my_receipt' }
  /** A value chosen by button: leads to a card, stores nothing. */
  | { readonly entry: 'choose_value'; readonly value: string }
  | { readonly entry: 'forget'; readonly scope: 'purpose' | 'all' }
  | { readonly entry: 'approve'; readonly token: string }
  | { readonly entry: 'cancel'; readonly token: string }
  /** 好, 確認 …: approves nothing; shows what is open and what is in force. */
  | { readonly entry: 'bare_yes' }
  | { readonly entry: 'choose_area'; readonly page: number }
  | {
      readonly entry: 'places';
      readonly area: string;
      /** As said this turn; '' leaves it to consented memory. */
      readonly dietary_type: string;
      readonly keyword: string;
      readonly near: Location | null;
      readonly page: number;
    }
  | { readonly entry: 'events' }
  | { readonly entry: 'retry_guide' }
  /** Leaving a service request, and looking one up. */
  | { readonly entry: 'service_request' }
  /** The person followed or unblocked the account. */
  | { readonly entry: 'welcome' }
  /** A button of an older version, a sticker, a text that is too long. */
  | { readonly entry: 'unsupported_message' };
