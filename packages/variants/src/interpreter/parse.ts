import { Fault } from "@tunelab/contract";

/** An expression of the subset, as the parser leaves it. */
export type Expression =
  | { readonly kind: "number"; readonly value: number; readonly type: "u32" | "i32" | "f32" | "bool" }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "unary"; readonly operator: string; readonly of: Expression }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Expression[] }
  | { readonly kind: "index"; readonly of: Expression; readonly at: Expression }
  | { readonly kind: "member"; readonly of: Expression; readonly member: string };

export type Statement =
  | { readonly kind: "declare"; readonly name: string; readonly value: Expression }
  | { readonly kind: "assign"; readonly to: Expression; readonly value: Expression }
  | { readonly kind: "call"; readonly call: Expression }
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly yes: readonly Statement[];
      readonly no: readonly Statement[];
    }
  | {
      readonly kind: "for";
      readonly first: Statement;
      readonly condition: Expression;
      readonly step: Statement;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "return" }
  | { readonly kind: "break" };

/** A type: a scalar or vector by name, an array of one, a struct of u32 words. */
export type Type = string | { readonly array: Type; readonly count?: number };

export interface Variable {
  readonly name: string;
  readonly space: "uniform" | "storage" | "workgroup";
  readonly type: Type;
}

export interface Module {
  readonly variables: readonly Variable[];
  readonly structs: ReadonlyMap<string, readonly string[]>;
  readonly constants: readonly { readonly name: string; readonly value: Expression }[];
  readonly workgroup: number;
  /** Parameters of the entry point: name and builtin. */
  readonly parameters: readonly { readonly name: string; readonly builtin: string }[];
  readonly body: readonly Statement[];
}

const TOKEN =
  /\s+|\/\/[^\n]*|([A-Za-z_]\w*|0[xX][\da-fA-F]+u?|\d[\d.]*(?:[eE][+-]?\d+)?[fu]?|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|[-+*/%&|^=!<>~(){}[\],;:.@])/gy;

function tokens(text: string): string[] {
  const found: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Fault("usage", `the interpreter cannot read "${text.slice(at, at + 20)}"`);
    if (match[1] !== undefined) found.push(match[1]);
  }
  return found;
}

/** Binding strength of binary operators, weakest first (WGSL, 8.18, as far as the subset needs it). */
const STRENGTH: Readonly<Record<string, number>> = {
  "||": 1,
  "&&": 2,
  "|": 3,
  "^": 4,
  "&": 5,
  "==": 6,
  "!=": 6,
  "<": 7,
  "<=": 7,
  ">": 7,
  ">=": 7,
  "<<": 8,
  ">>": 8,
  "+": 9,
  "-": 9,
  "*": 10,
  "/": 10,
  "%": 10,
};

