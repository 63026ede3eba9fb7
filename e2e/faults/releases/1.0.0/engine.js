import { Dexie } from "dexie";
// node_modules/uuid/dist/stringify.js
var byteToHex = [];
for (let i = 0; i < 256; ++i) byteToHex.push((i + 256).toString(16).slice(1));
function unsafeStringify(arr, offset = 0) {
	return (byteToHex[arr[offset + 0]] + byteToHex[arr[offset + 1]] + byteToHex[arr[offset + 2]] + byteToHex[arr[offset + 3]] + "-" + byteToHex[arr[offset + 4]] + byteToHex[arr[offset + 5]] + "-" + byteToHex[arr[offset + 6]] + byteToHex[arr[offset + 7]] + "-" + byteToHex[arr[offset + 8]] + byteToHex[arr[offset + 9]] + "-" + byteToHex[arr[offset + 10]] + byteToHex[arr[offset + 11]] + byteToHex[arr[offset + 12]] + byteToHex[arr[offset + 13]] + byteToHex[arr[offset + 14]] + byteToHex[arr[offset + 15]]).toLowerCase();
}
// node_modules/uuid/dist/rng.js
var rnds8 = /* @__PURE__ */ new Uint8Array(16);
function rng() {
	return crypto.getRandomValues(rnds8);
}
// node_modules/uuid/dist/v4.js
function v4(options, buf, offset) {
	if (!buf && !options && crypto.randomUUID) return crypto.randomUUID();
	return _v4(options, buf, offset);
}
function _v4(options, buf, offset) {
	options = options || {};
	const rnds = options.random ?? options.rng?.() ?? rng();
	if (rnds.length < 16) throw new Error("Random bytes length must be >= 16");
	rnds[6] = rnds[6] & 15 | 64;
	rnds[8] = rnds[8] & 63 | 128;
	if (buf) {
		offset = offset || 0;
		if (offset < 0 || offset + 16 > buf.length) throw new RangeError(`UUID byte range ${offset}:${offset + 15} is out of buffer bounds`);
		for (let i = 0; i < 16; ++i) buf[offset + i] = rnds[i];
		return buf;
	}
	return unsafeStringify(rnds);
}
// node_modules/uuid/dist/v7.js
var _state = {};
function v7(options, buf, offset) {
	let bytes;
	if (options) bytes = v7Bytes(options.random ?? options.rng?.() ?? rng(), options.msecs, options.seq, buf, offset);
	else {
		const now = Date.now();
		const rnds = rng();
		updateV7State(_state, now, rnds);
		bytes = v7Bytes(rnds, _state.msecs, _state.seq, buf, offset);
	}
	return buf ?? unsafeStringify(bytes);
}
function updateV7State(state, now, rnds) {
	state.msecs ??= -Infinity;
	state.seq ??= 0;
	if (now > state.msecs) {
		state.seq = v7Sequence(rnds);
		state.msecs = now;
	} else {
		state.seq = state.seq + 1 | 0;
		if (state.seq === 0) state.msecs++;
	}
	return state;
}
function v7Bytes(rnds, msecs, seq, buf, offset = 0) {
	if (rnds.length < 16) throw new Error("Random bytes length must be >= 16");
	if (!buf) {
		buf = /* @__PURE__ */ new Uint8Array(16);
		offset = 0;
	} else if (offset < 0 || offset + 16 > buf.length) throw new RangeError(`UUID byte range ${offset}:${offset + 15} is out of buffer bounds`);
	msecs ??= Date.now();
	seq ??= v7Sequence(rnds);
	buf[offset++] = msecs / 1099511627776 & 255;
	buf[offset++] = msecs / 4294967296 & 255;
	buf[offset++] = msecs / 16777216 & 255;
	buf[offset++] = msecs / 65536 & 255;
	buf[offset++] = msecs / 256 & 255;
	buf[offset++] = msecs & 255;
	buf[offset++] = 112 | seq >>> 28 & 15;
	buf[offset++] = seq >>> 20 & 255;
	buf[offset++] = 128 | seq >>> 14 & 63;
	buf[offset++] = seq >>> 6 & 255;
	buf[offset++] = seq << 2 & 255 | rnds[10] & 3;
	buf[offset++] = rnds[11];
	buf[offset++] = rnds[12];
	buf[offset++] = rnds[13];
	buf[offset++] = rnds[14];
	buf[offset++] = rnds[15];
	return buf;
}
function v7Sequence(rnds) {
	return (rnds[6] & 127) << 24 | rnds[7] << 16 | rnds[8] << 8 | rnds[9];
}
// sync/client/time-limit.ts
/** Longer than any database work takes, on any device: work beyond that never settles. */
var DATABASE_LIMIT_MS = 2e4;
/** The browser did not settle a call in time. */
var TimeLimitError = class extends Error {
	name = "TimeLimitError";
	code = "time_limit";
};
/**
* The result of `work`, or a `TimeLimitError` after `limitMs` milliseconds: for calls of the browser (IndexedDB, Web Locks)
* that may never settle. The work itself is not cancelled; its result is ignored.
*/
async function withTimeLimit(clock, limitMs, work) {
	let cancel = () => {};
	const limit = new Promise((_, reject) => {
		cancel = clock.setTimeout(() => reject(new TimeLimitError(`No answer within ${limitMs} ms`)), limitMs);
	});
	try {
		return await Promise.race([work, limit]);
	} finally {
		cancel();
	}
}
/** `withTimeLimit` for work in IndexedDB. */
function withDatabaseLimit(clock, work) {
	return withTimeLimit(clock, DATABASE_LIMIT_MS, work);
}
// sync/client/types.ts
/** Nobody is signed in. */
var SignedOutError = class extends Error {
	name = "SignedOutError";
	code = "signed_out";
};
var NetworkFailure = class extends Error {
	name = "NetworkFailure";
	code = "unreachable";
};
// node_modules/zod/v4/core/util.js
function getEnumValues(entries) {
	const numericValues = Object.values(entries).filter((v) => typeof v === "number");
	return Object.entries(entries).filter(([k, _]) => numericValues.indexOf(+k) === -1).map(([_, v]) => v);
}
function jsonStringifyReplacer(_, value) {
	if (typeof value === "bigint") return value.toString();
	return value;
}
var Cached = class {
	constructor(getter) {
		this._getter = getter;
		this._value = void 0;
	}
	get value() {
		const getter = this._getter;
		if (getter !== void 0) {
			this._value = getter();
			this._getter = void 0;
		}
		return this._value;
	}
};
function cached(getter) {
	return new Cached(getter);
}
function nullish(input) {
	return input === null || input === void 0;
}
function cleanRegex(source) {
	const start = source.startsWith("^") ? 1 : 0;
	const end = source.endsWith("$") ? source.length - 1 : source.length;
	return source.slice(start, end);
}
function assignProp(target, prop, value) {
	Object.defineProperty(target, prop, {
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
}
/**
* Whichever object a def's `shape` currently answers from: the one the caller passed until the first read, the frozen copy after it.
*
* Its keys and descriptors read without invoking anything, which is what lets a discriminated union check its discriminator, and the cycle walk read a shape, without resolving a getter that references the schema being constructed. A def that answers `shape` from an accessor of its own has none.
*/
function rawShape(def) {
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	return desc?.get ? desc.get.raw : desc?.value;
}
var captureStackTrace = "captureStackTrace" in Error ? Error.captureStackTrace : (..._args) => {};
function isObject(data) {
	return typeof data === "object" && data !== null && !Array.isArray(data);
}
var propertyKeyTypes = /* @__PURE__*/ new Set([
	"string",
	"number",
	"symbol"
]);
function escapeRegex(str) {
	return str.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function clone(inst, def, params) {
	const cl = new inst._zod.constr(def ?? inst._zod.def);
	if (!def || params?.parent) cl._zod.parent = inst;
	return cl;
}
function normalizeParams(_params) {
	const params = _params;
	if (!params) return {};
	if (typeof params === "string") return { error: () => params };
	if (params?.message !== void 0) {
		if (params?.error !== void 0) throw new Error("Cannot specify both `message` and `error` params");
		params.error = params.message;
	}
	delete params.message;
	if (typeof params.error === "string") return {
		...params,
		error: () => params.error
	};
	return params;
}
function optionalKeys(shape) {
	return Object.keys(shape).filter((k) => {
		return shape[k]._zod.optin !== void 0 && shape[k]._zod.optout === "optional";
	});
}
var NUMBER_FORMAT_RANGES = /*@__PURE__*/ (() => ({
	safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	int32: [-2147483648, 2147483647],
	uint32: [0, 4294967295],
	float32: [-34028234663852886e22, 34028234663852886e22],
	float64: [-Number.MAX_VALUE, Number.MAX_VALUE]
}))();
function aborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue !== true) return true;
	return false;
}
function explicitlyAborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue === false) return true;
	return false;
}
function prefixIssues(path, issues) {
	return issues.map((iss) => {
		var _a;
		(_a = iss).path ?? (_a.path = []);
		iss.path.unshift(path);
		return iss;
	});
}
function unwrapMessage(message) {
	return typeof message === "string" ? message : message?.message;
}
/** The leading size checks of `defChecks` that set an upper bound, each paired with it. */
function sizeCaps(defChecks) {
	const caps = [];
	for (const ch of defChecks ?? []) {
		const d = ch._zod.def;
		if (!/_(length|size)$|_equals$/.test(d.check)) break;
		const max = d.maximum ?? d.length ?? d.size;
		if (max >= 0) caps.push([max, ch]);
	}
	return caps;
}
function attachSchema(issues, start, inst) {
	var _a;
	for (let i = start; i < issues.length; i++) (_a = issues[i]).schema ?? (_a.schema = inst);
}
function finalizeIssue(iss, ctx, config) {
	var _a;
	const traits = iss.inst?._zod?.traits;
	if (traits?.has("$ZodType")) {
		if (traits.has("$ZodCheck")) (_a = iss).schema ?? (_a.schema = iss.inst);
		else iss.schema = iss.inst;
	}
	const schemaError = iss.schema !== iss.inst ? iss.schema?._zod.def?.error : void 0;
	const message = iss.message ? iss.message : unwrapMessage(iss.inst?._zod.def?.error?.(iss)) ?? unwrapMessage(schemaError?.(iss)) ?? unwrapMessage(ctx?.error?.(iss)) ?? unwrapMessage(config.customError?.(iss)) ?? unwrapMessage(config.localeError?.(iss)) ?? "Invalid input";
	const full = {};
	for (const k of Object.keys(iss)) {
		if (k === "inst" || k === "schema" || k === "continue" || k === "input" || k === "__proto__") continue;
		full[k] = iss[k];
	}
	full.path ?? (full.path = []);
	full.message = message;
	if (ctx?.reportInput) full.input = iss.input;
	return full;
}
var highSurrogate = /[\uD800-\uDBFF]/;
function codePointLength(str) {
	const units = str.length;
	if (!highSurrogate.test(str)) return units;
	let count = units;
	for (let i = 0; i < units - 1; i++) if ((str.charCodeAt(i) & 64512) === 55296 && (str.charCodeAt(i + 1) & 64512) === 56320) {
		count--;
		i++;
	}
	return count;
}
function getLengthableOrigin(input) {
	if (Array.isArray(input)) return "array";
	if (typeof input === "string") return "string";
	return "unknown";
}
function issue(...args) {
	const [iss, input, inst] = args;
	if (typeof iss === "string") return {
		message: iss,
		code: "custom",
		input,
		inst
	};
	return { ...iss };
}
/**
* Installs a trait's members on its prototype. Each value builds that member for the instance on first read; the built value shadows the accessor as an own property, so a detached `const { parse } = schema` keeps working.
*
* Call this from a `proto` initializer, which runs once per prototype — never per instance.
*/
function members(proto, table) {
	for (const key in table) {
		const desc = Object.getOwnPropertyDescriptor(table, key);
		if (desc.get) Object.defineProperty(proto, key, {
			...desc,
			enumerable: false
		});
		else defineBound(proto, key, desc.value);
	}
}
/** Shadows a prototype member with an own value, so a getter that builds from the instance runs once. */
function own(inst, key, value, enumerable = true) {
	Object.defineProperty(inst, key, {
		configurable: true,
		writable: true,
		enumerable,
		value
	});
	return value;
}
/** Like {@link own}, for a member that was never an own data property and has to stay out of `Object.keys`. */
function hide(inst, key, value) {
	return own(inst, key, value, false);
}
function defineBound(proto, key, fn) {
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			return this == null ? fn : own(this, key, fn.bind(this));
		},
		set(value) {
			own(this, key, value);
		}
	});
}
/** Returns the prototype to install on, or `undefined` if this group is already installed on it. */
function claim(inst, sentinel) {
	const proto = Object.getPrototypeOf(inst);
	return sentinel in proto ? void 0 : proto;
}
var installing;
var broke = false;
var breaker = {
	configurable: true,
	get() {
		broke = true;
	}
};
/**
* Installs a lazily-derived internal on the `_zod` prototype of `inst`'s
* constructor, computed from the internals object itself and cached there on
* first read. One accessor per constructor rather than one per instance.
*/
function defineLazyInternal(inst, key, compute) {
	const proto = Object.getPrototypeOf(inst._zod);
	if (key in proto && installing !== inst._zod) {
		installing = void 0;
		return;
	}
	installing = inst._zod;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			Object.defineProperty(this, key, breaker);
			const outer = broke;
			broke = false;
			try {
				const value = compute(this);
				if (broke) delete this[key];
				else Object.defineProperty(this, key, {
					configurable: true,
					writable: true,
					value
				});
				broke = broke || outer;
				return value;
			} catch (err) {
				delete this[key];
				broke = broke || outer;
				throw err;
			}
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				value
			});
		}
	});
}
/**
* Installs `key` on `inst`'s prototype, computed by `make` on first read and cached there as an own
* data property. One accessor per constructor rather than one per instance, because an own accessor
* puts every instance after the first into v8 dictionary mode. The key doubles as the sentinel.
*/
function installLazyProp(inst, key, make, enumerable) {
	const proto = claim(inst, key);
	if (!proto) return;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			const desc = {
				configurable: true,
				writable: true,
				enumerable,
				value: void 0
			};
			Object.defineProperty(this, key, desc);
			desc.value = make(this);
			Object.defineProperty(this, key, desc);
			return desc.value;
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				enumerable,
				value
			});
		}
	});
}
/** Marks the thunk `_catch` synthesises for a constant catch value. `Function.length` cannot tell that thunk from a user callback — rest and defaulted parameters both report arity 0 — and a user callback reads `ctx.error`, whose issues only finalize correctly against the caller's per-parse error map. Provenance can say what arity cannot. A plain string key rather than `Symbol.for`, whose call at module scope no bundler can prove pure — the same shape that anchored `urlCanParse` into every build. */
var CONSTANT_CATCH = "~constantCatch";
/** Wraps a constant catch value in a thunk tagged with {@link CONSTANT_CATCH}. */
function constantCatch(value) {
	const fn = () => value;
	fn[CONSTANT_CATCH] = true;
	return fn;
}
// node_modules/zod/v4/core/core.js
var _a;
/** A special constant with type `never` */
var NEVER = /*@__PURE__*/ Object.freeze({ status: "aborted" });
var _zodDesc = {
	value: void 0,
	enumerable: false
};
var _E = "captureStackTrace" in Error ? Error : null;
function newError(Definition) {
	const E = _E;
	if (E) {
		const saved = E.stackTraceLimit;
		if (typeof saved === "number") {
			try {
				E.stackTraceLimit = 0;
			} catch {
				_E = null;
				return new Definition();
			}
			try {
				return new Definition();
			} finally {
				E.stackTraceLimit = saved;
			}
		}
	}
	return new Definition();
}
/* @__NO_SIDE_EFFECTS__ */
function $constructor(name, initializer, proto, params) {
	const zodProto = {};
	function Internals(def) {
		this.def = def;
		this.constr = _;
		this.traits = /* @__PURE__ */ new Set();
	}
	Internals.prototype = zodProto;
	const protoMembers = proto;
	const initialized = protoMembers && /* @__PURE__ */ new WeakSet();
	function init(inst, def) {
		if (!inst._zod) {
			_zodDesc.value = new Internals(def);
			try {
				Object.defineProperty(inst, "_zod", _zodDesc);
			} finally {
				_zodDesc.value = void 0;
			}
		} else if (inst._zod.traits.has(name)) return;
		inst._zod.traits.add(name);
		initializer(inst, def);
		if (initialized) {
			const own = Object.getPrototypeOf(inst);
			const ctorProto = inst._zod.constr.prototype;
			let up = own;
			while (up && up !== ctorProto) up = Object.getPrototypeOf(up);
			const target = up ?? own;
			if (!initialized.has(target)) {
				initialized.add(target);
				members(target, protoMembers);
			}
		}
		const proto = _.prototype;
		for (const k in proto) {
			if (!Object.prototype.hasOwnProperty.call(proto, k)) continue;
			if (!(k in inst)) inst[k] = proto[k].bind(inst);
		}
	}
	const Parent = params?.Parent ?? Object;
	class Definition extends Parent {}
	Object.defineProperty(Definition, "name", { value: name });
	function _(def) {
		const inst = params?.Parent ? newError(Definition) : this;
		init(inst, def);
		const deferred = inst._zod.deferred;
		if (deferred) {
			for (const fn of deferred) fn();
			inst._zod.deferred = void 0;
		}
		const pp = globalThis.__zod_globalConfig?.postProcessor;
		if (pp) pp(inst);
		return inst;
	}
	Object.defineProperty(_, "init", { value: init });
	Object.defineProperty(_, Symbol.hasInstance, { value: (inst) => {
		if (params?.Parent && inst instanceof params.Parent) return true;
		return inst?._zod?.traits?.has(name);
	} });
	Object.defineProperty(_, "name", { value: name });
	return _;
}
var $ZodAsyncError = class extends Error {
	constructor() {
		super(`Encountered Promise during synchronous parse. Use .parseAsync() instead.`);
	}
};
var $ZodEncodeError = class extends Error {
	constructor(name) {
		super(`Encountered unidirectional transform during encode: ${name}`);
		this.name = "ZodEncodeError";
	}
};
(_a = globalThis).__zod_globalConfig ?? (_a.__zod_globalConfig = {});
var globalConfig = globalThis.__zod_globalConfig;
function config(newConfig) {
	if (newConfig) Object.assign(globalConfig, newConfig);
	return globalConfig;
}
// node_modules/zod/v4/core/errors.js
function _getMessage() {
	const internals = this._zod;
	internals.message ?? (internals.message = JSON.stringify(internals.def, jsonStringifyReplacer, 2));
	return internals.message;
}
function _setMessage(value) {
	this._zod.message = value;
}
var _messageDesc = {
	get: _getMessage,
	set: _setMessage,
	enumerable: true,
	configurable: true
};
var _issuesDesc = {
	value: void 0,
	enumerable: false
};
var _installedToString = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
var initializer = (inst, def) => {
	inst.name = "$ZodError";
	_issuesDesc.value = def;
	Object.defineProperty(inst, "issues", _issuesDesc);
	_issuesDesc.value = void 0;
	Object.defineProperty(inst, "message", _messageDesc);
	const proto = Object.getPrototypeOf(inst);
	if (!_installedToString.has(proto)) {
		_installedToString.add(proto);
		Object.defineProperty(proto, "toString", {
			configurable: true,
			enumerable: false,
			get() {
				const value = () => this.message;
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
				return value;
			},
			set(value) {
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
			}
		});
	}
};
var $ZodRealError = /* @__PURE__ */ $constructor("$ZodError", initializer, void 0, { Parent: Error });
// node_modules/zod/v4/core/parse.js
var _parse = (_Err) => {
	const fn = (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: false
		} : { async: false };
		const result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) throw new $ZodAsyncError();
		if (result.issues.length) {
			const e = new ((_params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, _params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
var parse$1 = /* @__PURE__*/ _parse($ZodRealError);
var _parseAsync = (_Err) => {
	const fn = async (schema, value, _ctx, params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: true
		} : { async: true };
		let result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) result = await result;
		if (result.issues.length) {
			const e = new ((params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
var parseAsync = /* @__PURE__*/ _parseAsync($ZodRealError);
var _safeParse = (_Err) => (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: false
	} : { async: false };
	const result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) throw new $ZodAsyncError();
	return result.issues.length ? failure(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
var safeParse = /* @__PURE__*/ _safeParse($ZodRealError);
function failure(Err, issues, ctx) {
	let error;
	return {
		success: false,
		get error() {
			if (!error) {
				error = new Err(issues.map((iss) => finalizeIssue(iss, ctx, config())));
				issues = void 0;
				ctx = void 0;
			}
			return error;
		},
		set error(e) {
			error = e;
			issues = void 0;
			ctx = void 0;
		}
	};
}
var _safeParseAsync = (_Err) => async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: true
	} : { async: true };
	let result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) result = await result;
	return result.issues.length ? failure(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
var safeParseAsync = /* @__PURE__*/ _safeParseAsync($ZodRealError);
// node_modules/zod/v4/core/regexes.js
/** Returns a regex for validating an RFC 9562/4122 UUID.
*
* @param version Optionally specify a version 1-8. If no version is specified, all versions are supported. */
var uuid$1 = (version) => {
	if (!version) return /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;
	return new RegExp(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-${version}[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$`);
};
/** Practical email validation */
var email$1 = /^(?:[A-Za-z0-9_'+\-]+\.)*[A-Za-z0-9_'+\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$/;
var anyString = /^[\s\S]{0,}$/;
var number$1 = /^-?\d+(?:\.\d+)?$/;
var boolean$1 = /^(?:true|false)$/i;
// node_modules/zod/v4/core/checks.js
var $ZodCheck = /*@__PURE__*/ $constructor("$ZodCheck", (inst, def) => {
	var _a;
	inst._zod ?? (inst._zod = {});
	inst._zod.def = def;
	(_a = inst._zod).onattach ?? (_a.onattach = []);
});
/** Default `when` for length-based checks: run only on non-nullish values with a `length`. */
var _whenHasLength = (payload) => {
	const val = payload.value;
	return !nullish(val) && val.length !== void 0;
};
var $ZodCheckNumberFormat = /*@__PURE__*/ $constructor("$ZodCheckNumberFormat", (inst, def) => {
	$ZodCheck.init(inst, def);
	def.format = def.format || "float64";
	const isInt = def.format?.includes("int");
	const origin = isInt ? "int" : "number";
	const [minimum, maximum] = NUMBER_FORMAT_RANGES[def.format];
	inst._zod.check = (payload) => {
		const input = payload.value;
		if (isInt) {
			if (!Number.isInteger(input)) {
				payload.issues.push({
					expected: origin,
					format: def.format,
					code: "invalid_type",
					continue: false,
					input,
					inst
				});
				return;
			}
			if (!Number.isSafeInteger(input)) {
				if (input > 0) payload.issues.push({
					input,
					code: "too_big",
					maximum: Number.MAX_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				else payload.issues.push({
					input,
					code: "too_small",
					minimum: Number.MIN_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				return;
			}
		}
		if (input < minimum) payload.issues.push({
			origin: "number",
			input,
			code: "too_small",
			minimum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
		if (input > maximum) payload.issues.push({
			origin: "number",
			input,
			code: "too_big",
			maximum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckMaxLength = /*@__PURE__*/ $constructor("$ZodCheckMaxLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units > def.maximum ? codePointLength(input) : units) <= def.maximum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_big",
			maximum: def.maximum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckMinLength = /*@__PURE__*/ $constructor("$ZodCheckMinLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units >= def.minimum && units < def.minimum * 2 ? codePointLength(input) : units) >= def.minimum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_small",
			minimum: def.minimum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckStringFormat = /*@__PURE__*/ $constructor("$ZodCheckStringFormat", (inst, def) => {
	var _a, _b;
	$ZodCheck.init(inst, def);
	if (def.pattern) (_a = inst._zod).check ?? (_a.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: def.format,
			input: payload.value,
			...def.pattern ? { pattern: def.pattern.toString() } : {},
			inst,
			continue: !def.abort
		});
	});
	else (_b = inst._zod).check ?? (_b.check = () => {});
});
var $ZodCheckRegex = /*@__PURE__*/ $constructor("$ZodCheckRegex", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "regex",
			input: payload.value,
			pattern: def.pattern.toString(),
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckOverwrite = /*@__PURE__*/ $constructor("$ZodCheckOverwrite", (inst, def) => {
	$ZodCheck.init(inst, def);
	inst._zod.check = (payload) => {
		payload.value = def.tx(payload.value);
	};
});
// node_modules/zod/v4/core/versions.js
var version = {
	major: 4,
	minor: 6,
	patch: 7
};
// node_modules/zod/v4/core/schemas.js
var $ZodType = /*@__PURE__*/ $constructor("$ZodType", (inst, def) => {
	var _a;
	inst ?? (inst = {});
	inst._zod.def = def;
	inst._zod.bag = inst._zod.bag || {};
	inst._zod.version = version;
	const defChecks = inst._zod.def.checks;
	const checks = inst._zod.traits.has("$ZodCheck") ? [inst, ...defChecks ?? []] : defChecks?.length ? [...defChecks] : [];
	for (const ch of checks) for (const fn of ch._zod.onattach) fn(inst);
	if (checks.length === 0) {
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred?.push(() => {
			inst._zod.run = inst._zod.parse;
		});
	} else {
		const runChecks = (payload, checks, ctx) => {
			if (payload.memo) return payload;
			let isAborted = aborted(payload);
			let asyncResult;
			for (const ch of checks) {
				if (ch._zod.def.when) {
					if (explicitlyAborted(payload)) continue;
					if (!ch._zod.def.when(payload)) continue;
				} else if (isAborted) continue;
				const currLen = payload.issues.length;
				const _ = ch._zod.check(payload);
				if (_ instanceof Promise && ctx?.async === false) throw new $ZodAsyncError();
				if (asyncResult || _ instanceof Promise) asyncResult = (asyncResult ?? Promise.resolve()).then(async () => {
					await _;
					if (payload.issues.length === currLen) return;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				});
				else {
					if (payload.issues.length === currLen) continue;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				}
			}
			if (asyncResult) return asyncResult.then(() => {
				return payload;
			});
			return payload;
		};
		const handleCanaryResult = (canary, payload, ctx) => {
			if (aborted(canary)) {
				canary.aborted = true;
				return canary;
			}
			const checkResult = runChecks(payload, checks, ctx);
			if (checkResult instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return checkResult.then((checkResult) => inst._zod.parse(checkResult, ctx));
			}
			return inst._zod.parse(checkResult, ctx);
		};
		inst._zod.run = (payload, ctx) => {
			if (ctx.skipChecks) return inst._zod.parse(payload, ctx);
			if (ctx.direction === "backward") {
				const canary = inst._zod.parse({
					value: payload.value,
					issues: []
				}, {
					...ctx,
					skipChecks: true
				});
				if (canary instanceof Promise) return canary.then((canary) => {
					return handleCanaryResult(canary, payload, ctx);
				});
				return handleCanaryResult(canary, payload, ctx);
			}
			const result = inst._zod.parse(payload, ctx);
			if (result instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return result.then((result) => runChecks(result, checks, ctx));
			}
			return runChecks(result, checks, ctx);
		};
	}
}, {
	get "~standard"() {
		return hide(this, "~standard", standardProps(this));
	},
	set "~standard"(value) {
		own(this, "~standard", value);
	}
});
/** The Standard Schema surface for `inst`. Shared so wrappers can extend it without forcing it. */
var toStandardResult = (r, ctx) => r.issues.length ? { issues: r.issues.map((iss) => finalizeIssue(iss, ctx, config())) } : { value: r.value };
async function validateAsync(inst, value) {
	const ctx = { async: true };
	return toStandardResult(await inst._zod.run({
		value,
		issues: []
	}, ctx), ctx);
}
function standardProps(inst) {
	return {
		validate: (value) => {
			const ctx = { async: false };
			try {
				const r = inst._zod.run({
					value,
					issues: []
				}, ctx);
				if (!(r instanceof Promise)) return toStandardResult(r, ctx);
			} catch (_) {}
			return validateAsync(inst, value);
		},
		vendor: "zod",
		version: 1
	};
}
var $ZodString = /*@__PURE__*/ $constructor("$ZodString", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = def.pattern ?? anyString;
	inst._zod.parse = (payload, _) => {
		if (def.coerce) try {
			payload.value = String(payload.value);
		} catch (_) {}
		if (typeof payload.value === "string") return payload;
		payload.issues.push({
			expected: "string",
			code: "invalid_type",
			input: payload.value,
			inst
		});
		return payload;
	};
});
var $ZodStringFormat = /*@__PURE__*/ $constructor("$ZodStringFormat", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	$ZodString.init(inst, def);
});
var $ZodUUID = /*@__PURE__*/ $constructor("$ZodUUID", (inst, def) => {
	if (def.version) {
		const v = {
			v1: 1,
			v2: 2,
			v3: 3,
			v4: 4,
			v5: 5,
			v6: 6,
			v7: 7,
			v8: 8
		}[def.version];
		if (v === void 0) throw new Error(`Invalid UUID version: "${def.version}"`);
		def.pattern ?? (def.pattern = uuid$1(v));
	} else def.pattern ?? (def.pattern = uuid$1());
	$ZodStringFormat.init(inst, def);
});
var $ZodEmail = /*@__PURE__*/ $constructor("$ZodEmail", (inst, def) => {
	def.pattern ?? (def.pattern = email$1);
	$ZodStringFormat.init(inst, def);
});
var $ZodNumber = /*@__PURE__*/ $constructor("$ZodNumber", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = number$1;
	inst._zod.parse = (payload, _ctx) => {
		if (def.coerce) try {
			payload.value = Number(payload.value);
		} catch (_) {}
		const input = payload.value;
		if (typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)) return payload;
		const received = typeof input === "number" ? Number.isNaN(input) ? "NaN" : !Number.isFinite(input) ? String(input) : void 0 : void 0;
		payload.issues.push({
			expected: "number",
			code: "invalid_type",
			input,
			inst,
			...received ? { received } : {}
		});
		return payload;
	};
});
var $ZodNumberFormat = /*@__PURE__*/ $constructor("$ZodNumberFormat", (inst, def) => {
	$ZodCheckNumberFormat.init(inst, def);
	$ZodNumber.init(inst, def);
});
var $ZodBoolean = /*@__PURE__*/ $constructor("$ZodBoolean", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = boolean$1;
	inst._zod.parse = (payload, _ctx) => {
		if (def.coerce) try {
			payload.value = Boolean(payload.value);
		} catch (_) {}
		const input = payload.value;
		if (typeof input === "boolean") return payload;
		payload.issues.push({
			expected: "boolean",
			code: "invalid_type",
			input,
			inst
		});
		return payload;
	};
});
var $ZodUnknown = /*@__PURE__*/ $constructor("$ZodUnknown", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.parse = (payload) => payload;
});
function capSize(inst, size) {
	const caps = sizeCaps(inst._zod.def.checks);
	if (!caps.length) return;
	const cap = Math.min(...caps.map((c) => c[0]));
	const parse = inst._zod.parse;
	inst._zod.parse = (payload, ctx) => {
		const n = size(payload.value);
		if (n > cap && !ctx?.skipChecks && ctx?.direction !== "backward") {
			for (const [max, ch] of sizeCaps(inst._zod.def.checks)) if (n > max && ch._zod.def.when(payload)) {
				const start = payload.issues.length;
				ch._zod.check(payload);
				payload.issues[start].continue = false;
				attachSchema(payload.issues, start, inst);
				return payload;
			}
		}
		return parse(payload, ctx);
	};
}
var arraySize = (input) => Array.isArray(input) ? input.length : -1;
function handleArrayResult(result, final, index) {
	if (result.issues.length) final.issues.push(...prefixIssues(index, result.issues));
	final.value[index] = result.value;
}
var $ZodArray = /*@__PURE__*/ $constructor("$ZodArray", (inst, def) => {
	$ZodType.init(inst, def);
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!Array.isArray(input)) {
			payload.issues.push({
				expected: "array",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, Array(input.length), ctx) : Array(input.length);
		const proms = [];
		const abortEarly = ctx?.abortEarly;
		for (let i = 0; i < input.length; i++) {
			const item = input[i];
			const result = def.element._zod.run({
				value: item,
				issues: []
			}, ctx);
			if (result instanceof Promise) proms.push(result.then((result) => handleArrayResult(result, payload, i)));
			else {
				handleArrayResult(result, payload, i);
				if (abortEarly && result.issues.length !== 0 && aborted(result)) break;
			}
		}
		if (proms.length) return Promise.all(proms).then(() => payload);
		return payload;
	};
	capSize(inst, arraySize);
});
function handlePropertyResult(result, final, key, input, optin, optout) {
	const isPresent = key in input;
	const isOptionalOut = optout === "optional";
	if (!isPresent && isOptionalOut && optin === "optional") return;
	if (result.issues.length) {
		if (optin !== void 0 && isOptionalOut && !isPresent) return;
		final.issues.push(...prefixIssues(key, result.issues));
	}
	if (!isPresent && optin === void 0) {
		if (!result.issues.length) final.issues.push({
			code: "invalid_type",
			expected: "nonoptional",
			input: void 0,
			path: [key]
		});
		return;
	}
	if (result.value === void 0) {
		if (isPresent || optin === "defaulted" && !isOptionalOut) final.value[key] = void 0;
	} else final.value[key] = result.value;
}
var NO_SYMBOL_KEYS = [];
function normalizeDef(def) {
	const keys = Object.keys(def.shape);
	const ownSymbols = Object.getOwnPropertySymbols(def.shape);
	const symbolKeys = ownSymbols.length ? ownSymbols : NO_SYMBOL_KEYS;
	const allKeys = symbolKeys.length ? [...keys, ...symbolKeys] : keys;
	for (const k of allKeys) if (!def.shape?.[k]?._zod?.traits?.has("$ZodType")) throw new Error(`Invalid element at key "${String(k)}": expected a Zod schema`);
	const okeys = optionalKeys(def.shape);
	return {
		...def,
		allKeys,
		symbolKeys,
		keySet: new Set(keys),
		numKeys: keys.length,
		optionalKeys: new Set(okeys)
	};
}
function handleCatchall(proms, input, payload, ctx, def, inst, abortEarly) {
	const unrecognized = [];
	const keySet = def.keySet;
	const _catchall = def.catchall._zod;
	const t = _catchall.def.type;
	const optin = _catchall.optin;
	const optout = _catchall.optout;
	let seen = 0;
	for (const key in input) {
		if (abortEarly && payload.issues.length !== seen) {
			if (aborted(payload, seen)) break;
			seen = payload.issues.length;
		}
		if (keySet.has(key)) continue;
		if (key === "__proto__") {
			if (t === "never") unrecognized.push(key);
			continue;
		}
		if (t === "never") {
			unrecognized.push(key);
			continue;
		}
		const r = _catchall.run({
			value: input[key],
			issues: []
		}, ctx);
		if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
		else handlePropertyResult(r, payload, key, input, optin, optout);
	}
	if (unrecognized.length) payload.issues.push({
		code: "unrecognized_keys",
		keys: unrecognized,
		input,
		inst,
		continue: true
	});
	if (!proms.length) return payload;
	return Promise.all(proms).then(() => {
		return payload;
	});
}
var $ZodObject = /*@__PURE__*/ $constructor("$ZodObject", (inst, def) => {
	$ZodType.init(inst, def);
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	const sh = desc?.get ? desc.get.raw : def.shape ?? {};
	if (sh) {
		const get = () => {
			const newSh = { ...sh };
			Object.defineProperty(def, "shape", { value: newSh });
			get.raw = newSh;
			return newSh;
		};
		get.raw = sh;
		Object.defineProperty(def, "shape", { get });
	}
	const _normalized = cached(() => normalizeDef(def));
	defineLazyInternal(inst, "propValues", (zod) => {
		const shape = zod.def.shape;
		const propValues = {};
		for (const key in shape) {
			const field = shape[key]._zod;
			if (field.values) {
				if (!Object.prototype.hasOwnProperty.call(propValues, key)) assignProp(propValues, key, /* @__PURE__ */ new Set());
				for (const v of field.values) propValues[key].add(v);
				if (field.optin !== void 0) propValues[key].add(void 0);
			}
		}
		return propValues;
	});
	const isObject$1 = isObject;
	const catchall = def.catchall;
	let value;
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		value ?? (value = _normalized.value);
		const input = payload.value;
		if (!isObject$1(input)) {
			payload.issues.push({
				expected: "object",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
		const proms = [];
		const shape = value.shape;
		const abortEarly = ctx?.abortEarly;
		let seen = payload.issues.length;
		for (const key of value.allKeys) {
			if (abortEarly && payload.issues.length !== seen) {
				if (aborted(payload, seen)) break;
				seen = payload.issues.length;
			}
			if (key === "__proto__") continue;
			const el = shape[key];
			const optin = el._zod.optin;
			const optout = el._zod.optout;
			const r = el._zod.run({
				value: input[key],
				issues: []
			}, ctx);
			if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
			else handlePropertyResult(r, payload, key, input, optin, optout);
		}
		if (!catchall) return proms.length ? Promise.all(proms).then(() => payload) : payload;
		return handleCatchall(proms, input, payload, ctx, _normalized.value, inst, abortEarly === true);
	};
});
function handleUnionResults(results, final, inst, ctx) {
	for (const result of results) if (result.issues.length === 0) {
		final.value = result.value;
		return final;
	}
	const nonaborted = results.filter((r) => !aborted(r));
	if (nonaborted.length === 1) {
		final.value = nonaborted[0].value;
		return nonaborted[0];
	}
	final.issues.push({
		code: "invalid_union",
		input: final.value,
		inst,
		errors: results.map((result) => result.issues.map((iss) => finalizeIssue(iss, ctx, config())))
	});
	return final;
}
var $ZodUnion = /*@__PURE__*/ $constructor("$ZodUnion", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.options.some((o) => o._zod.optin === "defaulted") ? "defaulted" : zod.def.options.some((o) => o._zod.optin !== void 0) ? "optional" : void 0);
	defineLazyInternal(inst, "optout", (zod) => zod.def.options.some((o) => o._zod.optout === "optional") ? "optional" : void 0);
	defineLazyInternal(inst, "values", (zod) => {
		if (zod.def.options.every((o) => o._zod.values)) return new Set(zod.def.options.flatMap((option) => Array.from(option._zod.values)));
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		if (zod.def.options.every((o) => o._zod.pattern)) {
			const patterns = zod.def.options.map((o) => o._zod.pattern);
			return new RegExp(`^(${patterns.map((p) => cleanRegex(p.source)).join("|")})$`);
		}
	});
	const first = def.options.length === 1 ? def.options[0]._zod.run : null;
	inst._zod.parse = (payload, ctx) => {
		if (first) return first(payload, ctx);
		let async = false;
		const results = [];
		for (const option of def.options) {
			const result = option._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) {
				results.push(result);
				async = true;
			} else {
				if (result.issues.length === 0) return result;
				results.push(result);
			}
		}
		if (!async) return handleUnionResults(results, payload, inst, ctx);
		return Promise.all(results).then((results) => {
			return handleUnionResults(results, payload, inst, ctx);
		});
	};
});
function discriminatorMap(def) {
	const map = /* @__PURE__ */ new Map();
	for (const option of def.options) {
		const values = option._zod.propValues?.[def.discriminator];
		if (!values || values.size === 0) throw new Error(`Invalid discriminated union option at index "${def.options.indexOf(option)}"`);
		for (const value of values) if (map.has(value)) {
			if (value !== void 0) throw new Error(`Duplicate discriminator value "${String(value)}"`);
			map.set(value, null);
		} else map.set(value, option);
	}
	return map;
}
var $ZodDiscriminatedUnion = /*@__PURE__*/ $constructor("$ZodDiscriminatedUnion", (inst, def) => {
	def.inclusive = false;
	$ZodUnion.init(inst, def);
	const _super = inst._zod.parse;
	defineLazyInternal(inst, "propValues", (zod) => {
		const propValues = {};
		let undefinedCount = 0;
		for (const option of zod.def.options) {
			const pv = option._zod.propValues;
			if (!pv || Object.keys(pv).length === 0) throw new Error(`Invalid discriminated union option at index "${zod.def.options.indexOf(option)}"`);
			if (pv[zod.def.discriminator]?.has(void 0)) undefinedCount++;
			for (const [k, v] of Object.entries(pv)) {
				if (!Object.prototype.hasOwnProperty.call(propValues, k)) assignProp(propValues, k, /* @__PURE__ */ new Set());
				for (const val of v) propValues[k].add(val);
			}
		}
		if (!zod.def.unionFallback && undefinedCount > 1) propValues[zod.def.discriminator]?.delete(void 0);
		return propValues;
	});
	def.options.forEach((option, i) => {
		const propShape = rawShape(option._zod.def);
		if (propShape && !Object.prototype.hasOwnProperty.call(propShape, def.discriminator)) throw new Error(`Invalid discriminated union option at index "${i}"`);
	});
	const disc = cached(() => discriminatorMap(def));
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!isObject(input)) {
			payload.issues.push({
				code: "invalid_type",
				expected: "object",
				input,
				inst
			});
			return payload;
		}
		const value = input?.[def.discriminator];
		const opt = disc.value.get(value);
		if (opt && (value !== void 0 || ctx.direction !== "backward")) return opt._zod.run(payload, ctx);
		if (def.unionFallback || ctx.direction === "backward") return _super(payload, ctx);
		payload.issues.push({
			code: "invalid_union",
			errors: [],
			note: "No matching discriminator",
			discriminator: def.discriminator,
			options: Array.from(disc.value.keys()).filter((value) => disc.value.get(value) !== null),
			input,
			path: [def.discriminator],
			inst
		});
		return payload;
	};
});
var $ZodEnum = /*@__PURE__*/ $constructor("$ZodEnum", (inst, def) => {
	$ZodType.init(inst, def);
	const values = getEnumValues(def.entries);
	const valuesSet = new Set(values);
	inst._zod.values = valuesSet;
	defineLazyInternal(inst, "pattern", (zod) => {
		const patternValues = getEnumValues(zod.def.entries).filter((k) => propertyKeyTypes.has(typeof k));
		return new RegExp(patternValues.length ? `^(${patternValues.map((o) => escapeRegex(o.toString())).join("|")})$` : "^[^\\s\\S]$");
	});
	inst._zod.parse = (payload, _ctx) => {
		const input = payload.value;
		if (valuesSet.has(input)) return payload;
		payload.issues.push({
			code: "invalid_value",
			values,
			input,
			inst
		});
		return payload;
	};
});
var $ZodLiteral = /*@__PURE__*/ $constructor("$ZodLiteral", (inst, def) => {
	$ZodType.init(inst, def);
	const values = new Set(def.values);
	inst._zod.values = values;
	defineLazyInternal(inst, "pattern", (zod) => {
		const vals = zod.def.values;
		return new RegExp(vals.length ? `^(${vals.map((o) => typeof o === "string" ? escapeRegex(o) : o ? escapeRegex(o.toString()) : String(o)).join("|")})$` : "^[^\\s\\S]$");
	});
	inst._zod.parse = (payload, _ctx) => {
		const input = payload.value;
		if (values.has(input)) return payload;
		payload.issues.push({
			code: "invalid_value",
			values: def.values,
			input,
			inst
		});
		return payload;
	};
});
var $ZodTransform = /*@__PURE__*/ $constructor("$ZodTransform", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "optional";
	globalConfig.memoizer?.guard(inst);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") throw new $ZodEncodeError(inst.constructor.name);
		const _out = def.transform(payload.value, payload);
		if (ctx.async) return (_out instanceof Promise ? _out : Promise.resolve(_out)).then((output) => {
			payload.value = output;
			return payload;
		});
		if (_out instanceof Promise) throw new $ZodAsyncError();
		payload.value = _out;
		return payload;
	};
});
function handleOptionalResult(payload, result) {
	payload.value = result.issues.length ? void 0 : result.value;
	return payload;
}
var $ZodOptional = /*@__PURE__*/ $constructor("$ZodOptional", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
	inst._zod.optout = "optional";
	defineLazyInternal(inst, "values", (zod) => {
		const values = zod.def.innerType._zod.values;
		return values ? /* @__PURE__ */ new Set([...values, void 0]) : void 0;
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)})?$`) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === void 0) {
			if (def.innerType._zod.optin !== "defaulted") return payload;
			const result = def.innerType._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) return result.then((result) => handleOptionalResult(payload, result));
			return handleOptionalResult(payload, result);
		}
		return def.innerType._zod.run(payload, ctx);
	};
});
var $ZodNullable = /*@__PURE__*/ $constructor("$ZodNullable", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)}|null)$`) : void 0;
	});
	defineLazyInternal(inst, "values", (zod) => {
		return zod.def.innerType._zod.values ? /* @__PURE__ */ new Set([...zod.def.innerType._zod.values, null]) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === null) return payload;
		return def.innerType._zod.run(payload, ctx);
	};
});
function handleCatchResult(payload, result, def, ctx) {
	if (!result.issues.length) {
		payload.value = result.value;
		if (result.memo) payload.memo = true;
		return payload;
	}
	payload.value = def.catchValue({
		...result,
		value: payload.value,
		error: { issues: result.issues.map((iss) => finalizeIssue(iss, ctx, config())) },
		input: payload.value
	});
	return payload;
}
var $ZodCatch = /*@__PURE__*/ $constructor("$ZodCatch", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		const result = def.innerType._zod.run({
			value: payload.value,
			issues: []
		}, ctx);
		if (result instanceof Promise) return result.then((result) => handleCatchResult(payload, result, def, ctx));
		return handleCatchResult(payload, result, def, ctx);
	};
});
var $ZodPipe = /*@__PURE__*/ $constructor("$ZodPipe", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
	defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
	defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") {
			const right = def.out._zod.run(payload, ctx);
			if (right instanceof Promise) return right.then((right) => handlePipeResult(right, def.in, ctx));
			return handlePipeResult(right, def.in, ctx);
		}
		const left = def.in._zod.run(payload, ctx);
		if (left instanceof Promise) return left.then((left) => handlePipeResult(left, def.out, ctx));
		return handlePipeResult(left, def.out, ctx);
	};
});
function handlePipeResult(left, next, ctx) {
	if (left.issues.some((iss) => iss.code !== "unrecognized_keys")) {
		left.aborted = true;
		return left;
	}
	return next._zod.run({
		value: left.value,
		issues: left.issues
	}, ctx);
}
var $ZodCustom = /*@__PURE__*/ $constructor("$ZodCustom", (inst, def) => {
	$ZodCheck.init(inst, def);
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, _) => {
		return payload;
	};
	inst._zod.check = (payload) => {
		const input = payload.value;
		const r = def.fn(input);
		if (r instanceof Promise) return r.then((r) => handleRefineResult(r, payload, input, inst));
		handleRefineResult(r, payload, input, inst);
	};
});
function handleRefineResult(result, payload, input, inst) {
	if (!result) {
		const _iss = {
			code: "custom",
			input,
			inst,
			path: [...inst._zod.def.path ?? []],
			continue: !inst._zod.def.abort
		};
		if (inst._zod.def.params) _iss.params = inst._zod.def.params;
		payload.issues.push(issue(_iss));
	}
}
// node_modules/zod/v4/core/api.js
function snapshotChecks(def) {
	if (def.checks) def.checks = [...def.checks];
	return def;
}
// @__NO_SIDE_EFFECTS__
function _string(Class, params) {
	return new Class(snapshotChecks({
		type: "string",
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _email(Class, params) {
	return new Class({
		type: "string",
		format: "email",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuid(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _number(Class, params) {
	return new Class(snapshotChecks({
		type: "number",
		checks: [],
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _int(Class, params) {
	return new Class({
		type: "number",
		check: "number_format",
		abort: false,
		format: "safeint",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _boolean(Class, params) {
	return new Class({
		type: "boolean",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _unknown(Class) {
	return new Class({ type: "unknown" });
}
// @__NO_SIDE_EFFECTS__
function _maxLength(maximum, params) {
	return new $ZodCheckMaxLength({
		check: "max_length",
		...normalizeParams(params),
		maximum
	});
}
// @__NO_SIDE_EFFECTS__
function _minLength(minimum, params) {
	return new $ZodCheckMinLength({
		check: "min_length",
		...normalizeParams(params),
		minimum
	});
}
// @__NO_SIDE_EFFECTS__
function _regex(pattern, params) {
	return new $ZodCheckRegex({
		check: "string_format",
		format: "regex",
		...normalizeParams(params),
		pattern
	});
}
// @__NO_SIDE_EFFECTS__
function _overwrite(tx) {
	return new $ZodCheckOverwrite({
		check: "overwrite",
		tx
	});
}
// @__NO_SIDE_EFFECTS__
function _trim() {
	return /* @__PURE__ */ _overwrite((input) => input.trim());
}
// @__NO_SIDE_EFFECTS__
function _toLowerCase() {
	return /* @__PURE__ */ _overwrite((input) => input.toLowerCase());
}
// @__NO_SIDE_EFFECTS__
function _refine(Class, fn, _params) {
	return new Class({
		type: "custom",
		check: "custom",
		fn,
		...normalizeParams(_params)
	});
}
// node_modules/zod/v4/mini/schemas.js
var ZodMiniType = /*@__PURE__*/ $constructor("ZodMiniType", (inst, def) => {
	if (!inst._zod) throw new Error("Uninitialized schema in ZodMiniType.");
	$ZodType.init(inst, def);
	inst.def = def;
	inst.type = def.type;
}, {
	get with() {
		return this.check;
	},
	set with(value) {
		own(this, "with", value);
	},
	parse(data, params) {
		return parse$1(this, data, params, { callee: this.parse });
	},
	parseAsync(data, params) {
		return parseAsync(this, data, params, { callee: this.parseAsync });
	},
	safeParse(data, params) {
		return safeParse(this, data, params);
	},
	safeParseAsync(data, params) {
		return safeParseAsync(this, data, params);
	},
	check(...checks) {
		const def = this.def;
		return this.clone({
			...def,
			checks: [...def.checks ?? [], ...checks.map((ch) => typeof ch === "function" ? { _zod: {
				check: ch,
				def: { check: "custom" },
				onattach: []
			} } : ch)]
		}, { parent: true });
	},
	clone(_def, params) {
		return clone(this, _def, params);
	},
	brand() {
		return this;
	},
	register(reg, meta) {
		reg.add(this, meta);
		return this;
	},
	apply(fn, ...args) {
		return args.length === 0 ? fn(this) : fn(this, ...args);
	}
});
var ZodMiniString = /*@__PURE__*/ $constructor("ZodMiniString", (inst, def) => {
	$ZodString.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function string(params) {
	return /* @__PURE__ */ _string(ZodMiniString, params);
}
var ZodMiniStringFormat = /*@__PURE__*/ $constructor("ZodMiniStringFormat", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	ZodMiniString.init(inst, def);
});
var ZodMiniEmail = /*@__PURE__*/ $constructor("ZodMiniEmail", (inst, def) => {
	$ZodEmail.init(inst, def);
	ZodMiniStringFormat.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function email(params) {
	return /* @__PURE__ */ _email(ZodMiniEmail, params);
}
var ZodMiniUUID = /*@__PURE__*/ $constructor("ZodMiniUUID", (inst, def) => {
	$ZodUUID.init(inst, def);
	ZodMiniStringFormat.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function uuid(params) {
	return /* @__PURE__ */ _uuid(ZodMiniUUID, params);
}
var ZodMiniNumber = /*@__PURE__*/ $constructor("ZodMiniNumber", (inst, def) => {
	$ZodNumber.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function number(params) {
	return /* @__PURE__ */ _number(ZodMiniNumber, params);
}
var ZodMiniNumberFormat = /*@__PURE__*/ $constructor("ZodMiniNumberFormat", (inst, def) => {
	$ZodNumberFormat.init(inst, def);
	ZodMiniNumber.init(inst, def);
});
function int(params) {
	return /* @__PURE__ */ _int(ZodMiniNumberFormat, params);
}
var ZodMiniBoolean = /*@__PURE__*/ $constructor("ZodMiniBoolean", (inst, def) => {
	$ZodBoolean.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function boolean(params) {
	return /* @__PURE__ */ _boolean(ZodMiniBoolean, params);
}
var ZodMiniUnknown = /*@__PURE__*/ $constructor("ZodMiniUnknown", (inst, def) => {
	$ZodUnknown.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function unknown() {
	return /* @__PURE__ */ _unknown(ZodMiniUnknown);
}
var ZodMiniArray = /*@__PURE__*/ $constructor("ZodMiniArray", (inst, def) => {
	$ZodArray.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function array(element, params) {
	return new ZodMiniArray({
		type: "array",
		element,
		...normalizeParams(params)
	});
}
var ZodMiniObject = /*@__PURE__*/ $constructor("ZodMiniObject", (inst, def) => {
	$ZodObject.init(inst, def);
	ZodMiniType.init(inst, def);
	installLazyProp(inst, "shape", (self) => self._zod.def.shape, false);
});
// @__NO_SIDE_EFFECTS__
function object(shape, params) {
	return new ZodMiniObject({
		type: "object",
		shape: shape ?? {},
		...normalizeParams(params)
	});
}
var ZodMiniUnion = /*@__PURE__*/ $constructor("ZodMiniUnion", (inst, def) => {
	$ZodUnion.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function union(options, params) {
	return new ZodMiniUnion({
		type: "union",
		options,
		...normalizeParams(params)
	});
}
var ZodMiniDiscriminatedUnion = /*@__PURE__*/ $constructor("ZodMiniDiscriminatedUnion", (inst, def) => {
	$ZodDiscriminatedUnion.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function discriminatedUnion(discriminator, options, params) {
	return new ZodMiniDiscriminatedUnion({
		type: "union",
		options,
		discriminator,
		...normalizeParams(params)
	});
}
var ZodMiniEnum = /*@__PURE__*/ $constructor("ZodMiniEnum", (inst, def) => {
	$ZodEnum.init(inst, def);
	ZodMiniType.init(inst, def);
	inst.options = [...inst._zod.values];
});
// @__NO_SIDE_EFFECTS__
function _enum(values, params) {
	return new ZodMiniEnum({
		type: "enum",
		entries: Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values,
		...normalizeParams(params)
	});
}
var ZodMiniLiteral = /*@__PURE__*/ $constructor("ZodMiniLiteral", (inst, def) => {
	$ZodLiteral.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function literal(value, params) {
	return new ZodMiniLiteral({
		type: "literal",
		values: Array.isArray(value) ? value : [value],
		...normalizeParams(params)
	});
}
var ZodMiniTransform = /*@__PURE__*/ $constructor("ZodMiniTransform", (inst, def) => {
	$ZodTransform.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function transform(fn) {
	return new ZodMiniTransform({
		type: "transform",
		transform: fn
	});
}
var ZodMiniOptional = /*@__PURE__*/ $constructor("ZodMiniOptional", (inst, def) => {
	$ZodOptional.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function optional(innerType) {
	return new ZodMiniOptional({
		type: "optional",
		innerType
	});
}
var ZodMiniNullable = /*@__PURE__*/ $constructor("ZodMiniNullable", (inst, def) => {
	$ZodNullable.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function nullable(innerType) {
	return new ZodMiniNullable({
		type: "nullable",
		innerType
	});
}
var ZodMiniCatch = /*@__PURE__*/ $constructor("ZodMiniCatch", (inst, def) => {
	$ZodCatch.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function _catch(innerType, catchValue) {
	return new ZodMiniCatch({
		type: "catch",
		innerType,
		catchValue: typeof catchValue === "function" ? catchValue : constantCatch(catchValue)
	});
}
var ZodMiniPipe = /*@__PURE__*/ $constructor("ZodMiniPipe", (inst, def) => {
	$ZodPipe.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function pipe(in_, out) {
	return new ZodMiniPipe({
		type: "pipe",
		in: in_,
		out
	});
}
var ZodMiniCustom = /*@__PURE__*/ $constructor("ZodMiniCustom", (inst, def) => {
	$ZodCustom.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function refine(fn, _params = {}) {
	return /* @__PURE__ */ _refine(ZodMiniCustom, fn, _params);
}
// shared/accounts/constants.ts
var USERNAME_PATTERN = /^[A-Za-z0-9_.-]+$/;
/** Shown by the app, and sent by the server. */
var VERIFICATION_TOKEN_MISSING_MESSAGE = "No verification token provided.";
// shared/accounts/schema.ts
/**
* A user as seen by themselves and by administrators. `createdAt` is ISO 8601 UTC. `referralPoints` are the points earned
* by referrals; absent if there are none or if they were not queried. `epoch` identifies the history of the server's
* database: a UUID that is created with the database and renewed after a restore from a backup. It is absent in lists of
* users and in responses of servers older than this field.
*/
var userSchema = /* @__PURE__ */ object({
	id: int(),
	username: /* @__PURE__ */ string(),
	email: /* @__PURE__ */ string(),
	points: int(),
	referralCode: /* @__PURE__ */ string(),
	referralPoints: /* @__PURE__ */ optional(int()),
	isAdmin: /* @__PURE__ */ boolean(),
	isSuspended: /* @__PURE__ */ boolean(),
	isVerified: /* @__PURE__ */ boolean(),
	createdAt: /* @__PURE__ */ string(),
	rev: int(),
	epoch: /* @__PURE__ */ optional(/* @__PURE__ */ uuid())
});
var USERNAME_TOO_SHORT = `Username must be at least 3 characters`;
(/* @__PURE__ */ string(USERNAME_TOO_SHORT)).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _minLength(3, USERNAME_TOO_SHORT), /* @__PURE__ */ _maxLength(30, `Username must be at most 30 characters`), /* @__PURE__ */ _regex(USERNAME_PATTERN, "Use letters, digits, dots, dashes and underscores only"));
function emailSchema(message) {
	return (/* @__PURE__ */ string(message)).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ email(message), /* @__PURE__ */ _maxLength(254, message));
}
var PASSWORD_TOO_SHORT = `Password must be at least 8 characters`;
(/* @__PURE__ */ string(PASSWORD_TOO_SHORT)).check(/* @__PURE__ */ _minLength(8, PASSWORD_TOO_SHORT), /* @__PURE__ */ _maxLength(128, `Password must be at most 128 characters`));
emailSchema("Please enter a valid email");
emailSchema("Please enter a valid email");
emailSchema("Please enter a valid email address");
var RESET_TOKEN_MISSING_MESSAGE = "No reset token provided. Please request a new password reset link.";
(/* @__PURE__ */ string(RESET_TOKEN_MISSING_MESSAGE)).check(/* @__PURE__ */ _minLength(1, RESET_TOKEN_MISSING_MESSAGE));
(/* @__PURE__ */ string(VERIFICATION_TOKEN_MISSING_MESSAGE)).check(/* @__PURE__ */ _minLength(1, VERIFICATION_TOKEN_MISSING_MESSAGE));
(/* @__PURE__ */ string("Username is required")).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _minLength(1, "Username is required")), (/* @__PURE__ */ string("Password is required")).check(/* @__PURE__ */ _minLength(1, "Password is required"));
// shared/accounts/contract.ts
var readUser = {
	method: "GET",
	path: "/api/user",
	summary: "Returns the logged-in user",
	access: "user",
	responses: { 200: {
		description: "The user",
		content: userSchema
	} }
};
var logOut$1 = {
	method: "POST",
	path: "/api/logout",
	summary: "Ends the current session",
	access: "anyone",
	responses: { 204: {
		description: "The session has ended",
		content: null
	} }
};
// shared/http.ts
/** Request and response headers of the calls that clients queue. */
var IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";
var EXPECTED_USER_HEADER = "X-Expected-User";
/** Response of `GET /api/health`. Any other body, for example from a captive portal, counts as a failure. */
var healthSchema = /* @__PURE__ */ object({
	status: /* @__PURE__ */ literal("ok"),
	app: /* @__PURE__ */ literal("this-or-that"),
	version: /* @__PURE__ */ string()
});
var pollIdSchema = /* @__PURE__ */ uuid();
/** Schema of a UUID path parameter; `notFound` is the message for malformed ones. */
var uuidParamsSchema = (notFound) => /* @__PURE__ */ object({ id: (/* @__PURE__ */ uuid(notFound)).check(/* @__PURE__ */ _toLowerCase()) });
var idempotencyKeySchema = /* @__PURE__ */ uuid();
/** An integer query parameter: clamped to the range, `fallback` if absent, an error if not a number. */
function clampedIntParam(options) {
	return /* @__PURE__ */ pipe(/* @__PURE__ */ optional((/* @__PURE__ */ string()).check(/* @__PURE__ */ _regex(/^-?\d+$/, "Must be a whole number"))), /* @__PURE__ */ transform((text) => text === void 0 ? options.fallback : Math.min(options.max, Math.max(options.min, Number(text)))));
}
/** Appends a query string; parameters that are null or undefined are skipped. */
function withQuery(path, parameters) {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(parameters)) if (value !== null && value !== void 0) query.set(name, String(value));
	const text = query.toString();
	return text === "" ? path : `${path}?${text}`;
}
// shared/contract.ts
/** Schema of the JSON body of a call's response, by default for the first status of its definition. */
function responseSchema(call, status) {
	const { responses } = call;
	return (status === void 0 ? Object.values(responses)[0] : responses[Number(status)])?.content;
}
/** Builds the path of a call with path parameters and query string. */
function buildPath({ path }, urlParams) {
	const { params = {}, query = {} } = urlParams;
	return withQuery(path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name]))), query);
}
/**
* Body of every response with status 400 or above. `message` can be shown to the user. Codes of newer servers are parsed
* as `unknown`, so that older clients still handle them by status and message.
*/
var errorBodySchema = /* @__PURE__ */ object({
	message: /* @__PURE__ */ string(),
	code: /* @__PURE__ */ _catch(/* @__PURE__ */ union([/* @__PURE__ */ _enum(Object.keys({
		invalid_input: 400,
		invalid_token: 400,
		invalid_key: 400,
		unauthenticated: 401,
		invalid_credentials: 401,
		insufficient_points: 402,
		bad_origin: 403,
		not_admin: 403,
		suspended: 403,
		own_poll: 403,
		protected_account: 403,
		not_found: 404,
		unknown_endpoint: 404,
		taken: 409,
		already_voted: 409,
		not_voted: 409,
		change_limit: 409,
		poll_closed: 409,
		id_taken: 409,
		actor_mismatch: 409,
		in_flight: 409,
		too_large: 413,
		unsupported_type: 415,
		undecodable: 422,
		key_reused: 422,
		rate_limited: 429,
		internal: 500,
		unavailable: 503,
		busy: 503
	})), /* @__PURE__ */ literal("unknown")]), "unknown"),
	requestId: /* @__PURE__ */ _catch(/* @__PURE__ */ string(), ""),
	issues: /* @__PURE__ */ optional(/* @__PURE__ */ array(/* @__PURE__ */ object({
		path: /* @__PURE__ */ string(),
		message: /* @__PURE__ */ string()
	})))
});
// shared/polls/constants.ts
/** Validation messages of the create dialog and of the server. */
var QUESTION_REQUIRED_MESSAGE = "Please enter a question for your poll";
var RESPONSES_MAX = 1e6;
var DAY_MS = 864e5;
var FEED_OFFSET_MAX = 1e4;
// shared/polls/schema.ts
var optionSchema = /* @__PURE__ */ union([/* @__PURE__ */ literal(1), /* @__PURE__ */ literal(2)]);
/**
* The status as parsed by a client: unknown values of newer servers become `inactive`, so that the app does not offer a
* vote that might be refused.
*/
var receivedStatusSchema = /* @__PURE__ */ _catch(/* @__PURE__ */ _enum([
	"active",
	"inactive",
	"expired",
	"completed"
]), "inactive");
var sizeSchema = /* @__PURE__ */ object({
	width: int(),
	height: int()
});
/**
* A poll as visible to one viewer. `votes` contains at most the viewer's own vote; its `changesLeft` is absent in responses
* of servers older than this field. `results` (votes per option) is null until the viewer may see them. Dates are ISO 8601
* UTC, `duration` is in days, sizes are in pixels, previews are base64 ThumbHashes (null for placeholders).
*/
var pollSchema = /* @__PURE__ */ object({
	id: pollIdSchema,
	question: /* @__PURE__ */ string(),
	user: /* @__PURE__ */ nullable(/* @__PURE__ */ object({ username: /* @__PURE__ */ string() })),
	option1Image: /* @__PURE__ */ string(),
	option2Image: /* @__PURE__ */ string(),
	option1Caption: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option2Caption: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option1Preview: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option2Preview: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option1Size: /* @__PURE__ */ nullable(sizeSchema),
	option2Size: /* @__PURE__ */ nullable(sizeSchema),
	votesCount: int(),
	commentCount: int(),
	createdAt: /* @__PURE__ */ string(),
	closesAt: /* @__PURE__ */ string(),
	duration: int(),
	active: /* @__PURE__ */ boolean(),
	responsesWanted: int(),
	status: receivedStatusSchema,
	votes: /* @__PURE__ */ array(/* @__PURE__ */ object({
		option: optionSchema,
		changesLeft: /* @__PURE__ */ optional(int())
	})),
	results: /* @__PURE__ */ nullable(/* @__PURE__ */ object({
		option1: int(),
		option2: int()
	})),
	isMine: /* @__PURE__ */ boolean(),
	isSample: /* @__PURE__ */ boolean(),
	rev: int(),
	votesLast24h: /* @__PURE__ */ optional(int())
});
/** Rejects NUL characters and lone surrogates, which PostgreSQL cannot store. */
var storableText = /* @__PURE__ */ refine((text) => !text.includes("\0") && text.isWellFormed(), "Contains characters that cannot be stored");
var captionSchema = /* @__PURE__ */ pipe(/* @__PURE__ */ optional((/* @__PURE__ */ string()).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _maxLength(80, `A caption has at most 80 characters`), storableText)), /* @__PURE__ */ transform((text) => text === void 0 || text === "" ? null : text));
/** An integer field of a multipart form, where every value is a string; `fallback` if empty or absent. */
function intFormField(options) {
	return /* @__PURE__ */ pipe(/* @__PURE__ */ optional(/* @__PURE__ */ string()), /* @__PURE__ */ transform((text, context) => {
		const value = text === void 0 || text === "" ? options.fallback : Number(text);
		if ((text === void 0 || /^\d{0,9}$/.test(text)) && value >= options.min && value <= options.max) return value;
		context.issues.push({
			code: "custom",
			message: options.message,
			input: text
		});
		return NEVER;
	}));
}
/** The text fields of `POST /api/questions` (multipart, so every value is a string). */
var createPollFieldsSchema = /* @__PURE__ */ object({
	id: /* @__PURE__ */ optional(pollIdSchema),
	question: (/* @__PURE__ */ string(QUESTION_REQUIRED_MESSAGE)).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _minLength(1, QUESTION_REQUIRED_MESSAGE), /* @__PURE__ */ _maxLength(200, `A question has at most 200 characters`), storableText),
	option1Caption: captionSchema,
	option2Caption: captionSchema,
	duration: intFormField({
		min: 1,
		max: 30,
		fallback: 7,
		message: `A poll is open for 1 to 30 days`
	}),
	responsesWanted: intFormField({
		min: 10,
		max: RESPONSES_MAX,
		fallback: 10,
		message: `A poll asks for at least 10 responses`
	})
});
var voteInputSchema = /* @__PURE__ */ object({ option: optionSchema });
var feedQuerySchema = /* @__PURE__ */ object({
	limit: clampedIntParam({
		min: 1,
		max: 100,
		fallback: 24
	}),
	offset: clampedIntParam({
		min: 0,
		max: FEED_OFFSET_MAX,
		fallback: 0
	}),
	includeCount: /* @__PURE__ */ optional(/* @__PURE__ */ string()),
	cursor: /* @__PURE__ */ optional(/* @__PURE__ */ string())
});
var trendingQuerySchema = /* @__PURE__ */ object({
	limit: clampedIntParam({
		min: 1,
		max: 20,
		fallback: 2
	}),
	minVotes: clampedIntParam({
		min: 0,
		max: RESPONSES_MAX,
		fallback: 1
	}),
	metrics: /* @__PURE__ */ optional(/* @__PURE__ */ string())
});
var feedPageSchema = /* @__PURE__ */ object({
	data: /* @__PURE__ */ array(pollSchema),
	pagination: /* @__PURE__ */ object({
		limit: int(),
		offset: int(),
		hasMore: /* @__PURE__ */ boolean(),
		nextCursor: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
		total: /* @__PURE__ */ optional(int())
	})
});
var pollListSchema = /* @__PURE__ */ array(pollSchema);
/**
* Response to a vote or a creation: the current poll and user. `poll` is null if a retried call's poll was deleted in the
* meantime.
*/
var mutationResponseSchema = /* @__PURE__ */ object({
	poll: /* @__PURE__ */ nullable(pollSchema),
	user: userSchema
});
// shared/polls/contract.ts
var pollParams = uuidParamsSchema("Poll not found.");
var readFeed = {
	method: "GET",
	path: "/api/questions",
	summary: "Lists the latest polls, newest first",
	access: "user",
	query: feedQuerySchema,
	responses: {
		200: {
			description: "One page, with an ETag",
			content: feedPageSchema
		},
		304: {
			description: "Unchanged since the ETag in If-None-Match",
			content: null
		}
	}
};
var createPoll$1 = {
	method: "POST",
	path: "/api/questions",
	summary: "Creates a poll with two images and deducts its cost",
	access: "user",
	form: {
		fields: createPollFieldsSchema,
		files: ["option1Image", "option2Image"]
	},
	isIdempotent: true,
	responses: {
		200: {
			description: "The user has already created a poll with this id: its current state, or null if it was deleted",
			content: mutationResponseSchema
		},
		201: {
			description: "The new poll and the updated user",
			content: mutationResponseSchema
		}
	},
	errors: ["insufficient_points", "id_taken"]
};
var readPoll = {
	method: "GET",
	path: "/api/questions/{id}",
	summary: "Returns a poll",
	access: "user",
	params: pollParams,
	responses: { 200: {
		description: "The poll as visible to the viewer",
		content: pollSchema
	} }
};
var castVote = {
	method: "POST",
	path: "/api/questions/{id}/vote",
	summary: "Casts a vote; one per user and poll",
	access: "user",
	params: pollParams,
	json: voteInputSchema,
	isIdempotent: true,
	responses: { 200: {
		description: "The poll (null if deleted in the meantime) and the user after the vote",
		content: mutationResponseSchema
	} },
	errors: [
		"own_poll",
		"already_voted",
		"poll_closed"
	]
};
var changeVote$1 = {
	method: "PUT",
	path: "/api/questions/{id}/vote",
	summary: "Changes a vote to the other option, at most five times per poll; points are unaffected",
	access: "user",
	params: pollParams,
	json: voteInputSchema,
	isIdempotent: true,
	responses: { 200: {
		description: "The poll (null if deleted in the meantime) and the user",
		content: mutationResponseSchema
	} },
	errors: [
		"not_voted",
		"poll_closed",
		"change_limit"
	]
};
var readTrending = {
	method: "GET",
	path: "/api/trending",
	summary: "Lists the active polls with the most votes",
	access: "user",
	query: trendingQuerySchema,
	responses: { 200: {
		description: "The polls, most votes first",
		content: pollListSchema
	} }
};
var listOwnPolls = {
	method: "GET",
	path: "/api/user/questions",
	summary: "Lists the polls of the logged-in user",
	access: "user",
	responses: { 200: {
		description: "The polls, newest first",
		content: pollListSchema
	} }
};
// sync/client/cache/cache.ts
/**
* Merges a poll from the server into the cached one: never replaces a newer revision, and never drops the user's own
* confirmed vote.
*/
function mergePoll(cached, incoming) {
	if (cached === void 0) return incoming;
	if (incoming.rev < cached.rev) {
		const [incomingVote] = incoming.votes;
		const [cachedVote] = cached.votes;
		if (incomingVote === void 0) return cached;
		const isLater = (incomingVote.changesLeft ?? Number.POSITIVE_INFINITY) < (cachedVote?.changesLeft ?? 0);
		if (cachedVote !== void 0) return isLater ? {
			...cached,
			votes: [incomingVote],
			areResultsOld: true
		} : cached;
		return {
			...cached,
			votes: incoming.votes,
			results: cached.results ?? incoming.results
		};
	}
	if (incoming.votes.length > 0 || cached.votes.length === 0) return incoming;
	return {
		...incoming,
		votes: cached.votes,
		results: incoming.results ?? cached.results
	};
}
/** Checks an answer of the server with `epoch`. Runs in the transaction that stores it, so that no log out comes between. */
async function answerValidity(db, userId, epoch) {
	const user = await db.user.get(userId);
	if (user === void 0) return "logged_out";
	return epoch !== void 0 && user.epoch !== void 0 && user.epoch !== epoch ? "former_server" : "current";
}
/** Merges polls into the cache. Runs in the caller's transaction. */
async function putPolls(db, polls) {
	const ids = [...new Set(polls.map((poll) => poll.id))];
	const cached = await db.polls.bulkGet(ids);
	const merged = new Map(ids.map((id, index) => [id, cached[index]]));
	for (const poll of polls) merged.set(poll.id, mergePoll(merged.get(poll.id), poll));
	await db.polls.bulkPut([...merged.values()].filter((poll) => poll !== void 0));
}
/** Stores the user unless the cache has a newer revision. Keeps `referralPoints`, which not every answer contains. */
async function putUser(db, user) {
	await db.transaction("rw", db.user, async () => {
		const cached = await db.user.get(user.id);
		if (cached !== void 0 && user.rev < cached.rev) {
			if (cached.epoch === void 0 && user.epoch !== void 0) await db.user.update(user.id, { epoch: user.epoch });
			return;
		}
		const hasNewerPoints = (cached?.pointsRev ?? 0) > user.rev;
		const merged = {
			...cached,
			...user,
			points: hasNewerPoints && cached ? cached.points : user.points
		};
		if (JSON.stringify(merged) !== JSON.stringify(cached)) await db.user.put(merged);
	});
}
/** Removes polls that no longer exist on the server. */
async function dropPolls(db, pollIds) {
	await db.transaction("rw", db.polls, db.feed, db.mine, db.trending, async () => {
		for (const table of [
			db.polls,
			db.feed,
			db.mine,
			db.trending
		]) await table.bulkDelete([...pollIds]);
	});
}
// sync/client/cache/cached-lists.ts
/** Beyond this number, polls that no list and no op refers to are deleted. */
var POLLS_KEPT = 600;
/** The polls of the feed that a load of page 1 keeps: ten pages. */
var FEED_KEPT = 240;
/** Reads that start this long after the acknowledgement of a poll contain it: the server buffers reads. */
var READ_AFTER_ACK_MS = 2e3;
/**
* Replaces a list by the result of a read that started at `startedAt`. Own polls that were acknowledged too late to be in
* that result stay at the top.
*/
async function replaceList(list, polls, startedAt) {
	const known = new Set(polls.map((poll) => poll.id));
	const newer = (await list.orderBy("position").toArray()).filter(({ pollId, ackedAt }) => ackedAt !== void 0 && startedAt < ackedAt + READ_AFTER_ACK_MS && !known.has(pollId));
	await list.clear();
	await list.bulkPut(newer.map((entry, index) => ({
		...entry,
		position: index - newer.length
	})));
	await list.bulkPut(polls.map((poll, position) => ({
		pollId: poll.id,
		position
	})));
}
/** The tables that a change of the feed may touch; polls that nothing else refers to are deleted with it. */
function feedTables(db) {
	return [
		db.polls,
		db.feed,
		db.mine,
		db.trending,
		db.ops,
		db.listMeta
	];
}
/** Puts an own poll that was acknowledged at `ackedAt` at the top of a list that does not contain it. */
async function putFirst(list, pollId, ackedAt) {
	if (await list.get(pollId) !== void 0) return;
	const first = await list.orderBy("position").first();
	await list.put({
		pollId,
		position: (first?.position ?? 0) - 1,
		ackedAt
	});
}
/** Replaces `mine` or `trending` by the result of a read that started at `startedAt`. */
async function putList(db, list, polls, startedAt) {
	await db.transaction("rw", db.polls, db[list], db.listMeta, async () => {
		await putPolls(db, polls);
		await replaceList(db[list], polls, startedAt);
		await db.listMeta.put({
			list,
			fetchedAt: startedAt,
			etag: null,
			nextCursor: null,
			hasMore: false
		});
	});
}
/** Replaces the stored feed by its first page. */
async function putFirstPage(db, page, options) {
	await db.transaction("rw", feedTables(db), async () => {
		await putPolls(db, page.data);
		await replaceList(db.feed, page.data, options.startedAt);
		await collectGarbage(db);
		const { nextCursor, hasMore } = page.pagination;
		await db.listMeta.put({
			list: "feed",
			fetchedAt: options.startedAt,
			etag: options.etag,
			nextCursor,
			hasMore
		});
	});
}
/**
* Appends the page requested with `cursor`, without repeating a poll. A page requested before the list was replaced is
* dropped: it would leave a gap.
*/
async function appendPage(db, page, cursor) {
	await db.transaction("rw", db.polls, db.feed, db.listMeta, async () => {
		const meta = await db.listMeta.get("feed");
		if (meta === void 0 || meta.nextCursor !== cursor) return;
		await putPolls(db, page.data);
		const known = new Set(await db.feed.toCollection().primaryKeys());
		const next = ((await db.feed.orderBy("position").last())?.position ?? -1) + 1;
		const fresh = page.data.filter((poll) => !known.has(poll.id));
		await db.feed.bulkPut(fresh.map((poll, index) => ({
			pollId: poll.id,
			position: next + index
		})));
		const { nextCursor, hasMore } = page.pagination;
		await db.listMeta.put({
			...meta,
			nextCursor,
			hasMore
		});
	});
}
/**
* Keeps the stored list after a 304 to a request at `startedAt`, except for pages far down and own polls that page 1 should
* have contained by then.
*/
async function keepFirstPage(db, startedAt) {
	await db.transaction("rw", feedTables(db), async () => {
		const meta = await db.listMeta.get("feed");
		if (meta === void 0) return;
		await db.listMeta.put({
			...meta,
			fetchedAt: startedAt
		});
		await db.feed.filter(({ ackedAt }) => ackedAt !== void 0 && startedAt >= ackedAt + READ_AFTER_ACK_MS).delete();
		await trimFeed(db, FEED_KEPT);
	});
}
/** Shortens the feed to its first `kept` polls and deletes the others unless something else refers to them. */
async function trimFeed(db, kept) {
	await db.transaction("rw", feedTables(db), async () => {
		const old = await db.feed.orderBy("position").offset(kept).primaryKeys();
		const meta = await db.listMeta.get("feed");
		if (old.length === 0 || meta === void 0) return;
		await db.feed.bulkDelete(old);
		await db.listMeta.put({
			...meta,
			nextCursor: null,
			hasMore: true
		});
		const referredTo = await pollsReferredTo(db);
		await db.polls.bulkDelete(old.filter((id) => !referredTo.has(id)));
	});
}
async function collectGarbage(db) {
	if (await db.polls.count() <= POLLS_KEPT) return;
	const referredTo = await pollsReferredTo(db);
	await db.polls.filter((poll) => !referredTo.has(poll.id)).delete();
}
async function pollsReferredTo(db) {
	const lists = [
		db.feed,
		db.mine,
		db.trending
	];
	const ids = await Promise.all(lists.map((list) => list.toCollection().primaryKeys()));
	const ops = await db.ops.toArray();
	return /* @__PURE__ */ new Set([...ids.flat(), ...ops.map((op) => op.entityId)]);
}
// sync/client/cache/pull.ts
var PULL_TIMEOUT_MS = 15e3;
/** Sends a GET; null when there was no complete answer. */
async function get(transport, path, headers = {}) {
	try {
		return await transport({
			method: "GET",
			path,
			headers: {
				Accept: "application/json",
				...headers
			},
			body: null,
			timeoutMs: PULL_TIMEOUT_MS
		});
	} catch {
		return null;
	}
}
/** The code of an error answered by the API; null for any other answer. */
function errorCodeOf({ status, body }) {
	const error = status < 400 ? null : errorBodySchema.safeParse(body);
	return error?.success ? error.data.code : null;
}
/** The signed-in user according to the server; null for none, `unreachable` without a usable answer. */
async function fetchUser(transport, onAnswer) {
	const answer = await get(transport, readUser.path);
	onAnswer(answer);
	if (answer !== null && errorCodeOf(answer) === "unauthenticated") return null;
	const user = userSchema.safeParse(answer?.body);
	return answer?.status === 200 && user.success ? user.data : "unreachable";
}
/**
* Makes `call` for the context's user and passes a valid body to `store`. The result is `signed_out`, and nothing is stored,
* when the session belongs to somebody else, or when the user's database has changed hands since the request: by a log out,
* another server, or a browser that has deleted it.
*/
async function pull(context, call, address, store, headers = {}) {
	const { db, userId } = context;
	const epoch = (await db.user.get(userId))?.epoch;
	const answer = await get(context.transport, buildPath(call, address), {
		[EXPECTED_USER_HEADER]: String(userId),
		...epoch !== void 0 && { ["X-Expected-Epoch"]: epoch },
		...headers
	});
	context.onAnswer(answer);
	if (answer === null) return "unreachable";
	if (answer.status === 304) return "unchanged";
	if (answer.body === null) return "unreachable";
	const code = errorCodeOf(answer);
	if (code === "unauthenticated" || code === "actor_mismatch") return "signed_out";
	if (code === "not_found") return "gone";
	const body = safeParse(responseSchema(call), answer.body);
	if (answer.status !== 200 || !body.success) return "failed";
	return db.transaction("rw", db.tables, async () => {
		if (await answerValidity(db, userId, epoch) !== "current") return "signed_out";
		await store(body.data, answer);
		return "updated";
	});
}
/** Loads page 1 of the feed, which replaces the stored list; a 304 keeps it. */
async function pullFeed(context) {
	const { db, nowMs } = context;
	const startedAt = nowMs();
	const meta = await db.listMeta.get("feed");
	const result = await pull(context, readFeed, { query: {
		limit: 24,
		offset: 0,
		includeCount: true
	} }, (page, answer) => putFirstPage(db, page, {
		etag: answer.headers.get("ETag"),
		startedAt
	}), meta?.etag ? { "If-None-Match": meta.etag } : {});
	if (result === "unchanged") await keepFirstPage(db, startedAt);
	return result;
}
/** Loads and appends the page after the last stored one. */
async function pullMoreFeed(context) {
	const { db } = context;
	const meta = await db.listMeta.get("feed");
	if (meta === void 0 || !meta.hasMore) return "unchanged";
	return pull(context, readFeed, { query: {
		limit: 24,
		offset: await db.feed.count(),
		includeCount: true,
		cursor: meta.nextCursor
	} }, (page) => appendPage(db, page, meta.nextCursor));
}
async function pullTrending(context) {
	const startedAt = context.nowMs();
	return pull(context, readTrending, { query: {
		limit: 2,
		metrics: true,
		minVotes: 1
	} }, (polls) => {
		const top = polls.toSorted((a, b) => b.votesCount - a.votesCount).slice(0, 2);
		return putList(context.db, "trending", top, startedAt);
	});
}
async function pullMine(context) {
	const startedAt = context.nowMs();
	return pull(context, listOwnPolls, {}, (polls) => putList(context.db, "mine", polls, startedAt));
}
/** Loads one poll, or removes it when the server no longer has it. */
async function pullPoll(context, pollId) {
	const result = await pull(context, readPoll, { params: { id: pollId } }, (poll) => putPolls(context.db, [poll]));
	if (result === "gone") await dropPolls(context.db, [pollId]);
	return result;
}
// sync/client/cache/puller.ts
/** Longer than any request with its storing; a pull that never ends must not block later ones. */
var PULL_LIMIT_MS = 6e4;
/** The pulls of a tab. Concurrent calls of the same pull share one request. */
function createPuller(context) {
	const running = /* @__PURE__ */ new Map();
	async function pull(name, run) {
		const current = context.session.get();
		if (current.status !== "user") throw new SignedOutError();
		const userId = current.user.id;
		const key = `${userId}:${name}`;
		const underWay = running.get(key);
		if (underWay !== void 0) return underWay;
		const runOnce = (db) => withTimeLimit(context.clock, PULL_LIMIT_MS, run({
			...context,
			db,
			userId
		}));
		const started = runOnce(current.db).then(async (result) => {
			if (result !== "signed_out") return result;
			await context.onSignedOut(userId);
			const after = context.session.get();
			return after.status === "user" && after.user.id === userId && !after.needsLogin ? runOnce(after.db) : result;
		}).finally(() => running.delete(key));
		running.set(key, started);
		return started;
	}
	return {
		pullFeed: () => pull("feed", pullFeed),
		pullMoreFeed: () => pull("more", pullMoreFeed),
		pullTrending: () => pull("trending", pullTrending),
		pullMine: () => pull("mine", pullMine),
		pullPoll: (pollId) => pull(`poll:${pollId}`, (one) => pullPoll(one, pollId))
	};
}
// sync/client/cache/storage.ts
/** Bytes that stay free for the rest of the app. */
var RESERVE_BYTES = 10485760;
/** The device has no storage space left. */
var StorageFullError = class extends Error {
	name = "StorageFullError";
	code = "storage_full";
};
/** Whether `bytes` more fit, by the estimate of the browser. */
async function hasSpaceFor(storage, bytes) {
	const freeBytes = await storage.freeBytes();
	return freeBytes === null || freeBytes - RESERVE_BYTES >= bytes;
}
/**
* Runs `store`. While the device is full, frees space and tries again: deletes acknowledged ops with their images, then
* cached images, then old pages of the feed, never ops that wait to be sent. Throws `StorageFullError` when that was not
* enough.
*/
async function withFreedSpace(storage, db, store) {
	const steps = [
		() => db.acknowledged.clear(),
		() => storage.dropImages(),
		() => trimFeed(db, 24)
	];
	for (;;) try {
		return await store();
	} catch (error) {
		if (!isQuotaError(error)) throw error;
		const freeSpace = steps.shift();
		if (freeSpace === void 0) throw new StorageFullError("No room left on this device", { cause: error });
		await freeSpace();
	}
}
/** Whether an error means that the device is full, by the browser's refusal or by its estimate. */
function isQuotaError(error) {
	if (!(error instanceof Error)) return false;
	if (error instanceof StorageFullError || error.name === "QuotaExceededError") return true;
	return "inner" in error && isQuotaError(error.inner);
}
// sync/client/observable.ts
function observable(initial) {
	let value = initial;
	const listeners = /* @__PURE__ */ new Set();
	return {
		get: () => value,
		set(next) {
			value = next;
			for (const listener of listeners) listener();
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		}
	};
}
// sync/client/device/evictions.ts
/** Detects that the browser has evicted data. Stored at once, so that it survives this tab; reported in a visible tab. */
function createEvictions(deviceNote, session) {
	const eviction = observable(null);
	const wasUsedBefore = deviceNote.hasBeenUsed();
	let isVisible = true;
	/** Reports an eviction found by any tab, if this tab is visible and does not belong to another user. */
	function report() {
		const stored = deviceNote.readEviction();
		const current = session.get();
		if (!isVisible || stored === null || stored === "unclear") return;
		if (current.status === "user" && current.user.id !== stored.userId || current.status === "loading") return;
		deviceNote.noteEviction(null);
		eviction.set(stored);
	}
	return {
		eviction,
		report,
		setVisible(next) {
			isVisible = next;
			report();
		},
		/** The device database was created anew with nobody signed in: it is unclear yet whether anybody has lost data. */
		noteCleared() {
			if (wasUsedBefore && deviceNote.readEviction() === null) deviceNote.noteEviction("unclear");
		},
		/** Whether the device was cleared since the last call. */
		takeCleared() {
			const isCleared = deviceNote.readEviction() === "unclear";
			if (isCleared) deviceNote.noteEviction(null);
			return isCleared;
		},
		/** A user's data was evicted; null when nobody is signed in, so that only the device note knows whose it was. */
		onEvicted(signedInId) {
			const waiting = deviceNote.readWaiting();
			const userId = signedInId ?? waiting?.userId;
			const lostChanges = waiting !== null && waiting.userId === userId ? waiting.count : null;
			if (userId !== void 0 && lostChanges !== 0) {
				deviceNote.noteEviction({
					userId,
					lostChanges
				});
				deviceNote.noteWaiting(userId, 0);
			}
			report();
		}
	};
}
// sync/client/background.ts
/** Ignores the failure of `work` (of a closed database, say): the next trigger or the watchdog repeats it. */
function background(work) {
	work.catch(() => {});
}
// sync/protocol/op.ts
/**
* Whether the server cannot have received an op: no tab has leased it, or the device was offline whenever one did. The
* first release sets `leaseUntil` only.
*/
function isNeverSent({ firstLeasedAt, leaseUntil }) {
	return firstLeasedAt === null && leaseUntil === 0;
}
/** The fields of a newly queued op. */
var NOT_ATTEMPTED = {
	state: "queued",
	attempts: 0,
	nextAttemptAt: 0,
	leaseOwner: null,
	leaseUntil: 0,
	lastError: null
};
/** The fields of an op that was attempted before and starts over. */
var STARTED_OVER = {
	...NOT_ATTEMPTED,
	refusals: 0,
	failedUploads: 0,
	wasTakenOver: false
};
/** The lease fields of an op that was certainly not sent. */
var NEVER_SENT = {
	firstLeasedAt: null,
	leaseUntil: 0
};
// sync/operations/vote.ts
/** The payload of a vote. `question` and `caption` are not sent: the outbox page shows them, even without the cached poll. */
var votePayloadSchema = /* @__PURE__ */ object({
	pollId: pollIdSchema,
	option: optionSchema,
	question: /* @__PURE__ */ optional(/* @__PURE__ */ string()),
	caption: /* @__PURE__ */ optional(/* @__PURE__ */ string())
});
/** The payload with the texts of the cached poll. */
function withPollTexts(payload, poll) {
	const caption = (payload.option === 1 ? poll?.option1Caption : poll?.option2Caption) ?? void 0;
	return {
		...payload,
		question: poll?.question,
		caption
	};
}
var voteBody = (option) => JSON.stringify({ option });
/** Earns a point. */
var vote = {
	lane: "votes",
	schemaVersion: 1,
	timeoutMs: 15e3,
	payloadSchema: votePayloadSchema,
	request: ({ pollId, option }) => ({
		method: castVote.method,
		path: buildPath(castVote, { params: { id: pollId } }),
		kind: "json",
		body: voteBody(option)
	}),
	/** Ignored if a vote on the same poll waits already. */
	queue(payload, earlier, poll) {
		const votes = earlier.filter(({ type }) => type === "vote");
		if (votes.some(({ state }) => state !== "rejected")) return {
			removes: [],
			adds: null
		};
		return {
			removes: votes,
			adds: {
				type: "vote",
				payload: withPollTexts(payload, poll)
			}
		};
	},
	overlay(view, op, isPending) {
		if (view.vote !== null && op.state !== "rejected") return view;
		return {
			...view,
			vote: view.vote ?? (isPending ? op.payload.option : null),
			voteOp: op
		};
	},
	points: () => ({
		earned: 1,
		spent: 0
	}),
	newPoll: null,
	dropsMissingPoll: true,
	refusedActions: ["see_results"],
	words: {
		noun: "vote",
		waiting: () => "Your vote",
		unsent: "Vote not sent",
		refused: "Vote not counted",
		reason(code, _payload, { choice }) {
			if (code === "poll_closed") return `The poll closed before your vote for ${choice} arrived.`;
			return code === "not_found" ? "The poll was taken down before your vote arrived." : null;
		},
		onCard: (choice) => ({
			unsent: "The server did not take this vote.",
			refused: `Your vote for ${choice} was not counted.`,
			stays: null
		})
	}
};
// sync/operations/change-vote.ts
/** Whether an op was never sent and is not leased. */
function isUnsent(op) {
	return isNeverSent(op) && (op.state === "queued" || op.state === "blocked_auth");
}
/** Moves a vote to the other option. */
var changeVote = {
	lane: "votes",
	schemaVersion: 1,
	timeoutMs: 15e3,
	payloadSchema: votePayloadSchema,
	request: ({ pollId, option }) => ({
		method: changeVote$1.method,
		path: buildPath(changeVote$1, { params: { id: pollId } }),
		kind: "json",
		body: voteBody(option)
	}),
	/** Replaces unsent ops: a vote by another vote, a change by another change or by nothing. */
	queue(payload, earlier, poll) {
		const about = earlier.filter(({ type }) => type === "vote" || type === "changeVote");
		const words = withPollTexts(payload, poll);
		const removes = about.filter((op) => op.type === "changeVote" && (op.state === "rejected" || isUnsent(op)));
		const unsentVote = about.find((op) => op.type === "vote" && isUnsent(op));
		if (unsentVote !== void 0) return {
			removes: [...removes, unsentVote],
			adds: {
				type: "vote",
				payload: words
			}
		};
		return {
			removes,
			adds: (about.findLast((op) => op.state !== "rejected" && !removes.includes(op))?.payload.option ?? poll?.votes[0]?.option) === payload.option ? null : {
				type: "changeVote",
				payload: words
			}
		};
	},
	overlay: (view, op, isPending) => ({
		...view,
		vote: isPending ? op.payload.option : view.vote,
		voteOp: op
	}),
	points: () => ({
		earned: 0,
		spent: 0
	}),
	newPoll: null,
	dropsMissingPoll: true,
	refusedActions: ["see_results"],
	words: {
		noun: "change of vote",
		waiting: () => "Changed to",
		unsent: "Change not sent",
		refused: "Change not counted",
		reason(code) {
			if (code === "poll_closed") return "The poll closed before your change arrived.";
			return code === "not_found" ? "The poll was taken down before your change arrived." : null;
		},
		onCard: (_choice, confirmed) => ({
			unsent: "The server did not take this change.",
			refused: "Your change was not counted.",
			stays: confirmed === null ? null : `Your vote for ${confirmed} stays.`
		})
	}
};
// shared/polls/rules.ts
/** Cost of a poll in points. */
function pollCost(responsesWanted) {
	return responsesWanted * 1;
}
/** Message shown when the balance is less than `cost` (in points). */
function insufficientPointsMessage(cost) {
	return `You need ${cost} points to create a poll`;
}
/** A multipart form with two images; costs points. */
var createPoll = {
	lane: "creations",
	schemaVersion: 1,
	timeoutMs: 12e4,
	payloadSchema: /* @__PURE__ */ object({
		pollId: pollIdSchema,
		question: /* @__PURE__ */ string(),
		option1Caption: /* @__PURE__ */ string(),
		option2Caption: /* @__PURE__ */ string(),
		durationDays: int(),
		responsesWanted: int()
	}),
	request: (payload) => ({
		path: createPoll$1.path,
		kind: "form",
		fields: [
			["id", payload.pollId],
			["question", payload.question],
			["option1Caption", payload.option1Caption],
			["option2Caption", payload.option2Caption],
			["duration", String(payload.durationDays)],
			["responsesWanted", String(payload.responsesWanted)]
		]
	}),
	queue: (payload) => ({
		removes: [],
		adds: {
			type: "createPoll",
			payload
		}
	}),
	overlay: (view) => view,
	points: ({ responsesWanted }) => ({
		earned: 0,
		spent: pollCost(responsesWanted)
	}),
	newPoll: ({ payload, createdAt }, user) => ({
		id: payload.pollId,
		question: payload.question,
		user: { username: user.username },
		option1Image: "",
		option2Image: "",
		option1Caption: payload.option1Caption.trim() || null,
		option2Caption: payload.option2Caption.trim() || null,
		option1Preview: null,
		option2Preview: null,
		option1Size: null,
		option2Size: null,
		votesCount: 0,
		commentCount: 0,
		createdAt: new Date(createdAt).toISOString(),
		closesAt: new Date(createdAt + payload.durationDays * DAY_MS).toISOString(),
		duration: payload.durationDays,
		active: true,
		responsesWanted: payload.responsesWanted,
		status: "active",
		votes: [],
		results: null,
		isMine: true,
		isSample: false,
		rev: 0
	}),
	dropsMissingPoll: false,
	refusedActions: ["edit", "try_again"],
	words: {
		noun: "poll",
		waiting: ({ responsesWanted }) => `Your poll · costs ${pollCost(responsesWanted)} points`,
		unsent: "Poll not sent",
		refused: "Poll not posted",
		reason(code, { responsesWanted }, { points }) {
			if (code !== "insufficient_points") return null;
			const need = `${insufficientPointsMessage(pollCost(responsesWanted))}.`;
			return points === null ? need : `${need} You have ${points}.`;
		}
	}
};
// sync/operations/unknown.ts
/** Stands in for an operation that only a newer version of the app knows. */
var unknownOperation = {
	lane: "votes",
	schemaVersion: 0,
	timeoutMs: 15e3,
	payloadSchema: /* @__PURE__ */ unknown(),
	request() {
		throw new Error("Only a newer version of the app can send this");
	},
	queue: () => ({
		removes: [],
		adds: null
	}),
	overlay: (view) => view,
	points: () => ({
		earned: 0,
		spent: 0
	}),
	newPoll: null,
	dropsMissingPoll: false,
	refusedActions: [],
	words: {
		noun: "change",
		waiting: () => "Made by a newer version of the app, and sent by it",
		unsent: "Not sent",
		refused: "Not taken",
		reason: () => null
	}
};
// sync/operations/registry.ts
/** Every operation that can be queued. */
var OPERATIONS = {
	vote,
	changeVote,
	createPoll
};
/** The operation of an op; its functions take the payload of that op only. */
function operationOf(op) {
	return isKnown(op) ? operationOfType(op.type) : unknownOperation;
}
function operationOfType(type) {
	return OPERATIONS[type];
}
function isKnown({ type, schemaVersion }) {
	return Object.hasOwn(OPERATIONS, type) && schemaVersion <= OPERATIONS[type].schemaVersion;
}
/** The lane of an op; undefined if its type or the version of its payload is unknown: it waits for a newer version of the app. */
function laneOf(op) {
	return isKnown(op) ? operationOf(op).lane : void 0;
}
// sync/client/outbox/blobs.ts
/** SHA-256 of `bytes` in hexadecimal; empty without a secure context. */
async function sha256Hex(bytes) {
	if (crypto.subtle === void 0) return "";
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** Throws when a queued image is missing or damaged. */
async function checkBlobs(blobs) {
	if (blobs.length !== 2) throw new Error("A picture is missing");
	for (const { bytes, sha256 } of blobs) if (sha256 !== "" && sha256 !== await sha256Hex(bytes)) throw new Error("A picture is damaged");
}
/** The multipart body of a queued poll; the same fields and bytes in every attempt. */
function formBody(fields, blobs) {
	const form = new FormData();
	for (const [name, value] of fields) form.set(name, value);
	for (const { slot, bytes, mime } of blobs) form.set(`option${slot}Image`, new Blob([bytes], { type: mime }), `option${slot}`);
	return form;
}
// sync/protocol/outcome.ts
/** The longest delay that `Retry-After` can cause. */
var RETRY_AFTER_MAX_MS = 6e4;
var UNREACHABLE = {
	kind: "retry",
	scope: "lane",
	retryAfterMs: null,
	error: null,
	isFailedUpload: false
};
var RETRY_STATUS = /* @__PURE__ */ new Set([
	408,
	425,
	429
]);
var REJECTED_STATUS = /* @__PURE__ */ new Set([
	400,
	402,
	404,
	413,
	415,
	422
]);
var REJECTED_CODES = /* @__PURE__ */ new Set([
	"poll_closed",
	"already_voted",
	"not_voted",
	"change_limit",
	"own_poll",
	"id_taken"
]);
/**
* Interprets the answer to an op; null when there was none. An answer counts only if it echoes the op's id: the 200 of a
* captive portal is a network failure. The error code decides; with an unknown code or an unreadable body, the status does.
*/
function outcomeOf(opId, answer) {
	if (answer === null) return UNREACHABLE;
	const { status, headers } = answer;
	const isOurs = headers.get(IDEMPOTENCY_KEY_HEADER) === opId;
	if (status >= 500 || RETRY_STATUS.has(status)) {
		const scope = isOurs && status === 500 ? "op" : "lane";
		const error = isOurs ? errorOf(status, answer.body) : null;
		return {
			kind: "retry",
			scope,
			retryAfterMs: retryAfterMs(headers),
			error,
			isFailedUpload: false
		};
	}
	if (!isOurs) return {
		...UNREACHABLE,
		isFailedUpload: status >= 400
	};
	if (status === 200 || status === 201) {
		const body = mutationResponseSchema.safeParse(answer.body);
		return {
			kind: "applied",
			answer: body.success ? body.data : null,
			isNew: status === 201
		};
	}
	const error = errorOf(status, answer.body);
	const { code } = error;
	if (status === 401 || code === "actor_mismatch") return { kind: "blocked_auth" };
	if (code === "in_flight") return {
		kind: "retry",
		scope: "op",
		retryAfterMs: retryAfterMs(headers),
		error,
		isFailedUpload: false
	};
	if (code === "unknown_endpoint") return {
		kind: "unclear",
		error
	};
	if (REJECTED_STATUS.has(status) || REJECTED_CODES.has(code)) return {
		kind: "rejected",
		error
	};
	return {
		kind: "unclear",
		error
	};
}
function errorOf(status, body) {
	const parsed = errorBodySchema.safeParse(body);
	if (parsed.success) return {
		status,
		code: parsed.data.code,
		message: parsed.data.message
	};
	return {
		status,
		code: "unknown",
		message: `The server answered ${status}.`
	};
}
function retryAfterMs(headers) {
	const seconds = Number(headers.get("Retry-After") ?? NaN);
	if (!Number.isFinite(seconds) || seconds < 0) return null;
	return Math.min(seconds * 1e3, RETRY_AFTER_MAX_MS);
}
// sync/client/outbox/retry.ts
var BASE_MS = 1e3;
var CAP_MS = 3e4;
/** After so many failed uploads a poll is reported to keep failing and is tried less and less often. */
var UPLOADS_BEFORE_SLOWDOWN = 5;
/** The longest pause between uploads of a poll that keeps failing. */
var FAILING_UPLOAD_CAP_MS = 36e5;
/**
* The delay before the next attempt in milliseconds: full jitter over a doubling window, or the server's `Retry-After`.
* `attempts` is the number so far, `random` from 0 up to 1.
*/
function retryDelayMs(attempts, retryAfterMs, random) {
	if (retryAfterMs !== null) return Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
	const windowMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.max(0, attempts - 1));
	return Math.round(random * windowMs);
}
/** Whether the upload of a poll has failed so often that the person should know. */
function keepsFailing({ failedUploads = 0 }) {
	return failedUploads >= UPLOADS_BEFORE_SLOWDOWN;
}
/** The pause before the next upload of a poll that keeps failing: 30 s, doubled with each failure, at most an hour. */
function failingUploadDelayMs({ failedUploads = 0 }) {
	return Math.min(FAILING_UPLOAD_CAP_MS, CAP_MS * 2 ** (failedUploads - UPLOADS_BEFORE_SLOWDOWN));
}
/**
* Whether a stored time has come. A time further ahead than the longest delay was stored before the clock was set back, and
* counts as due.
*/
function isDue(atMs, nowMs, longestWaitMs = RETRY_AFTER_MAX_MS) {
	return atMs <= nowMs || atMs > nowMs + longestWaitMs;
}
/** Whether the next attempt of a queued op is due. */
function isAttemptDue(op, nowMs) {
	return isDue(op.nextAttemptAt, nowMs, keepsFailing(op) ? FAILING_UPLOAD_CAP_MS : RETRY_AFTER_MAX_MS);
}
// sync/client/outbox/lease.ts
/** How long a lease lasts; it is renewed while answers are awaited, so that a killed tab blocks nobody. */
var LEASE_MS = 3e4;
var LEASE_RENEWAL_MS = 1e4;
/** The lock held while an op is being sent: it cannot be withdrawn meanwhile. */
var sendLock = (opId) => `send:${opId}`;
/** The lock held by a drain while it may have leases: if it is free, the drain has ended or its tab is gone. */
var ownerLock = (owner) => `lease-owner:${owner}`;
/**
* The owners of `leased` ops that are certainly gone. One whose lock is held may be suspended; where locks do not span tabs,
* nothing is known about owners in other tabs.
*/
async function findGoneOwners({ lock, tabId }, leased) {
	const known = [...new Set(leased.flatMap(({ leaseOwner }) => leaseOwner === null ? [] : [leaseOwner]))].filter((owner) => lock.spansTabs || owner.startsWith(`${tabId}:`));
	if (known.length === 0) return /* @__PURE__ */ new Set();
	const held = await lock.heldNames().catch(() => null);
	return new Set(held === null ? [] : known.filter((owner) => !held.has(ownerLock(owner))));
}
/** Whether the current lease of `op` is its first one. */
function isFirstLease({ firstLeasedAt, leaseUntil }) {
	return firstLeasedAt === leaseUntil - LEASE_MS;
}
var NOBODY = /* @__PURE__ */ new Set();
/** Whether the time of the last lease of `op` is not over, even if it was revoked. */
function hasLeaseLeft({ leaseUntil }, nowMs) {
	return !isDue(leaseUntil, nowMs, LEASE_MS);
}
/** Whether `op` has a lease that has not expired and whose owner is not known to be gone. */
function isLeaseLive(op, nowMs, goneOwners = NOBODY) {
	if (op.state !== "sending" || !hasLeaseLeft(op, nowMs)) return false;
	return op.leaseOwner === null || !goneOwners.has(op.leaseOwner);
}
/** The leased ops of a lane. */
async function leasedOps(db, lane) {
	return db.ops.where("state").equals("sending").filter((op) => laneOf(op) === lane).toArray();
}
/** Changes those of `ops` that are still leased to this owner. */
async function modifyLeased({ db, owner }, ops, changes) {
	await db.ops.where("seq").anyOf(ops.map((op) => op.seq)).and((op) => op.state === "sending" && op.leaseOwner === owner).modify(changes);
}
/** Whether `op` still exists and is leased to this owner. */
async function isLeased({ db, owner }, op) {
	const row = await db.ops.get(op.seq);
	return row?.opId === op.opId && row.state === "sending" && row.leaseOwner === owner;
}
/** Returns leased ops that were not sent to the queue. */
async function releaseLeases(context, ops) {
	const release = {
		state: "queued",
		leaseOwner: null
	};
	await modifyLeased(context, ops.filter(isFirstLease), {
		...release,
		...NEVER_SENT
	});
	const others = ops.filter((op) => !isFirstLease(op));
	if (others.length > 0) await modifyLeased(context, others, release);
}
/** Renews the leases until the returned function is called. */
function renewLeases(context, ops) {
	const { clock } = context;
	let stopped = false;
	let cancel = () => {};
	const schedule = () => {
		cancel = clock.setTimeout(() => void renew(), LEASE_RENEWAL_MS);
	};
	const renew = async () => {
		try {
			await modifyLeased(context, ops, { leaseUntil: clock.now() + LEASE_MS });
		} catch {
			return;
		}
		if (!stopped) schedule();
	};
	schedule();
	return () => {
		stopped = true;
		cancel();
	};
}
// sync/client/outbox/overlay.ts
/** Whether `op` waits for a decision of the person. */
function needsDecision(op) {
	return op.state === "rejected" || op.state === "needs_attention";
}
// sync/client/outbox/discard.ts
/** Removes ops in any state with their images and returns the `seq` of those that existed. Runs in the caller's transaction. */
async function removeOps(db, opIds) {
	const removed = await db.ops.where("opId").anyOf(opIds).primaryKeys();
	await db.ops.bulkDelete(removed);
	await db.opBlobs.where("opId").anyOf(opIds).delete();
	return removed;
}
/**
* Removes an op with its images. False while it is being sent, since its outcome is unknown; a suspended tab no longer counts
* once its lease has expired.
*/
async function discardOp({ lock, clock }, db, opId) {
	let isRemoved = false;
	return await lock.run(sendLock(opId), async () => {
		isRemoved = await removeUnless(db, opId, (op) => (!lock.spansTabs || op.wasTakenOver === true) && isLeaseLive(op, clock.now()));
	}) ? isRemoved : removeUnless(db, opId, (op) => hasLeaseLeft(op, clock.now()));
}
async function removeUnless(db, opId, mayBeSent) {
	return db.transaction("rw", db.ops, db.opBlobs, async () => {
		const op = await db.ops.where("opId").equals(opId).first();
		if (op !== void 0 && mayBeSent(op)) return false;
		await removeOps(db, [opId]);
		return true;
	});
}
/**
* Removes every op that waits to be sent, with its images; refused ops stay until the person decides. With `shown`, removes
* only those ops, which the person has seen.
*/
async function discardWaiting(db, shown) {
	await db.transaction("rw", db.ops, db.opBlobs, async () => {
		const isMeant = ({ opId }) => shown === void 0 || shown.includes(opId);
		await removeOps(db, (await db.ops.filter((op) => !needsDecision(op) && isMeant(op)).toArray()).map(({ opId }) => opId));
	});
}
/**
* Revokes all leases, so that no drain starts sending those ops. One that another tab is sending right now is not sent twice:
* that tab holds the op's lock, and counts as suspended only once the next lease has expired.
*/
async function revokeLeases(db) {
	await db.ops.where("state").equals("sending").modify({
		state: "queued",
		leaseOwner: null
	});
}
/** The caller was told already that the op was not stored. */
var GivenUpError = class extends Error {
	name = "GivenUpError";
	code = "given_up";
};
/** The poll to be replaced may have reached the server already. */
var PollAlreadySentError = class extends Error {
	name = "PollAlreadySentError";
	code = "poll_already_sent";
};
/** `QUEUED_POLLS_MAX` polls wait already. */
var OutboxFullError = class extends Error {
	name = "OutboxFullError";
	code = "outbox_full";
};
function envelope(type, userId, entityId, nowMs) {
	return {
		opId: v4(),
		userId,
		schemaVersion: operationOfType(type).schemaVersion,
		entityId,
		...NOT_ATTEMPTED,
		firstLeasedAt: null,
		createdAt: nowMs
	};
}
async function addOp(db, newOp) {
	const op = {
		...newOp,
		request: operationOfType(newOp.type).request(newOp.payload)
	};
	await db.ops.add(op);
}
/**
* Queues an operation about a poll as its `queue` decides. Resolves once it is stored durably; stores nothing once
* `isWanted` returns false.
*/
async function queueOp(db, userId, { type, payload }, nowMs, isWanted = () => true) {
	const { pollId } = payload;
	await db.transaction("rw", db.ops, db.polls, async () => {
		const earlier = await db.ops.where("entityId").equals(pollId).sortBy("seq");
		if (!isWanted()) throw new GivenUpError();
		const poll = await db.polls.get(pollId);
		const { removes, adds } = operationOfType(type).queue(payload, earlier, poll);
		await db.ops.bulkDelete(removes.map(({ seq }) => seq));
		if (adds === null) return;
		const added = adds;
		await addOp(db, {
			...envelope(added.type, userId, pollId, nowMs),
			...added
		});
	});
}
/**
* Queues a poll with its two images. Resolves with the poll's id once all of it is stored durably. A draft that is
* submitted twice (by two tabs, or again after a crash) is one poll. Throws `OutboxFullError` when too many polls wait, and
* `PollAlreadySentError` when the poll to be replaced may have been sent.
*/
async function queuePoll(db, userId, draft, nowMs, { replacesOpId, isWanted = () => true } = {}) {
	const newId = draft.pollId ?? v7();
	const op = {
		...envelope("createPoll", userId, newId, nowMs),
		type: "createPoll",
		payload: {
			pollId: newId,
			question: draft.question.trim(),
			option1Caption: draft.option1Caption.trim(),
			option2Caption: draft.option2Caption.trim(),
			durationDays: draft.durationDays,
			responsesWanted: draft.responsesWanted
		}
	};
	const blobs = [];
	for (const [index, image] of draft.images.entries()) {
		const slot = index === 0 ? 1 : 2;
		blobs.push({
			opId: op.opId,
			slot,
			...image,
			sha256: await sha256Hex(image.bytes)
		});
	}
	return db.transaction("rw", db.ops, db.opBlobs, async () => {
		const pollId = await removeReplaced(db, replacesOpId) ?? newId;
		const earlier = await findCreation(db, pollId);
		if (!isWanted()) throw new GivenUpError();
		if (earlier !== void 0) {
			if (!needsDecision(earlier) && await isSamePoll(db, earlier, op, blobs)) return pollId;
			if (!needsDecision(earlier) && !isNeverSent(earlier)) throw new PollAlreadySentError();
			await removeOps(db, [earlier.opId]);
		}
		if (await db.ops.filter((other) => other.type === "createPoll").count() >= 20) throw new OutboxFullError();
		await addOp(db, {
			...op,
			entityId: pollId,
			payload: {
				...op.payload,
				pollId
			}
		});
		await db.opBlobs.bulkPut(blobs);
		return pollId;
	});
}
/** Whether a queued creation has the texts and the images of `op`. */
async function isSamePoll(db, queued, op, blobs) {
	const texts = ({ pollId: _pollId, ...rest }) => JSON.stringify(rest);
	const stored = await db.opBlobs.where("opId").equals(queued.opId).sortBy("slot");
	return blobs.every(({ sha256 }, index) => stored[index]?.sha256 === sha256) && texts(queued.payload) === texts(op.payload);
}
async function findCreation(db, pollId) {
	return (await db.ops.where("entityId").equals(pollId).toArray()).find((op) => op.type === "createPoll");
}
/**
* Removes the refused op `opId` and returns the id for the poll that replaces it: the same id, so that a poll that did
* arrive is not created twice, or a new one when the id was taken. Null when the op no longer exists.
*/
async function removeReplaced(db, opId) {
	if (opId === void 0) return null;
	const op = await db.ops.where("opId").equals(opId).first();
	if (op === void 0 || !needsDecision(op)) return null;
	await removeOps(db, [opId]);
	return op.lastError?.code === "id_taken" ? v7() : op.entityId;
}
/** Queues a refused op again under a new id, and under a new poll id if the old one was taken. */
async function requeueOp(db, opId) {
	await db.transaction("rw", db.ops, db.opBlobs, async () => {
		const op = await db.ops.where("opId").equals(opId).first();
		if (op === void 0 || !needsDecision(op)) return;
		const { seq: _seq, ...rest } = op;
		const fresh = freshCopy(rest);
		const blobs = await db.opBlobs.where("opId").equals(opId).toArray();
		await removeOps(db, [opId]);
		await addOp(db, fresh);
		await db.opBlobs.bulkPut(blobs.map((blob) => ({
			...blob,
			opId: fresh.opId
		})));
	});
}
function freshCopy(op) {
	const renewed = {
		...STARTED_OVER,
		opId: v4(),
		firstLeasedAt: null,
		isRepeated: false
	};
	if (op.type !== "createPoll" || op.lastError?.code !== "id_taken") return {
		...op,
		...renewed
	};
	const pollId = v7();
	return {
		...op,
		...renewed,
		entityId: pollId,
		payload: {
			...op.payload,
			pollId
		}
	};
}
/** Moves every op from one state to another and makes it due. */
async function moveOps(db, from, to) {
	await db.ops.where("state").equals(from).modify({
		state: to,
		nextAttemptAt: 0
	});
}
/**
* Makes every op due that waits only because the server could not be reached. Ops that the server itself postponed keep
* their time; polls whose upload keeps failing keep it too, unless `isBack` says that the server was unreachable.
*/
async function resetBackoff(db, isBack = false) {
	const isPutOff = (op) => op.nextAttemptAt !== 0 || op.attempts !== 0 || isBack && (op.failedUploads ?? 0) !== 0;
	await db.ops.where("state").equals("queued").and((op) => isPutOff(op) && op.lastError === null && (isBack || !keepsFailing(op))).modify((op) => {
		op.nextAttemptAt = 0;
		op.attempts = 0;
		if (isBack) op.failedUploads = 0;
	});
}
/** Makes one waiting op due. */
async function makeDue(db, opId) {
	await db.ops.where("opId").equals(opId).and((op) => op.state === "queued").modify({ nextAttemptAt: 0 });
}
// sync/operations/operation.ts
/** The lanes of the queue: votes never wait for an upload. */
var LANES = ["votes", "creations"];
/** The calls allowed in a batch: those that clients queue and whose bodies are small. */
var BATCHABLE_CALLS = [castVote, changeVote$1];
var BATCHABLE_PATH = new RegExp(`^(?:${BATCHABLE_CALLS.map(({ path }) => path.replace("{id}", "[0-9a-f-]{36}")).join("|")})$`, "i");
/** Queued calls as they would be sent individually; `key` is the idempotency key, `body` the JSON text. */
var batchInputSchema = /* @__PURE__ */ object({ requests: (/* @__PURE__ */ array(/* @__PURE__ */ object({
	method: /* @__PURE__ */ _enum(BATCHABLE_CALLS.map(({ method }) => method)),
	path: (/* @__PURE__ */ string()).check(/* @__PURE__ */ _regex(BATCHABLE_PATH, "This call cannot be in a batch")),
	key: idempotencyKeySchema,
	body: /* @__PURE__ */ string()
}))).check(/* @__PURE__ */ _minLength(1), /* @__PURE__ */ _maxLength(50)) });
/** The response to each call, in request order. `retryAfter` is the value of the `Retry-After` header, or null. */
var batchResponseSchema = /* @__PURE__ */ object({ answers: /* @__PURE__ */ array(/* @__PURE__ */ object({
	status: int(),
	key: /* @__PURE__ */ string(),
	retryAfter: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	body: /* @__PURE__ */ unknown()
})) });
// sync/client/device/lock.ts
/** The name of the lock held by the drain of a user's lane. */
function drainLock(userId, lane) {
	return `drain:${userId}:${lane}`;
}
var readHealth = {
	method: "GET",
	path: "/api/health",
	summary: "Liveness check",
	access: "public",
	responses: { 200: {
		description: "The server is running",
		content: healthSchema
	} }
};
var sendBatch = {
	method: "POST",
	path: "/api/batch",
	summary: "Batches several votes in one request; each is processed as if sent individually",
	access: "anyone",
	json: batchInputSchema,
	responses: { 200: {
		description: "The responses, in request order",
		content: batchResponseSchema
	} }
};
// sync/client/drain/batch.ts
/** Statuses of API errors that concern every call of a batch: session, actor, limits, an outage. */
var COMMON_ERROR_STATUS = /* @__PURE__ */ new Set([
	401,
	409,
	429,
	503
]);
/** A batch of `size` ops with JSON requests of the same user to the same server. */
function createBatch(transport, size) {
	const requests = [];
	let missing = size;
	let complete = () => {};
	const answers = new Promise((resolve) => {
		complete = resolve;
	}).then(() => exchange(transport, requests));
	function arrive() {
		missing -= 1;
		if (missing === 0) complete();
	}
	return {
		async transport(request) {
			const nth = requests.push(request) - 1;
			arrive();
			const answer = (await answers)[nth] ?? null;
			if (answer === null) throw new NetworkFailure("No answer to this call of a batch");
			return answer;
		},
		withdraw: arrive
	};
}
async function exchange(transport, requests) {
	const [first] = requests;
	if (first === void 0) return [];
	if (requests.length === 1) return [await transport(first)];
	const { [IDEMPOTENCY_KEY_HEADER]: _, ...headers } = first.headers;
	const body = JSON.stringify({ requests: requests.map(toPart) });
	const answer = await transport({
		...first,
		method: sendBatch.method,
		path: sendBatch.path,
		headers,
		body
	});
	const parsed = batchResponseSchema.safeParse(answer.body);
	if (answer.status === 200 && parsed.success && parsed.data.answers.length === requests.length) return parsed.data.answers.map((part) => {
		const { headers } = withKey(answer, part.key);
		if (part.retryAfter !== null) headers.set("Retry-After", part.retryAfter);
		return {
			status: part.status,
			headers,
			body: part.body
		};
	});
	if (answer.status === 404 && errorBodySchema.safeParse(answer.body).success) return sendOneByOne(transport, requests);
	const isOurs = COMMON_ERROR_STATUS.has(answer.status) && errorBodySchema.safeParse(answer.body).success;
	return requests.map((request) => isOurs ? withKey(answer, keyOf(request)) : answer);
}
/** Stops when the server cannot answer or refuses every call; the remaining requests have no answer. */
async function sendOneByOne(transport, requests) {
	const answers = [];
	for (const request of requests) {
		const answer = await transport(request).catch(() => null);
		answers.push(answer);
		if (answer === null || answer.status >= 500 || answer.status === 401 || answer.status === 429) break;
	}
	return requests.map((_, nth) => answers[nth] ?? null);
}
function withKey(answer, key) {
	const headers = new Headers(answer.headers);
	headers.set(IDEMPOTENCY_KEY_HEADER, key);
	return {
		...answer,
		headers
	};
}
var keyOf = ({ headers }) => headers["Idempotency-Key"] ?? "";
function toPart(request) {
	const { method, path, body } = request;
	return {
		method: method === "PUT" ? "PUT" : "POST",
		path,
		key: keyOf(request),
		body: String(body)
	};
}
// sync/client/drain/send.ts
/** A failed attempt that took longer was an incomplete upload, not a missing network. */
var LONG_ATTEMPT_MS = 1e4;
/** Without a network a request fails sooner than this; a longer one may have had a network in between. */
var INSTANT_FAILURE_MS = 1e3;
/** Sends leased ops in one request and returns the outcome of each, as `sendLocked` does. */
async function sendTogether(drain, ops, epoch) {
	const batch = createBatch(drain.transport, ops.length);
	return Promise.all(ops.map(async (op) => {
		let isSent = false;
		const transport = (request) => {
			isSent = true;
			return batch.transport(request);
		};
		try {
			return await sendLocked({
				...drain,
				transport
			}, op, epoch);
		} finally {
			if (!isSent) batch.withdraw();
		}
	}));
}
/**
* Sends a leased op, which nobody can withdraw meanwhile, and returns the outcome (no answer is an outcome too). Null, with
* nothing sent, when the op was withdrawn since it was leased (by the person or a log out) or has another owner. `epoch` is
* the epoch of the server that the op was leased for.
*/
async function sendLocked(drain, op, epoch) {
	let outcome = null;
	const send = async () => {
		outcome = await sendOp(drain, op, epoch);
	};
	if (!await drain.lock.run(sendLock(op.opId), send) && op.wasTakenOver === true) await send();
	return outcome;
}
async function sendOp(drain, op, epoch) {
	const { clock } = drain;
	const request = await withDatabaseLimit(clock, requestOf(drain.db, op, epoch)).catch(() => null);
	if (!await withDatabaseLimit(clock, isLeased(drain, op))) return null;
	if (request === null) return {
		kind: "unclear",
		error: {
			status: 0,
			code: "unknown",
			message: "What was stored on this device can no longer be read."
		}
	};
	const startedAt = clock.now();
	const wasOnline = drain.isOnline();
	const answer = await drain.transport(request).catch(() => null);
	drain.onAnswer(answer);
	const outcome = outcomeOf(op.opId, answer);
	if (outcome.kind !== "retry" || answer !== null) return outcome;
	const tookMs = clock.now() - startedAt;
	return {
		...outcome,
		isFailedUpload: tookMs >= LONG_ATTEMPT_MS,
		isUnsent: !wasOnline && !drain.isOnline() && tookMs < INSTANT_FAILURE_MS
	};
}
async function requestOf(db, op, epoch) {
	const operation = operationOf(op);
	const { path, ...content } = op.request ?? operation.request(operation.payloadSchema.parse(op.payload));
	const headers = {
		Accept: "application/json",
		[IDEMPOTENCY_KEY_HEADER]: op.opId,
		[EXPECTED_USER_HEADER]: String(op.userId),
		...epoch !== void 0 && { ["X-Expected-Epoch"]: epoch }
	};
	const { timeoutMs } = operation;
	if (content.kind === "json") {
		const json = {
			...headers,
			"Content-Type": "application/json"
		};
		return {
			method: content.method ?? "POST",
			path,
			headers: json,
			body: content.body,
			timeoutMs
		};
	}
	const blobs = await db.opBlobs.where("opId").equals(op.opId).sortBy("slot");
	await checkBlobs(blobs);
	return {
		method: "POST",
		path,
		headers,
		body: formBody(content.fields, blobs),
		timeoutMs
	};
}
// sync/client/outbox/acknowledged.ts
/** How long an acknowledged op is kept, in case the server is restored from a backup that lacks it. */
var ACKNOWLEDGED_KEPT_MS = 216e5;
/** Keeps acknowledged ops with their images. Runs in the caller's transaction. */
async function keepAcknowledged(db, ops, nowMs) {
	const blobs = await db.opBlobs.where("opId").anyOf(ops.map(({ opId }) => opId)).toArray();
	await db.acknowledged.bulkPut(ops.map((op) => ({
		opId: op.opId,
		acknowledgedAt: nowMs,
		op,
		blobs: blobs.filter(({ opId }) => opId === op.opId)
	})));
	await dropOldAcknowledged(db, nowMs);
}
/**
* Deletes acknowledged ops that have been kept long enough, or whose time is so far in the future that the clock was set
* back since.
*/
async function dropOldAcknowledged(db, nowMs) {
	await db.acknowledged.where("acknowledgedAt").below(nowMs - ACKNOWLEDGED_KEPT_MS).or("acknowledgedAt").above(nowMs + ACKNOWLEDGED_KEPT_MS).delete();
}
/**
* Queues the acknowledged ops again under their old keys: a server that still has them repeats its answer, one that was
* restored from an older backup applies them again. Runs in the caller's transaction.
*/
async function requeueAcknowledged(db, nowMs) {
	await dropOldAcknowledged(db, nowMs);
	for (const { op, blobs } of await db.acknowledged.orderBy("acknowledgedAt").toArray()) {
		await db.ops.add({
			...op,
			...STARTED_OVER,
			isRepeated: true
		});
		await db.opBlobs.bulkPut(blobs);
	}
	await db.acknowledged.clear();
}
// sync/client/drain/settle.ts
/** After so many refusals unknown to this version the person decides. */
var UNCLEAR_REFUSALS_MAX = 5;
/** The shortest pause after the session was refused: a server may contradict itself. */
var BLOCKED_PAUSE_MS = 1e3;
/** The consequence of an outcome for the rest of its lane; updates the lane's backoff. */
function nextStep(drain, { op, outcome }) {
	const { lane, backoff, clock } = drain;
	const before = backoff[lane];
	if (outcome.kind === "blocked_auth") {
		const authFailures = before.authFailures + 1;
		const pauseMs = Math.max(BLOCKED_PAUSE_MS, retryDelayMs(authFailures, null, drain.random()));
		backoff[lane] = {
			...before,
			authFailures,
			notBeforeMs: clock.now() + pauseMs
		};
		return "blocked";
	}
	if (outcome.kind !== "retry" || outcome.scope === "op") {
		backoff[lane] = {
			failures: 0,
			behindSeq: op.seq === before.behindSeq ? 0 : before.behindSeq,
			notBeforeMs: 0,
			authFailures: 0
		};
		return "continue";
	}
	const failures = before.failures + 1;
	const pauseMs = retryDelayMs(Math.max(op.attempts + 1, failures), outcome.retryAfterMs, drain.random());
	const notBeforeMs = outcome.retryAfterMs === null ? 0 : clock.now() + pauseMs;
	backoff[lane] = {
		failures,
		behindSeq: op.seq,
		notBeforeMs,
		authFailures: before.authFailures
	};
	return { pauseMs };
}
/**
* Stores the outcomes in one transaction, then emits their events. On a full device acknowledged ops leave the queue
* without their answers, which are fetched later.
*/
async function settle(drain, answers) {
	const { db, storage } = drain;
	const events = await withFreedSpace(storage, db, () => storeAnswers(drain, answers, storeApplied)).catch(async (error) => {
		if (!(error instanceof StorageFullError)) throw error;
		const applied = await storeAnswers(drain, answers.filter(isApplied), removeApplied);
		const others = answers.filter((answered) => !isApplied(answered));
		return [...applied, ...await storeAnswers(drain, others, removeApplied).catch(() => [])];
	});
	for (const event of events) drain.emit(event);
	if (answers.some(({ outcome }) => outcome.kind === "blocked_auth")) drain.onBlocked();
}
async function storeAnswers(drain, answers, storeAll) {
	const { db, userId } = drain;
	return db.transaction("rw", db.tables, async () => {
		const applied = answers.filter(isApplied);
		const answer = applied.find(({ outcome }) => outcome.answer !== null)?.outcome.answer;
		const validity = await answerValidity(db, userId, answers[0]?.epoch ?? answer?.user.epoch);
		if (validity === "former_server") return [];
		const rows = await db.ops.where("opId").anyOf(applied.map(({ op }) => op.opId)).toArray();
		const notAppliedBefore = new Set(rows.flatMap(({ opId, isRepeated }) => isRepeated === true ? [] : [opId]));
		await storeAll(drain, applied, validity);
		const events = [];
		for (const answered of answers) {
			const { op, outcome } = answered;
			if (!isApplied(answered)) events.push(...await store(drain, op, outcome));
			else if (notAppliedBefore.has(op.opId)) events.push(appliedEvent(answered));
		}
		return events;
	});
}
function isApplied(answered) {
	return answered.outcome.kind === "applied";
}
function appliedEvent({ op, outcome: { answer, isNew } }) {
	return {
		type: "applied",
		op,
		poll: answer?.poll ?? null,
		isNew
	};
}
/** Caches the answers, except after a log out, and removes their ops from the queue in the same transaction. */
async function storeApplied(drain, applied, validity) {
	const { db, clock } = drain;
	const answers = applied.flatMap(({ outcome }) => outcome.answer ?? []);
	const newestUser = answers.reduce((newest, { user }) => newest !== null && newest.rev >= user.rev ? newest : user, null);
	const opIds = applied.map(({ op }) => op.opId);
	const waiting = await db.ops.where("opId").anyOf(opIds).toArray();
	if (validity === "current") {
		if (newestUser !== null) await putUser(db, newestUser);
		await putPolls(db, answers.flatMap(({ poll }) => poll ?? []));
		const gone = applied.filter(({ outcome }) => outcome.answer?.poll === null);
		if (gone.length > 0) await dropPolls(db, gone.map(({ op }) => op.entityId));
		for (const { op, outcome } of applied) if (waiting.some(({ opId }) => opId === op.opId) && operationOf(op).newPoll !== null) await listOwnPoll(db, op.entityId, outcome.answer, clock.now());
		await keepAcknowledged(db, waiting, clock.now());
	}
	await removeApplied(drain, applied);
}
/** Puts a new own poll at the top of its lists; one whose answer could not be read is fetched afterwards. */
async function listOwnPoll(db, pollId, answer, nowMs) {
	if (answer?.poll === null) return;
	await putFirst(db.mine, pollId, nowMs);
	if (answer === null || answer.poll.active) await putFirst(db.feed, pollId, nowMs);
}
async function removeApplied({ db }, applied) {
	await removeOps(db, applied.map(({ op }) => op.opId));
}
async function store(drain, op, outcome) {
	switch (outcome.kind) {
		case "rejected": return reject(drain, op, outcome.error);
		case "blocked_auth":
			await blockQueue(drain, op);
			return [];
		case "unclear":
			await storeUnclear(drain, op, outcome.error);
			return [];
		case "retry":
			await postpone(drain, op, outcome);
			return op.attempts === 0 ? [{
				type: "delayed",
				op
			}] : [];
	}
}
/** Returns no event when another tab has stored this refusal already. */
async function reject({ db }, op, error) {
	if (op.isRepeated === true && operationOf(op).newPoll === null) {
		await removeOps(db, [op.opId]);
		return [];
	}
	const changed = await db.ops.where("opId").equals(op.opId).and((row) => row.state !== "rejected").modify({
		state: "rejected",
		lastError: error,
		leaseOwner: null
	});
	if (operationOf(op).dropsMissingPoll && error.code === "not_found") await dropPolls(db, [op.entityId]);
	return changed > 0 ? [{
		type: "rejected",
		op,
		error
	}] : [];
}
async function storeUnclear(drain, op, error) {
	const refusals = (op.refusals ?? 0) + 1;
	if (refusals < UNCLEAR_REFUSALS_MAX) {
		await modifyLeased(drain, [op], { refusals });
		await postpone(drain, op, {
			retryAfterMs: null,
			error,
			isFailedUpload: false
		});
		return;
	}
	const attempts = op.attempts + 1;
	await modifyLeased(drain, [op], {
		state: "needs_attention",
		lastError: error,
		leaseOwner: null,
		refusals,
		attempts
	});
}
/** The session has ended or is another user's: all ops wait until this user is signed in. No attempt is counted. */
async function blockQueue(drain, op) {
	await modifyLeased(drain, [op], {
		state: "blocked_auth",
		leaseOwner: null
	});
	await drain.db.ops.where("state").equals("queued").modify({ state: "blocked_auth" });
}
async function postpone(drain, op, { retryAfterMs, error, isFailedUpload, isUnsent = false }) {
	const attempts = op.attempts + 1;
	const failedUploads = (op.failedUploads ?? 0) + (isFailedUpload && laneOf(op) === "creations" ? 1 : 0);
	const tries = Math.max(attempts, drain.backoff[drain.lane].failures);
	const delayMs = keepsFailing({ failedUploads }) ? failingUploadDelayMs({ failedUploads }) : retryDelayMs(tries, retryAfterMs, drain.random());
	const nextAttemptAt = drain.clock.now() + delayMs;
	const changes = {
		state: "queued",
		leaseOwner: null,
		lastError: error
	};
	if (isUnsent && isFirstLease(op)) Object.assign(changes, NEVER_SENT);
	await modifyLeased(drain, [op], {
		...changes,
		attempts,
		failedUploads,
		nextAttemptAt
	});
}
// sync/client/drain/drain.ts
/** The pause before the next look at a lane that somebody else drains. */
var LOCK_RETRY_MS = 500;
/** After so many attempts a repeated vote no longer delays repeated polls. */
var EARNING_ATTEMPTS_MAX = 5;
/** The most ops leased in one transaction: a transaction for each would take longer than sending. */
var LEASED_MAX = {
	votes: 200,
	creations: 1
};
/** The most requests in flight; correctness does not depend on their order. */
var IN_FLIGHT_MAX = 3;
/**
* Answers are stored together, at most this long after they arrived: each write makes every open tab read its lists
* again.
*/
var SETTLE_DELAY_MAX_MS = 1500;
/**
* Sends what is due in one lane, lowest `seq` first, one creation or a few batches of votes at a time, until nothing is due,
* the server cannot be reached, or the user is no longer signed in. Returns the milliseconds until the next look at the
* lane, or null when nothing waits in it.
*
* A lock keeps the drains of all tabs apart. Since the tab that holds it may be suspended, this drain relies on leases alone
* when no op of the lane has a live lease. Throws `TimeLimitError` when the database does not answer.
*/
async function drainLane(context, lane) {
	const drain = {
		...context,
		lane,
		owner: `${context.tabId}:${v4()}`
	};
	const { lock, userId } = drain;
	let pauseMs = 0;
	if (!await lock.run(drainLock(userId, lane), async () => {
		pauseMs = await drainWithOwnerLock(drain, true);
	})) pauseMs = await hasLiveLease(drain) ? LOCK_RETRY_MS : await drainWithOwnerLock(drain, false);
	const waitMs = await withDatabaseLimit(drain.clock, waitUntilDueMs(drain));
	return waitMs === null ? null : Math.max(waitMs, pauseMs);
}
/** Drains while holding the lock that shows its leases to be alive. Returns the pause that the lane needs afterwards. */
async function drainWithOwnerLock(drain, hasLaneLock) {
	let pauseMs = 0;
	await drain.lock.run(ownerLock(drain.owner), async () => {
		pauseMs = await sendDue(drain, hasLaneLock);
	});
	return pauseMs;
}
async function sendDue(drain, hasLaneLock) {
	for (;;) {
		const pauseMs = remainingPauseMs(drain);
		if (pauseMs > 0 || !await withDatabaseLimit(drain.clock, drain.isSignedIn())) return pauseMs;
		const leasing = withFreedSpace(drain.storage, drain.db, () => leaseDue(drain, hasLaneLock));
		const { ops, epoch } = await withDatabaseLimit(drain.clock, leasing);
		if (ops.length === 0) return 0;
		const next = await sendLeased(drain, ops, epoch);
		if (next === "continue") continue;
		return next === "blocked" ? 0 : next.pauseMs;
	}
}
/** Lanes without failures. */
function noBackoff() {
	const none = {
		failures: 0,
		behindSeq: 0,
		notBeforeMs: 0,
		authFailures: 0
	};
	return {
		votes: none,
		creations: none
	};
}
async function hasLiveLease(drain) {
	return (await withDatabaseLimit(drain.clock, leasedOps(drain.db, drain.lane))).some((op) => isLeaseLive(op, drain.clock.now()));
}
/** The milliseconds left of the pause that the server has asked for. */
function remainingPauseMs({ clock, backoff, lane }) {
	const { notBeforeMs } = backoff[lane];
	return isDue(notBeforeMs, clock.now()) ? 0 : notBeforeMs - clock.now();
}
/**
* Sends leased ops, lowest `seq` first: one alone and, if that went well, the rest in batches. Returns those that are not
* reached to the queue.
*/
async function sendLeased(drain, ops, epoch) {
	const stopRenewal = renewLeases(drain, ops);
	const settlement = createSettlement(drain);
	const rest = [...ops];
	let next = "continue";
	async function send(batch) {
		const outcomes = await sendTogether(drain, batch, epoch);
		for (const [nth, op] of batch.entries()) {
			const outcome = outcomes[nth] ?? null;
			if (outcome === null) continue;
			const answered = {
				op,
				outcome,
				epoch
			};
			if (next === "continue") next = nextStep(drain, answered);
			settlement.add(answered);
		}
	}
	async function sendRest() {
		try {
			while (next === "continue" && rest.length > 0) await send(rest.splice(0, batchSize(rest)));
		} catch (error) {
			rest.length = 0;
			throw error;
		}
	}
	try {
		await send(rest.splice(0, 1));
		const failed = (await Promise.allSettled(Array.from({ length: IN_FLIGHT_MAX }, sendRest))).find((each) => each.status === "rejected");
		if (failed !== void 0) throw failed.reason;
		await withDatabaseLimit(drain.clock, releaseLeases(drain, rest));
		await withDatabaseLimit(drain.clock, settlement.finish());
	} finally {
		stopRenewal();
	}
	return next;
}
/** How many of the next ops share a request. One that has failed before goes alone, so that it delays no others again. */
function batchSize(ops) {
	const firstTried = ops.findIndex((op) => op.attempts > 0);
	const untried = firstTried === -1 ? ops.length : firstTried;
	return Math.min(Math.max(1, untried), 50);
}
/** Collects answers and stores them together, at most `SETTLE_DELAY_MAX_MS` after they arrived. */
function createSettlement(drain) {
	let answers = [];
	let settling = Promise.resolve();
	let cancelTimer = null;
	function flush() {
		cancelTimer?.();
		cancelTimer = null;
		const unsettled = answers;
		answers = [];
		if (unsettled.length > 0) settling = settling.then(() => settle(drain, unsettled));
		return settling;
	}
	return {
		add(answered) {
			answers.push(answered);
			cancelTimer ??= drain.clock.setTimeout(() => background(flush()), SETTLE_DELAY_MAX_MS);
		},
		finish: flush
	};
}
async function waitUntilDueMs({ db, clock, lane }) {
	const now = clock.now();
	const ops = await db.ops.toArray();
	const waiting = ops.filter((op) => laneOf(op) === lane && (op.state === "queued" || op.state === "sending"));
	if (waiting.length === 0) return null;
	const dueTimes = waiting.flatMap((op) => {
		const before = precedingOps(op, ops);
		if (before.some(({ state }) => state === "blocked_auth")) return [];
		if (before.length > 0) return Math.max(now + LOCK_RETRY_MS, Math.min(...before.map(({ nextAttemptAt }) => nextAttemptAt)));
		if (isSendable(op, now)) return now;
		return op.state === "sending" ? op.leaseUntil : op.nextAttemptAt;
	});
	return dueTimes.length === 0 ? null : Math.max(0, Math.min(...dueTimes) - now);
}
/**
* The ops that must have left the queue before `op` is sent: earlier ones about the same poll and, if `op` is repeated and
* costs points, repeated ones that earn points.
*/
function precedingOps(op, ops) {
	const isCostly = op.isRepeated === true && pointsOf(op).spent > 0;
	return ops.filter((other) => {
		if (needsDecision(other) || laneOf(other) === void 0) return false;
		if (other.entityId === op.entityId && other.seq < op.seq) return true;
		const mayStillEarn = other.isRepeated === true && other.attempts < EARNING_ATTEMPTS_MAX;
		return isCostly && mayStillEarn && pointsOf(other).earned > 0;
	});
}
function pointsOf(op) {
	return operationOf(op).points(op.payload);
}
/** Whether an op is due and nobody is sending it. */
function isSendable(op, nowMs, goneOwners) {
	if (op.state === "queued") return isAttemptDue(op, nowMs);
	return op.state === "sending" && !isLeaseLive(op, nowMs, goneOwners);
}
/**
* Leases the first ops that are due, beginning after the op that has failed last. With the lock of the lane, a lease whose
* owner is gone (after a reload or a crash) counts as expired. `epoch` is the known epoch of the server.
*/
async function leaseDue(drain, hasLaneLock) {
	const { db, clock, owner, lane, backoff, userId } = drain;
	const { behindSeq } = backoff[lane];
	const goneOwners = hasLaneLock ? await findGoneOwners(drain, await leasedOps(db, lane)) : void 0;
	return db.transaction("rw", db.ops, db.user, async () => {
		const now = clock.now();
		const epoch = (await db.user.get(userId))?.epoch;
		const ops = await db.ops.orderBy("seq").toArray();
		const due = ops.filter((op) => laneOf(op) === lane && isSendable(op, now, goneOwners) && precedingOps(op, ops).length === 0);
		const behind = due.filter((op) => op.seq > behindSeq);
		const before = due.filter((op) => op.seq <= behindSeq);
		const leased = [...behind, ...before].slice(0, LEASED_MAX[lane]).map((op) => ({
			...op,
			state: "sending",
			leaseOwner: owner,
			leaseUntil: now + LEASE_MS,
			...op.state === "sending" && { wasTakenOver: true },
			...op.firstLeasedAt === null && { firstLeasedAt: isNeverSent(op) ? now : op.leaseUntil - 3e4 }
		}));
		await db.ops.bulkPut(leased);
		return {
			ops: leased,
			epoch
		};
	});
}
// sync/client/drain/drainer.ts
/** The longest time between two looks at the queue while somebody is signed in. */
var WATCHDOG_MS = 3e4;
/** The shortest time between two looks, so that no mistake makes a tab spin. */
var SHORTEST_PAUSE_MS = 50;
function createDrainer(context) {
	const { clock, session } = context;
	let backoff = noBackoff();
	/** Running drains and requested repetitions, by user and lane: a slow upload delays no other user. */
	const running = /* @__PURE__ */ new Set();
	const again = /* @__PURE__ */ new Set();
	const timers = /* @__PURE__ */ new Map();
	let isChecking = false;
	let backgroundAskedAt = Number.NEGATIVE_INFINITY;
	/** Lets the browser wake the service worker if the page is closed before everything is sent. */
	function askForBackground() {
		if (clock.now() - backgroundAskedAt < WATCHDOG_MS) return;
		backgroundAskedAt = clock.now();
		context.requestBackgroundDrain();
	}
	/** Drains a lane; a call during a drain repeats it. */
	function drain(lane) {
		const current = session.get();
		if (current.status !== "user" || current.needsLogin) return;
		const key = `${current.user.id}:${lane}`;
		if (running.has(key)) {
			again.add(key);
			return;
		}
		running.add(key);
		background(drainOnce(lane, current).then((waitMs) => {
			running.delete(key);
			if (again.delete(key)) drain(lane);
			else schedule(lane, waitMs);
		}));
	}
	async function drainOnce(lane, { db, user }) {
		const userId = user.id;
		const onBlocked = () => context.onBlocked(userId);
		const isSignedIn = async () => {
			const now = session.get();
			if (now.status !== "user" || now.db !== db || now.needsLogin) return false;
			if (await context.isSignedInHere(userId)) return true;
			context.onSignedOutElsewhere();
			return false;
		};
		try {
			const waitMs = await drainLane({
				...context,
				db,
				userId,
				backoff,
				isSignedIn,
				onBlocked
			}, lane);
			const after = session.get();
			if (after.status !== "user" || after.db !== db || !after.needsLogin) return waitMs;
			await moveOps(db, "queued", "blocked_auth");
			return null;
		} catch (error) {
			const after = session.get();
			const isInUse = after.status === "user" && after.db === db;
			if (error instanceof TimeLimitError && isInUse) db.close({ disableAutoOpen: false });
			return WATCHDOG_MS;
		}
	}
	/** Also when nothing waits: another tab may leave ops behind that it can no longer send. */
	function schedule(lane, waitMs) {
		if (waitMs !== null) askForBackground();
		timers.get(lane)?.();
		const delayMs = Math.min(Math.max(waitMs ?? WATCHDOG_MS, SHORTEST_PAUSE_MS), WATCHDOG_MS);
		timers.set(lane, clock.setTimeout(() => {
			background(checkBlocked());
			drain(lane);
		}, delayMs));
	}
	/**
	* Checks the session if ops are blocked that a closed tab or the service worker has left. This tab itself was not refused,
	* so it continues until the server answers.
	*/
	async function checkBlocked() {
		const current = session.get();
		if (isChecking || current.status !== "user" || current.needsLogin) return;
		isChecking = true;
		try {
			if (await current.db.ops.where("state").equals("blocked_auth").count() > 0) await context.checkSession();
		} finally {
			isChecking = false;
		}
	}
	return {
		drain,
		drainAll() {
			for (const lane of LANES) drain(lane);
		},
		clearBackoff() {
			backoff = noBackoff();
		}
	};
}
// shared/live/constants.ts
/** Query parameter of the upgrade request: the id of the user that the client believes to be logged in. */
var LIVE_USER_QUERY_PARAM = "user";
var PING_INTERVAL_MS = 3e4;
var RECONNECT_DELAY_MS = 5e3;
/**
* WebSocket close codes of the server. `REPLACED`: the user opened too many sockets, the oldest is closed.
* `SESSION_ENDED`: the session is no longer valid; reconnect after the next login.
*/
var SOCKET_CLOSE_CODES = {
	GOING_AWAY: 1001,
	POLICY_VIOLATION: 1008,
	REPLACED: 4001,
	SESSION_ENDED: 4401
};
// shared/live/schema.ts
/** The timestamp of a ping, echoed in the pong: a number or a short string of the client's choice. */
var timestampSchema = /* @__PURE__ */ union([/* @__PURE__ */ number(), (/* @__PURE__ */ string()).check(/* @__PURE__ */ _maxLength(64))]);
/** All messages that the server sends over `/ws`. */
var liveMessageSchema = /* @__PURE__ */ discriminatedUnion("type", [
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("pong"),
		timestamp: timestampSchema,
		serverTime: /* @__PURE__ */ number()
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("poll.votes"),
		id: pollIdSchema,
		votesCount: int(),
		status: receivedStatusSchema,
		rev: int()
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("poll.created"),
		id: pollIdSchema
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("poll.removed"),
		id: pollIdSchema
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("user"),
		points: int(),
		rev: int()
	})
]);
// sync/client/live/live-socket.ts
/** A socket that has not opened, or a ping without a pong, by then means a lost connection. */
var ANSWER_TIMEOUT_MS = 1e4;
var ABNORMAL_CLOSURE = 1006;
function createLiveSocket(context) {
	const { clock, session } = context;
	let state = { phase: "none" };
	let isStarted = false;
	let isVisible = false;
	let hasBeenOpen = false;
	let hasReportedDoubt = false;
	/** The user who should have a socket. */
	function wantedUser() {
		const current = session.get();
		return isStarted && current.status === "user" && !current.needsLogin ? current.user.id : null;
	}
	function userOf() {
		if (state.phase === "none") return null;
		return state.phase === "connected" ? state.connection.userId : state.userId;
	}
	function update() {
		const userId = wantedUser();
		if (userOf() !== null && userOf() !== userId) disconnect();
		if (state.phase === "none" && userId !== null && isVisible) open(userId);
	}
	function disconnect() {
		const left = state;
		state = { phase: "none" };
		hasReportedDoubt = false;
		if (left.phase === "waiting") left.cancel();
		if (left.phase === "connected") release(left.connection);
	}
	function release({ socket, timers }) {
		for (const cancel of timers.values()) cancel();
		socket.close();
	}
	function open(userId) {
		const isCurrent = () => state.phase === "connected" && state.connection === connection;
		const connection = {
			userId,
			socket: context.openSocket(`/ws?${LIVE_USER_QUERY_PARAM}=${userId}`, {
				opened: () => isCurrent() && opened(connection),
				heard: (text) => isCurrent() && receive(connection, text),
				closed: (code) => isCurrent() && closed(connection, code)
			}),
			isOpen: false,
			pingedAt: 0,
			timers: /* @__PURE__ */ new Map()
		};
		state = {
			phase: "connected",
			connection
		};
		setTimer(connection, "answer", ANSWER_TIMEOUT_MS, () => closed(connection, ABNORMAL_CLOSURE));
	}
	function setTimer(connection, name, delayMs, run) {
		connection.timers.get(name)?.();
		connection.timers.set(name, clock.setTimeout(run, delayMs));
	}
	function opened(connection) {
		connection.isOpen = true;
		connection.pingedAt = clock.now();
		connection.timers.get("answer")?.();
		setTimer(connection, "ping", PING_INTERVAL_MS, () => ping(connection));
		const isReconnect = hasBeenOpen;
		hasBeenOpen = true;
		hasReportedDoubt = false;
		context.onOpen(isReconnect);
	}
	function ping(connection) {
		connection.pingedAt = clock.now();
		connection.socket.send(JSON.stringify({
			type: "ping",
			timestamp: connection.pingedAt
		}));
		setTimer(connection, "answer", ANSWER_TIMEOUT_MS, () => closed(connection, ABNORMAL_CLOSURE));
		setTimer(connection, "ping", PING_INTERVAL_MS, () => ping(connection));
	}
	function receive(connection, text) {
		const message = parse(text);
		if (message === null) return;
		if (message.type !== "pong") {
			context.onUpdate(message);
			return;
		}
		connection.timers.get("answer")?.();
		const roundTripMs = clock.now() - connection.pingedAt;
		if (message.timestamp === connection.pingedAt && roundTripMs >= 0) context.onServerTime(message.serverTime, roundTripMs);
	}
	function closed(connection, code) {
		const { userId, isOpen } = connection;
		state = {
			phase: "replaced",
			userId
		};
		release(connection);
		if (code === SOCKET_CLOSE_CODES.REPLACED) return;
		state = {
			phase: "waiting",
			userId,
			cancel: clock.setTimeout(() => {
				state = { phase: "none" };
				update();
			}, RECONNECT_DELAY_MS)
		};
		if (code === SOCKET_CLOSE_CODES.SESSION_ENDED) context.onSessionDoubt();
		else if (isOpen) context.onConnectionLost();
		else if (!hasReportedDoubt) {
			hasReportedDoubt = true;
			context.onSessionDoubt();
		}
	}
	session.subscribe(update);
	return {
		start() {
			isStarted = true;
			update();
		},
		setVisible(next) {
			isVisible = next;
			if (!isVisible) return;
			if (state.phase === "replaced") state = { phase: "none" };
			update();
			if (state.phase !== "connected" || !state.connection.isOpen) return;
			if (clock.now() - state.connection.pingedAt >= 3e4) ping(state.connection);
		}
	};
}
/** Null for messages unknown to this version. */
function parse(text) {
	try {
		return liveMessageSchema.parse(JSON.parse(text));
	} catch {
		return null;
	}
}
// sync/client/cache/store-live-updates.ts
/**
* Whether the results of a poll have to be fetched: live updates contain only the total, and a closed poll shows its results
* to everyone.
*/
function lacksResults({ results, status, votesCount, areResultsOld }) {
	if (areResultsOld === true) return true;
	return results === null ? status !== "active" : results.option1 + results.option2 !== votesCount;
}
/**
* Stores those live updates that are newer than the cache. Writes nothing when there are none, since each write makes every
* tab read its lists again. True when the points changed through something other than this device's own requests: the rest
* of the cached user may be outdated then.
*/
async function storeLiveUpdates(db, userId, batch) {
	if ((await newerPolls(db, batch)).length > 0) await db.transaction("rw", db.polls, async () => {
		await db.polls.bulkPut(await newerPolls(db, batch));
	});
	const { points, removed } = batch;
	const user = points === null ? void 0 : await db.user.get(userId);
	const isNewer = ({ rev, pointsRev = 0 }) => (points?.rev ?? 0) > Math.max(rev, pointsRev);
	const hasNewPoints = points !== null && user !== void 0 && isNewer(user);
	if (hasNewPoints) {
		const changes = {
			points: points.points,
			pointsRev: points.rev
		};
		await db.user.where("id").equals(userId).and(isNewer).modify(changes);
	}
	const gone = (await db.polls.bulkGet([...removed])).flatMap((poll) => poll?.id ?? []);
	if (gone.length > 0) await dropPolls(db, gone);
	return hasNewPoints;
}
/** Whether any tab is sending an op of this user. */
async function isSending(db) {
	return await db.ops.where("state").equals("sending").count() > 0;
}
async function newerPolls(db, { votes }) {
	return (await db.polls.bulkGet([...votes.keys()])).flatMap((poll) => {
		const update = poll === void 0 ? void 0 : votes.get(poll.id);
		if (poll === void 0 || update === void 0 || update.rev <= poll.rev) return [];
		const { votesCount, status, rev } = update;
		const isChanged = poll.results !== null && votesCount === poll.votesCount;
		return {
			...poll,
			votesCount,
			status,
			rev,
			active: status !== "inactive",
			...isChanged && { areResultsOld: true }
		};
	});
}
/** Those of these polls that are in the cache or in the outbox. */
async function knownPolls(db, ids) {
	return db.transaction("r", db.polls, db.ops, async () => {
		const polls = await db.polls.bulkGet([...ids]);
		const ops = await db.ops.where("entityId").anyOf(ids).toArray();
		return /* @__PURE__ */ new Set([...polls.flatMap((poll) => poll?.id ?? []), ...ops.map(({ entityId }) => entityId)]);
	});
}
// sync/client/live/watched-polls.ts
var PULL_INTERVAL_MS = 5e3;
/** Spreads the requests of all devices that show a poll, which get an update at the same time. */
var JITTER_MAX_MS$1 = 2e3;
function createWatchedPolls(context) {
	const { clock, random } = context;
	const watchers = /* @__PURE__ */ new Map();
	const due = /* @__PURE__ */ new Set();
	const pulledAt = /* @__PURE__ */ new Map();
	async function lookAt(pollId, isOld) {
		if (!watchers.has(pollId) || due.has(pollId)) return;
		const poll = await context.read(pollId);
		if (poll !== void 0 && isOld(poll) && !due.has(pollId)) schedule(pollId);
	}
	function schedule(pollId) {
		due.add(pollId);
		const restMs = Math.max(0, (pulledAt.get(pollId) ?? 0) + PULL_INTERVAL_MS - clock.now());
		clock.setTimeout(() => {
			due.delete(pollId);
			if (watchers.has(pollId)) background(pull(pollId));
		}, restMs + random() * JITTER_MAX_MS$1);
	}
	async function pull(pollId) {
		pulledAt.set(pollId, clock.now());
		clock.setTimeout(() => pulledAt.delete(pollId), 7e3);
		if (await context.pull(pollId) === "updated") await lookAt(pollId, lacksResults);
	}
	return {
		watch(pollId) {
			watchers.set(pollId, (watchers.get(pollId) ?? 0) + 1);
			background(lookAt(pollId, lacksResults));
			let isWatching = true;
			return () => {
				if (!isWatching) return;
				isWatching = false;
				const left = (watchers.get(pollId) ?? 1) - 1;
				if (left === 0) watchers.delete(pollId);
				else watchers.set(pollId, left);
			};
		},
		checkResults(pollIds) {
			for (const pollId of pollIds) background(lookAt(pollId, lacksResults));
		},
		refetchWatched() {
			for (const pollId of watchers.keys()) background(lookAt(pollId, () => true));
		}
	};
}
// sync/client/live/live-updates.ts
/**
* Live updates are collected for this long and stored together. The answer to this device's own change is then stored before
* the update about it; otherwise a point would be counted twice for a moment, as earned and as expected.
*/
var BATCH_DELAY_MS = 600;
/** How often storing is postponed while this user's ops are being sent: not until the end of a long upload. */
var POSTPONED_MAX = 8;
/** Spreads the requests of a user's tabs and devices, which all get the same update. */
var JITTER_MAX_MS = 2e3;
/** Bounds the memory; one is enough for the dot. */
var UNSEEN_MAX = 100;
function createLiveUpdates(context) {
	const { clock, random, session, puller } = context;
	const hasNewPolls = observable(false);
	const unseen = /* @__PURE__ */ new Set();
	let batch = null;
	let batchOwner = null;
	let isUserCheckScheduled = false;
	const db = () => {
		const current = session.get();
		return current.status === "user" ? current.db : null;
	};
	const watched = createWatchedPolls({
		clock,
		random,
		read: async (pollId) => db()?.polls.get(pollId),
		pull: puller.pullPoll
	});
	function updateHasNewPolls() {
		if (hasNewPolls.get() !== unseen.size > 0) hasNewPolls.set(unseen.size > 0);
	}
	/** Drops updates when the user or the server's epoch changes: they were for another user, or have revisions of another history. */
	session.subscribe(() => {
		const current = session.get();
		const next = current.status === "user" ? `${current.user.id} ${current.user.epoch}` : null;
		if (next === batchOwner) return;
		batchOwner = next;
		batch = null;
		unseen.clear();
		updateHasNewPolls();
	});
	function gather() {
		if (batch !== null) return batch;
		const started = {
			votes: /* @__PURE__ */ new Map(),
			created: /* @__PURE__ */ new Set(),
			removed: /* @__PURE__ */ new Set(),
			points: null
		};
		batch = started;
		storeLater(started, POSTPONED_MAX);
		return started;
	}
	function storeLater(gathered, postponementsLeft) {
		clock.setTimeout(() => background(storeWhenIdle(gathered, postponementsLeft)), BATCH_DELAY_MS);
	}
	async function storeWhenIdle(gathered, postponementsLeft) {
		const current = db();
		const isBusy = current !== null && postponementsLeft > 0 && await isSending(current);
		if (batch !== gathered) return;
		if (isBusy) return storeLater(gathered, postponementsLeft - 1);
		batch = null;
		await store(gathered);
	}
	async function store(updates) {
		const current = session.get();
		if (current.status !== "user") return;
		if (await storeLiveUpdates(current.db, current.user.id, updates)) scheduleUserCheck();
		const known = await knownPolls(current.db, [...updates.created]);
		for (const id of updates.created) if (!known.has(id) && unseen.size < UNSEEN_MAX) unseen.add(id);
		for (const id of updates.removed) unseen.delete(id);
		updateHasNewPolls();
		watched.checkResults(updates.votes.keys());
	}
	/** The points may come from a referral; only the full user contains the sum of those. */
	function scheduleUserCheck() {
		if (isUserCheckScheduled) return;
		isUserCheckScheduled = true;
		clock.setTimeout(() => {
			isUserCheckScheduled = false;
			if (session.get().status === "user") background(context.checkSession());
		}, random() * JITTER_MAX_MS);
	}
	return {
		hasNewPolls,
		watchPoll: watched.watch,
		checkResults: watched.checkResults,
		refetchWatched: watched.refetchWatched,
		handle(update) {
			const { votes, created, removed } = gather();
			switch (update.type) {
				case "poll.votes":
					if ((votes.get(update.id)?.rev ?? 0) < update.rev) votes.set(update.id, update);
					break;
				case "poll.created":
					created.add(update.id);
					break;
				case "poll.removed":
					created.delete(update.id);
					removed.add(update.id);
					break;
				case "user": if ((gather().points?.rev ?? 0) < update.rev) gather().points = update;
			}
		},
		async pullFeed() {
			const before = [...unseen];
			const result = await puller.pullFeed();
			const current = db();
			if (current === null || result !== "updated" && result !== "unchanged") return result;
			const arrived = await knownPolls(current, [...unseen]);
			for (const id of [...before, ...arrived]) unseen.delete(id);
			updateHasNewPolls();
			return result;
		}
	};
}
// sync/client/live/live.ts
/** When the first socket opens later than this, the data that the page has loaded is outdated. */
var FRESH_MS = 1e4;
function createLive(context) {
	const { clock, connection, serverClock } = context;
	let startedAt = 0;
	const { handle, refetchWatched, ...updates } = createLiveUpdates(context);
	const socket = createLiveSocket({
		...context,
		onOpen(isReconnect) {
			const before = connection.state.get();
			connection.report("reached");
			if (!isReconnect && clock.now() - startedAt < FRESH_MS) return;
			refetchWatched();
			if (connection.state.get() === before) background(context.refresh());
		},
		onUpdate: handle,
		onServerTime: serverClock.learnFromPong,
		onConnectionLost: () => connection.report("trouble"),
		onSessionDoubt: () => background(context.checkSession())
	});
	return {
		...updates,
		...socket,
		start() {
			startedAt = clock.now();
			socket.start();
		}
	};
}
// sync/client/db.ts
/** Opens (and on first use creates) the database of a user. */
function openUserDb(prefix, userId) {
	const db = new Dexie(`${prefix}-user-${userId}`, { chromeTransactionDurability: "strict" });
	db.version(1).stores({
		ops: "++seq, &opId, state, entityId",
		opBlobs: "[opId+slot], opId",
		polls: "id",
		feed: "pollId, position",
		mine: "pollId, position",
		trending: "pollId, position",
		listMeta: "list",
		user: "id"
	});
	db.version(2).stores({
		acknowledged: "opId, acknowledgedAt",
		account: "id"
	});
	db.on("versionchange", ({ newVersion }) => {
		if (newVersion !== null) return;
		db.close();
		return false;
	});
	return db;
}
/** The user who was signed in last on this device and has not logged out; null for nobody. */
async function signedInUserId(device) {
	const [signedOut, last] = await device.entries.bulkGet(["signedOut", "lastUserId"]);
	return signedOut === void 0 ? last?.value ?? null : null;
}
function openDeviceDb(prefix) {
	const db = new Dexie(`${prefix}-device`);
	db.version(1).stores({ entries: "key" });
	return db;
}
// sync/client/open-database.ts
/** An upgrade waits for tabs of an older version; a suspended one may never close its connection. */
var OPEN_LIMIT_MS = 5e3;
/** Opens a database. Closes it and throws `TimeLimitError` when another tab blocks it. */
async function openInTime(db, clock) {
	try {
		await withTimeLimit(clock, OPEN_LIMIT_MS, db.open());
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}
// sync/client/session/server-change.ts
var SERVER_REPLACED = {
	status: 0,
	code: "server_replaced",
	message: "The server was set up anew since this was made."
};
/**
* Stores the user from the server. When the server's epoch has changed, empties the cache first, since revisions of two
* histories cannot be compared. If the account is the same, the server was restored from a backup: waiting ops are sent, and
* recently acknowledged ones are sent again. If not, the server was set up anew, and the person decides about waiting ops.
*
* Runs at each start and whenever the page becomes visible, so it also deletes old acknowledged ops.
*/
async function adoptUser(db, user, nowMs) {
	await db.transaction("rw", db.tables, async () => {
		const known = await db.account.get(user.id) ?? await db.user.get(user.id);
		if (known !== void 0 && isOtherServer(known, user)) {
			await clearCaches(db);
			await revokeLeases(db);
			if (isSameAccount(known, user)) await requeueAcknowledged(db, nowMs);
			else await requireDecisions(db);
		}
		await dropOldAcknowledged(db, nowMs);
		await putUser(db, user);
		const { id, createdAt, referralCode, epoch = known?.epoch } = user;
		const stored = await db.account.get(user.id);
		if (!(stored !== void 0 && isSameAccount(stored, user) && stored.epoch === epoch)) await db.account.put({
			id,
			createdAt,
			referralCode,
			epoch
		});
	});
}
function isOtherServer(known, user) {
	if (!isSameAccount(known, user)) return true;
	return known.epoch !== void 0 && user.epoch !== void 0 && known.epoch !== user.epoch;
}
function isSameAccount(known, user) {
	return known.createdAt === user.createdAt && known.referralCode === user.referralCode;
}
/** Deletes everything that can be fetched again. Runs in the caller's transaction. */
async function clearCaches(db) {
	const caches = [
		db.polls,
		db.feed,
		db.mine,
		db.trending,
		db.listMeta,
		db.user
	];
	await Promise.all(caches.map((table) => table.clear()));
}
async function requireDecisions(db) {
	await db.acknowledged.clear();
	await db.ops.where("state").anyOf("queued", "blocked_auth").modify({
		state: "needs_attention",
		lastError: SERVER_REPLACED
	});
}
// sync/client/session/session.ts
var LOGOUT_TIMEOUT_MS = 1e4;
/**
* Opens the database of a user. A tab of an earlier version deletes it to log out; this one then logs out too. Throws
* `TimeLimitError` when another tab blocks it.
*/
async function openDatabase(context, userId) {
	const { clock, databasePrefix, session } = context;
	const db = openUserDb(databasePrefix, userId);
	db.on("versionchange", ({ newVersion }) => {
		if (newVersion === null) background(followOtherTab(context));
	});
	db.on("populate", (transaction) => {
		const current = session.get();
		if (current.status !== "user" || current.db !== db) return;
		background(Promise.resolve(transaction.table("user").add(current.user)));
		context.onEvicted(userId);
		context.tabs.announce();
	});
	await openInTime(db, clock);
	background(db.listMeta.update("feed", { etag: null }));
	return db;
}
/** Shows the cache of the last user, if there is one. */
async function openLastUser(context) {
	const { device, session } = context;
	const userId = await signedInUserId(device);
	if (userId === null) return;
	const db = await openDatabase(context, userId);
	const user = await db.user.get(userId);
	if (user === void 0) db.close();
	else session.set({
		status: "user",
		user,
		db,
		needsLogin: false
	});
}
/** Asks the server who is signed in and applies the answer. Without an answer nothing changes, and the result is false. */
async function checkUser(context) {
	const { device, generation, session } = context;
	const isHeard = await finishLogOut(context);
	if (context.generation !== generation) return true;
	if (!isHeard) {
		session.set({ status: "visitor" });
		return false;
	}
	const user = await fetchUser(context.transport, context.onAnswer);
	if (context.generation !== generation) return true;
	const current = session.get();
	if (user === "unreachable") {
		if (current.status === "loading") session.set({ status: "visitor" });
		return false;
	}
	const isForgotten = current.status !== "user" && await device.entries.get("lastUserId") === void 0;
	if (context.generation !== generation) return true;
	if (context.takeCleared() && isForgotten) context.onEvicted(user?.id ?? null);
	if (user !== null) await openUser(context, user);
	else if (current.status === "user") await endSession(context);
	else session.set({ status: "visitor" });
	return true;
}
/**
* Checks a session that the server has refused. Without an answer the session counts as ended, though it may be valid: after a
* restore the server refuses requests with the former epoch.
*/
async function checkUserOrEnd(context) {
	const isKnown = await checkUser(context);
	if (!isKnown) await endSession(context);
	return isKnown;
}
/** Makes `user` the signed-in user, after a login or a registration. */
async function startSession(context, user) {
	context.generation += 1;
	const { generation } = context;
	await context.device.entries.delete("signedOut");
	if (context.generation !== generation) return;
	if (context.takeCleared()) context.onEvicted(user.id);
	await openUser(context, user);
	context.tabs.announce();
}
/** Opens the database of `user` and unblocks their waiting ops. */
async function openUser(context, user) {
	const { clock, device, generation, session } = context;
	const current = session.get();
	const own = current.status === "user" && current.user.id === user.id ? current.db : null;
	const isUsable = own !== null && !own.hasBeenClosed() && !own.hasFailed();
	const db = isUsable ? own : await openDatabase(context, user.id);
	await withFreedSpace(context.storage, db, () => adoptUser(db, user, clock.now()));
	await moveOps(db, "blocked_auth", "queued");
	await resetBackoff(db);
	if (context.generation === generation) await device.entries.put({
		key: "lastUserId",
		value: user.id
	});
	if (context.generation !== generation) {
		if (!isUsable) db.close();
		return;
	}
	session.set({
		status: "user",
		user,
		db,
		needsLogin: false
	});
	if (isUsable) return;
	context.tabs.announce();
	if (current.status === "user") current.db.close();
}
/** Applies a login or log out of another tab. False when the server had to be asked and did not answer. */
async function followOtherTab(context) {
	const { device, session } = context;
	const current = session.get();
	const last = await device.entries.get("lastUserId");
	const isSame = current.status === "user" && current.user.id === last?.value;
	if (isSame && current.db.hasBeenClosed()) {
		context.onEvicted(current.user.id);
		const db = await openDatabase(context, current.user.id);
		try {
			await adoptUser(db, current.user, context.clock.now());
		} finally {
			session.set({
				...current,
				db
			});
		}
		return true;
	}
	if (isSame && !current.needsLogin) {
		const user = await current.db.user.get(current.user.id);
		if (user !== void 0 && user.epoch !== current.user.epoch) session.set({
			...current,
			user
		});
		return true;
	}
	context.generation += 1;
	if (current.status === "user" && !isSame) {
		session.set({ status: last === void 0 ? "visitor" : "loading" });
		current.db.close();
	}
	if (last === void 0) return current.status === "user" && await device.entries.get("signedOut") === void 0 ? checkUser(context) : true;
	if (!isSame) await openLastUser(context);
	return checkUser(context);
}
/** The session is over on the server: cache and queue stay and wait for the user to log in again. */
async function endSession({ session }) {
	const current = session.get();
	if (current.status !== "user") return;
	const ended = {
		...current,
		needsLogin: true
	};
	session.set(ended);
	await moveOps(current.db, "queued", "blocked_auth");
	const after = session.get();
	if (after.status === "user" && after.db === current.db && !after.needsLogin) await moveOps(current.db, "blocked_auth", "queued");
}
/**
* Logs out: deletes the cache, keeps or discards waiting ops, and tells the server now or, if it cannot be reached, before
* any other request.
*/
async function logOut(context, waiting, shown) {
	const { clock, device, session } = context;
	const current = session.get();
	context.generation += 1;
	await withDatabaseLimit(clock, device.entries.put({
		key: "signedOut",
		value: 1
	}));
	await withDatabaseLimit(clock, device.entries.delete("lastUserId"));
	session.set({ status: "visitor" });
	context.tabs.announce();
	try {
		if (current.status === "user") await emptyDatabase(context, current, waiting, shown);
	} finally {
		await finishLogOut(context);
	}
}
/** Tells the server of a pending log out. False when it could not be told. */
async function finishLogOut({ transport, device }) {
	if (await device.entries.get("signedOut") === void 0) return true;
	try {
		const { status } = await transport({
			method: logOut$1.method,
			path: logOut$1.path,
			headers: { Accept: "application/json" },
			body: null,
			timeoutMs: LOGOUT_TIMEOUT_MS
		});
		if (status !== 204) return false;
	} catch {
		return false;
	}
	await device.entries.delete("signedOut");
	return true;
}
/**
* Deletes everything but ops and their images: waiting ops if they are to be kept, and refused ones in any case, since the
* person has not decided about them. The database itself is not deleted: that would wait for every tab that has it open, and
* lose what another tab stores at the same moment.
*/
async function emptyDatabase({ clock, deviceNote }, { db, user }, waiting, shown) {
	const emptied = db.transaction("rw", db.tables, async () => {
		await revokeLeases(db);
		if (waiting === "discard") await discardWaiting(db, shown);
		await db.acknowledged.clear();
		await clearCaches(db);
		const kept = await db.ops.count();
		if (kept === 0) await db.account.clear();
		return kept;
	});
	try {
		deviceNote.noteWaiting(user.id, await withDatabaseLimit(clock, emptied));
	} finally {
		db.close();
	}
}
// sync/client/session/session-check.ts
/** The delay before a tab without a working session checks again after a failed check. */
var RECHECK_DELAY_MS = 1e4;
/** Longer than the requests and the database work of a check together. */
var CHECK_LIMIT_MS = 45e3;
/**
* Returns a function that asks who is signed in (or runs another `check`) and then calls `onChecked`. A tab without a working
* session repeats that until the server has answered, with `openAndCheck` while no user's database is open: neither lost
* answers nor a database that did not open lock it out. Resolves with whether the server has answered.
*/
function createSessionCheck(context, onChecked, openAndCheck) {
	const { clock, session } = context;
	let cancel = () => {};
	/** Reports a database that does not open as `storage_blocked`, unless a user is shown already. */
	async function run(check) {
		try {
			return await withTimeLimit(clock, CHECK_LIMIT_MS, check(context));
		} catch (error) {
			if (isQuotaError(error)) return false;
			if (!(error instanceof TimeLimitError)) throw error;
			if (session.get().status !== "user") session.set({ status: "storage_blocked" });
			return false;
		}
	}
	return async function ask(check = checkUser) {
		cancel();
		const isKnown = await run(check);
		const current = session.get();
		const isWorking = current.status === "user" && !current.needsLogin;
		if (!isKnown && !isWorking) {
			cancel();
			const again = current.status === "user" ? checkUser : openAndCheck;
			cancel = clock.setTimeout(() => background(ask(again)), RECHECK_DELAY_MS);
		}
		onChecked();
		return isKnown;
	};
}
// shared/connection.ts
var HEALTH_INTERVAL_MS = 5e3;
/** How long "Connection Restored" is shown. */
var CONNECTION_RESTORED_DURATION_MS = 4e3;
// sync/client/connection.ts
/** The state machine of the monitor, as a pure function; null when `event` changes nothing. */
function connectionStep(state, event) {
	switch (event) {
		case "trouble": return state.phase === "connected" || state.phase === "restored" ? {
			state: { phase: "connected" },
			check: true
		} : null;
		case "signal": return {
			state: state.phase === "failed" ? {
				phase: "disconnected",
				attempt: 0
			} : state,
			check: true
		};
		case "reached": return reached(state);
		case "check_failed": return checkFailed(state);
		case "timer":
			if (state.phase === "restored") return { state: { phase: "connected" } };
			return state.phase === "disconnected" ? {
				state,
				check: true
			} : null;
	}
}
function reached(state) {
	switch (state.phase) {
		case "connected":
		case "restored": return null;
		case "checking": return { state: { phase: "connected" } };
		case "disconnected":
		case "failed": return {
			state: { phase: "restored" },
			timerMs: CONNECTION_RESTORED_DURATION_MS
		};
	}
}
function checkFailed(state) {
	if (state.phase === "failed") return null;
	const attempt = state.phase === "disconnected" ? state.attempt + 1 : 1;
	if (attempt >= 5) return { state: { phase: "failed" } };
	return {
		state: {
			phase: "disconnected",
			attempt
		},
		timerMs: HEALTH_INTERVAL_MS
	};
}
// sync/client/connection-monitor.ts
/**
* Starts with a health check. `onRestored` is called when the server is reachable again. Only the server's own JSON passes a
* health check: the page of a captive portal is a failure.
*/
function createConnectionMonitor(capabilities, onRestored) {
	const { transport, clock, isOnline } = capabilities;
	const state = observable({ phase: "checking" });
	let cancelTimer = () => {};
	let checking = false;
	function report(event) {
		const step = connectionStep(state.get(), event);
		if (step === null) return;
		if (step.state !== state.get() || step.timerMs !== void 0) cancelTimer();
		const isNew = step.state !== state.get();
		if (isNew) state.set(step.state);
		if (step.timerMs !== void 0) cancelTimer = clock.setTimeout(() => report("timer"), step.timerMs);
		if (isNew && step.state.phase === "restored") onRestored();
		if (step.check) background(check());
	}
	async function check() {
		if (checking) return;
		checking = true;
		const answer = await get(transport, readHealth.path);
		checking = false;
		report(answer?.status === 200 && healthSchema.safeParse(answer.body).success ? "reached" : "check_failed");
	}
	function recheckWhileOffline(times) {
		report("trouble");
		if (times === 1) return;
		clock.setTimeout(() => {
			if (!isOnline()) recheckWhileOffline(times - 1);
		}, HEALTH_INTERVAL_MS);
	}
	background(check());
	return {
		state,
		report,
		wentOffline: () => recheckWhileOffline(5)
	};
}
/** `transport`, with every answer and failure reported to the monitor. */
function monitoredTransport(transport, { report }) {
	return async (request) => {
		try {
			const answer = await transport(request);
			report((answer.body !== null || answer.status === 304 || answer.status === 204) && answer.status < 500 ? "reached" : "trouble");
			return answer;
		} catch (error) {
			report("trouble");
			throw error;
		}
	};
}
// sync/client/emitter.ts
/** Passes outcomes of ops to listeners; `delayed` only once for each op. */
function createEmitter() {
	const listeners = /* @__PURE__ */ new Set();
	const delayed = /* @__PURE__ */ new Set();
	return {
		onEvent(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		emit(event) {
			if (event.type === "delayed") {
				if (delayed.has(event.op.opId)) return;
				delayed.add(event.op.opId);
			}
			for (const listener of listeners) listener(event);
		}
	};
}
// sync/client/server-clock.ts
/** The header has whole seconds: half a second later is the best estimate. */
var HEADER_HALF_STEP_MS = 500;
/** A change of the offset beyond this is significant. */
var SIGNIFICANT_DRIFT_MS = 2e3;
/** `persist` is called with every significantly changed offset. */
function createServerClock(clock, persist) {
	let offset = 0;
	const listeners = /* @__PURE__ */ new Set();
	let isExact = false;
	function change(next) {
		const driftMs = Math.abs(next - offset);
		offset = next;
		if (driftMs <= SIGNIFICANT_DRIFT_MS) return;
		persist(offset);
		for (const listener of listeners) listener();
	}
	return {
		now: () => clock.now() + offset,
		onChange(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		set(offsetMs) {
			offset = offsetMs;
		},
		learnFromHeaders(headers) {
			const date = Date.parse(headers.get("Date") ?? "");
			if (Number.isNaN(date)) return;
			const guess = date + HEADER_HALF_STEP_MS - clock.now();
			if (isExact && Math.abs(guess - offset) <= 2 * HEADER_HALF_STEP_MS) return;
			isExact = false;
			change(guess);
		},
		learnFromPong(serverMs, roundTripMs) {
			isExact = true;
			change(serverMs + roundTripMs / 2 - clock.now());
		}
	};
}
// sync/client/engine.ts
/** An op without an answer by then is reported as `delayed`. */
var DELAYED_AFTER_MS = 1e3;
/** The sync engine of one tab. */
function createEngine(capabilities) {
	const { clock, databasePrefix, deviceNote, storage, tabs } = capabilities;
	const device = openDeviceDb(databasePrefix);
	const session = observable({ status: "loading" });
	const { eviction, ...evictions } = createEvictions(deviceNote, session);
	device.on("populate", (transaction) => {
		const current = session.get();
		if (current.status !== "user") {
			evictions.noteCleared();
			return;
		}
		const entry = {
			key: "lastUserId",
			value: current.user.id
		};
		background(Promise.resolve(transaction.table("entries").add(entry)));
	});
	const serverClock = createServerClock(clock, (value) => background(device.entries.put({
		key: "clockOffsetMs",
		value
	})));
	const { emit, onEvent } = createEmitter();
	const onAnswer = (answer) => {
		if (answer?.body) serverClock.learnFromHeaders(answer.headers);
	};
	const connection = createConnectionMonitor(capabilities, () => background(refresh(true)));
	const transport = monitoredTransport(capabilities.transport, connection);
	const sessionContext = {
		transport,
		clock,
		device,
		session,
		tabs,
		databasePrefix,
		generation: 0,
		onAnswer,
		deviceNote,
		storage,
		takeCleared: evictions.takeCleared,
		onEvicted: evictions.onEvicted
	};
	function signedIn() {
		const current = session.get();
		if (current.status !== "user") throw new SignedOutError();
		return {
			db: current.db,
			userId: current.user.id
		};
	}
	/** The server refused the session of `userId`: checks it, unless this tab has another user by now. */
	async function onSessionRejected(userId) {
		const current = session.get();
		if (current.status !== "user" || current.user.id !== userId) return;
		await checkSession(checkUserOrEnd);
	}
	const drainer = createDrainer({
		...capabilities,
		transport,
		tabId: v4(),
		session,
		emit,
		onAnswer,
		isSignedInHere: async (userId) => await signedInUserId(device) === userId,
		onSignedOutElsewhere: () => background(checkSession(followOtherTab)),
		onBlocked: (userId) => background(onSessionRejected(userId)),
		checkSession: () => checkSession()
	});
	const onChecked = () => {
		evictions.report();
		drainer.drainAll();
	};
	const checkSession = createSessionCheck(sessionContext, onChecked, openAndCheck);
	const puller = createPuller({
		transport,
		clock,
		nowMs: clock.now,
		onAnswer,
		session,
		onSignedOut: onSessionRejected
	});
	const { start: startLive, checkResults, ...live } = createLive({
		...capabilities,
		session,
		puller,
		connection,
		serverClock,
		refresh: () => refresh(false),
		checkSession: async () => void await checkSession()
	});
	onEvent((event) => {
		const { type, op } = event;
		if (type === "rejected" && operationOf(op).newPoll === null) background(puller.pullPoll(op.entityId));
		if (type !== "applied") return;
		checkResults([op.entityId]);
		if (event.poll !== null) return;
		background(puller.pullPoll(op.entityId));
		background(checkSession());
	});
	let hasAskedToPersist = false;
	/** After an op was queued: asks for a background drain and, once, for persistent storage. */
	function protectStorage() {
		capabilities.requestBackgroundDrain();
		if (hasAskedToPersist) return;
		hasAskedToPersist = true;
		background(storage.persist());
	}
	/** Checks the session (after a pending log out) and sends what waits. `isBack`: the server was unreachable before. */
	async function refresh(isBack) {
		await checkSession();
		await sendWaiting(isBack);
	}
	/** Makes what waits due, except what the server itself has postponed. */
	async function sendWaiting(isBack = false) {
		const current = session.get();
		if (current.status !== "user" || current.needsLogin) return;
		await moveOps(current.db, "blocked_auth", "queued");
		await resetBackoff(current.db, isBack);
		drainer.drainAll();
	}
	/** Stores a change by the person. After a time limit it is given up and not stored later either. */
	async function store(db, work) {
		let isWanted = true;
		try {
			const stored = withFreedSpace(storage, db, () => work(() => isWanted));
			return await withDatabaseLimit(clock, stored);
		} catch (error) {
			isWanted = false;
			throw error;
		}
	}
	/** Emits `delayed` for an op that still waits after a second. */
	function announceIfDelayed(db, entityId) {
		clock.setTimeout(() => {
			background(db.ops.where("entityId").equals(entityId).and((op) => op.state === "queued" || op.state === "sending").each((op) => emit({
				type: "delayed",
				op
			})));
		}, DELAYED_AFTER_MS);
	}
	/** Shows the last user's cache and sends what waits, then asks the server who is signed in. */
	async function openAndCheck() {
		const offset = await device.entries.get("clockOffsetMs");
		if (offset !== void 0) serverClock.set(offset.value);
		await openLastUser(sessionContext);
		drainer.drainAll();
		return checkUser(sessionContext);
	}
	return {
		session,
		eviction,
		connection: connection.state,
		onEvent,
		async start() {
			tabs.listen(() => background(checkSession(followOtherTab)));
			await checkSession(openAndCheck);
			startLive();
		},
		async signedIn(user) {
			await withDatabaseLimit(clock, startSession(sessionContext, user));
			drainer.clearBackoff();
			drainer.drainAll();
			background(checkSession());
		},
		refreshUser: async () => void await checkSession(),
		finishLogOut: () => finishLogOut(sessionContext),
		logOut: (waiting, shown) => logOut(sessionContext, waiting, shown),
		async queue(operation) {
			const { db, userId } = signedIn();
			await store(db, (isWanted) => queueOp(db, userId, operation, clock.now(), isWanted));
			protectStorage();
			drainer.drain(operationOfType(operation.type).lane);
		},
		async createPoll(draft, replacesOpId) {
			const { db, userId } = signedIn();
			const bytes = draft.images.reduce((sum, image) => sum + image.bytes.byteLength, 0);
			const pollId = await store(db, async (isWanted) => {
				if (!await hasSpaceFor(storage, bytes)) throw new StorageFullError();
				return queuePoll(db, userId, draft, clock.now(), {
					replacesOpId,
					isWanted
				});
			});
			protectStorage();
			drainer.drain("creations");
			announceIfDelayed(db, pollId);
			return pollId;
		},
		discard: (opId) => withDatabaseLimit(clock, discardOp(capabilities, signedIn().db, opId)),
		async tryAgain(opId) {
			await withDatabaseLimit(clock, requeueOp(signedIn().db, opId));
			drainer.drainAll();
		},
		async tryNow(opId) {
			await withDatabaseLimit(clock, makeDue(signedIn().db, opId));
			drainer.clearBackoff();
			drainer.drainAll();
		},
		...puller,
		...live,
		setVisible(isVisible) {
			live.setVisible(isVisible);
			evictions.setVisible(isVisible);
		},
		serverNow: serverClock.now,
		onServerClock: serverClock.onChange,
		drain: () => background(sendWaiting()),
		wentOffline: connection.wentOffline,
		tryConnection() {
			connection.report("signal");
			background(sendWaiting());
		}
	};
}
// sync/client/device/transport.ts
/** `fetch` as a transport. Throws `NetworkFailure` for timeouts, broken connections and truncated bodies. */
function fetchTransport(baseUrl = "") {
	return async ({ method, path, headers, body, timeoutMs }) => {
		try {
			const response = await fetch(baseUrl + path, {
				method,
				headers,
				body,
				credentials: "same-origin",
				cache: "no-store",
				redirect: "error",
				signal: AbortSignal.timeout(timeoutMs)
			});
			const text = await response.text();
			return {
				status: response.status,
				headers: response.headers,
				body: parseJson(response.headers, text)
			};
		} catch (error) {
			throw new NetworkFailure("No answer from the server", { cause: error });
		}
	};
}
function parseJson(headers, text) {
	if (!(headers.get("Content-Type") ?? "").includes("application/json")) return null;
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
export { createEngine, fetchTransport };