/** Parses one module with one entry point. @throws Fault `usage` at the first thing outside the subset. */
export function parse(text: string): Module {
  return new Parser(tokens(text)).module();
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(list: readonly string[]) {
    this.#tokens = list;
  }

  module(): Module {
    const variables: Variable[] = [];
    const structs = new Map<string, readonly string[]>();
    const constants: { name: string; value: Expression }[] = [];
    let entry: Pick<Module, "workgroup" | "parameters" | "body"> | undefined;
    let workgroup = 0;
    while (this.#at < this.#tokens.length) {
      if (this.#skip("enable")) this.#until(";");
      else if (this.#skip("struct")) {
        const name = this.#next();
        structs.set(name, this.#fields());
      } else if (this.#skip("const")) {
        const name = this.#next();
        this.#expect("=");
        constants.push({ name, value: this.#expression() });
        this.#expect(";");
      } else if (this.#skip("@")) {
        if (this.#next() === "workgroup_size") workgroup = Number.parseInt(this.#tokens[this.#at + 1]!, 10);
        if (this.#peek() === "(") this.#until(")");
      } else if (this.#skip("var")) variables.push(this.#variable());
      else if (this.#skip("fn")) {
        this.#next();
        entry = { workgroup, parameters: this.#parameters(), body: this.#block() };
      } else throw this.#unknown();
    }
    if (!entry) throw new Fault("usage", "the text has no entry point");
    return { variables, structs, constants, ...entry };
  }

  #fields(): string[] {
    const names: string[] = [];
    this.#expect("{");
    while (!this.#skip("}")) {
      names.push(this.#next());
      this.#until(",");
    }
    return names;
  }

  #variable(): Variable {
    this.#expect("<");
    const space = this.#next() as Variable["space"];
    this.#until(">");
    const name = this.#next();
    this.#expect(":");
    const type = this.#type();
    this.#expect(";");
    return { name, space, type };
  }

  #type(): Type {
    const name = this.#next();
    if (!this.#skip("<")) return name;
    const inner = this.#type();
    const count = this.#skip(",") ? Number.parseInt(this.#next(), 10) : undefined;
    this.#close();
    if (name === "atomic") return "atomic";
    return count === undefined ? { array: inner } : { array: inner, count };
  }

  /** A closing >, which the tokens may have joined with the next. */
  #close(): void {
    if (this.#skip(">")) return;
    if (this.#peek() !== ">>") throw this.#unknown();
    (this.#tokens as string[])[this.#at] = ">";
  }

  #parameters(): { name: string; builtin: string }[] {
    const list: { name: string; builtin: string }[] = [];
    this.#expect("(");
    while (!this.#skip(")")) {
      this.#expect("@");
      this.#expect("builtin");
      this.#expect("(");
      const builtin = this.#next();
      this.#expect(")");
      const name = this.#next();
      this.#expect(":");
      this.#type();
      this.#skip(",");
      list.push({ name, builtin });
    }
    return list;
  }

  #block(): Statement[] {
    const list: Statement[] = [];
    this.#expect("{");
    while (!this.#skip("}")) list.push(this.#statement());
    return list;
  }

  #statement(): Statement {
    for (const kind of ["return", "break"] as const) {
      if (!this.#skip(kind)) continue;
      this.#expect(";");
      return { kind };
    }
    if (this.#skip("if")) return this.#if();
    if (this.#skip("for")) {
      this.#expect("(");
      const first = this.#simple();
      this.#expect(";");
      const condition = this.#expression();
      this.#expect(";");
      const step = this.#simple();
      this.#expect(")");
      return { kind: "for", first, condition, step, body: this.#block() };
    }
    const statement = this.#simple();
    this.#expect(";");
    return statement;
  }

  #if(): Statement {
    const condition = this.#expression();
    const yes = this.#block();
    if (!this.#skip("else")) return { kind: "if", condition, yes, no: [] };
    return { kind: "if", condition, yes, no: this.#skip("if") ? [this.#if()] : this.#block() };
  }

  #simple(): Statement {
    if (this.#skip("let") || this.#skip("var")) {
      const name = this.#next();
      if (this.#skip(":")) this.#type();
      this.#expect("=");
      return { kind: "declare", name, value: this.#expression() };
    }
    const to = this.#expression();
    if (to.kind === "call") return { kind: "call", call: to };
    if (this.#skip("=")) return { kind: "assign", to, value: this.#expression() };
    const operator = /^([-+*/%&|^])=$/.exec(this.#next())?.[1];
    if (!operator) throw this.#unknown();
    return {
      kind: "assign",
      to,
      value: { kind: "binary", operator, left: to, right: this.#expression() },
    };
  }

  #expression(weakest = 1): Expression {
    let left = this.#unary();
    for (;;) {
      const operator = this.#peek();
      const strength = STRENGTH[operator] ?? 0;
      if (strength < weakest) return left;
      this.#at++;
      left = { kind: "binary", operator, left, right: this.#expression(strength + 1) };
    }
  }

  #unary(): Expression {
    for (const operator of ["-", "!", "~", "&"]) {
      if (!this.#skip(operator)) continue;
      const of = this.#unary();
      // A pointer is the variable itself: only atomics take one.
      return operator === "&" ? of : { kind: "unary", operator, of };
    }
    let value = this.#primary();
    for (;;) {
      if (this.#skip("[")) {
        value = { kind: "index", of: value, at: this.#expression() };
        this.#expect("]");
      } else if (this.#skip(".")) value = { kind: "member", of: value, member: this.#next() };
      else return value;
    }
  }

  #primary(): Expression {
    if (this.#skip("(")) {
      const inside = this.#expression();
      this.#expect(")");
      return inside;
    }
    const token = this.#next();
    if (/^\d/.test(token)) {
      if (token.startsWith("0x")) {
        return { kind: "number", value: Number(token.replace(/u$/, "")), type: "u32" };
      }
      const type = token.endsWith("u") ? "u32" : /[.ef]/.test(token) ? "f32" : "i32";
      return { kind: "number", value: Number.parseFloat(token), type };
    }
    if (token === "true" || token === "false")
      return { kind: "number", value: Number(token === "true"), type: "bool" };
    let name = token;
    if (token === "bitcast") {
      this.#expect("<");
      name = `bitcast ${this.#next()}`;
      this.#expect(">");
    }
    if (!this.#skip("(")) return { kind: "name", name };
    const list: Expression[] = [];
    while (!this.#skip(")")) {
      list.push(this.#expression());
      this.#skip(",");
    }
    return { kind: "call", name, arguments: list };
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? "";
  }

  #skip(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#skip(token)) throw this.#unknown(token);
  }

  #until(token: string): void {
    while (this.#next() !== token) if (this.#at >= this.#tokens.length) throw this.#unknown(token);
  }

  #unknown(wanted?: string): Fault {
    const near = this.#tokens.slice(Math.max(0, this.#at - 8), this.#at + 4).join(" ");
    return new Fault(
      "usage",
      `the interpreter reads no such text: ${near}${wanted ? ` (wants ${wanted})` : ""}`,
    );
  }
}
