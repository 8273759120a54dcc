-- Decides checks of several limits, rules or bans each, in order. All limits of
-- a check are consumed or none is, except those that count denials.
--
-- KEYS:        the keys of all asks of all checks, in order
-- ARGV[1]:     the time in us, or '' for the server's
-- ARGV[i + 1]: check i: look, take or deny (1) · asks (2) · for each ask:
--              cost (7) · limits (1) · bans (1) · [ban] · for each limit:
--              id of the counter (8) · algorithm (1) · size (2) · the limit, as its algorithm has it;
--              a plain counter is an ask's only limit
-- returns:     the time (7) · for each ask of each check: banned (1) · how long
--              a ban lasts (7) · one answer of 32 bytes for each limit
--
-- To deny is what is asked of a part of a check that lies in this slot when
-- another part has denied already: only its denials are counted.
local BAN_SIZE = 24

local function read_ask(args, at, key, mode)
    local cost, limits, bans, next = unpack('<I7I1I1', args, at)
    local ask = {key = key, cost = cost, limits = {}, known = {}, banned_for = 0}
    if bans > 0 then
        ask.ban_at, ask.ban_id = next, sub(args, next, next + 7)
        ask.known[ask.ban_id] = true
        next = next + BAN_SIZE
    end
    for i = 1, limits do
        local kind, size = unpack('<I1I2', args, next + 8)
        ask.limits[i] = {id = sub(args, next, next + 7), decide = algorithms[kind].decide, at = next + 11}
        ask.known[ask.limits[i].id] = true
        next = next + 11 + size
        if algorithms[kind].load then ask.plain = algorithms[kind] end
    end
    if ask.plain then
        ask.value = ask.plain.load(key, args, ask.limits[1].at, mode == LOOK or cost == 0)
    else
        ask.value = load(key)
    end
    return ask, next
end

-- Asks every ban and limit, and changes nothing. `before`: units that earlier
-- asks of this check take from the same plain counter. Returns: whether the ask
-- passes, and a number instead of an answer if it cannot tell.
local function look(args, ask, before)
    if not ask.value then return false, FAILED end
    if not ask.plain and ask.value ~= '' and not find_block(ask.value, '') then return false, FAILED end
    local passes = true
    if ask.ban_at then
        ask.ban_body = find_block(ask.value, ask.ban_id)
        ask.banned_for = ban.left(args, ask.ban_at, ask.ban_body)
        ask.banned = ask.banned_for > 0
        passes = not ask.banned
    end
    for _, limit in ipairs(ask.limits) do
        limit.body = ask.plain and ask.value or find_block(ask.value, limit.id)
        limit.answer = {limit.decide(args, limit.at, limit.body, ask.cost, 1, LOOK)}
        if limit.answer[1] == ASK_AGAIN then return false, ASK_AGAIN end
        ask.shares = ask.plain and before > 0
        if ask.shares then
            limit.answer[1] = limit.decide(args, limit.at, ask.plain.after(limit.body, before), ask.cost, 1, LOOK)
        end
        limit.fits = limit.answer[1] > 0
        passes = passes and limit.fits
        ask.over_limit = ask.over_limit or not limit.fits
    end
    return passes
end

local function counts_denied(args, limit)
    return unpack('<I1', args, limit.at) % 4 >= COUNT_DENIED
end

-- Consumes from the ask's limits and counts its denial, and writes its key.
local function settle(args, ask, allowed)
    local bodies, as_new_us, changed = {}, 0, false
    local function keep(id, body, next, until_us)
        changed = changed or next ~= nil
        -- What has ended is kept beside what was written: the clock may step back.
        if next == nil then next, until_us = body, still_counts(body) or 0 end
        if next == '' then return end
        bodies[#bodies + 1] = block(id, next)
        as_new_us = max(as_new_us, until_us)
    end
    for _, limit in ipairs(ask.limits) do
        local next, until_us
        if ask.cost > 0 and (allowed or counts_denied(args, limit)) then
            local fits = limit.answer[1]
            -- An earlier ask has changed the same plain counter.
            if ask.shares then limit.body = ask.plain.load(ask.key, args, limit.at, false) end
            limit.answer = {limit.decide(args, limit.at, limit.body, ask.cost, 1, allowed and TAKE or CHARGE)}
            limit.answer[1] = fits
            next, until_us = limit.answer[2], limit.answer[3]
        end
        if ask.plain then
            if next then ask.plain.save(ask.key, next) end
            return
        end
        keep(limit.id, limit.body, next, until_us)
    end
    if ask.ban_at then
        local next, until_us
        if ask.over_limit and not ask.banned then
            next, until_us, ask.banned_for = ban.after_denial(args, ask.ban_at, ask.ban_body)
        end
        keep(ask.ban_id, ask.ban_body, next, until_us)
    end
    if not changed then return end
    local others, last_us = other_blocks(ask.value, ask.known, true)
    store(ask.key, concat(bodies) .. others, max(as_new_us, last_us))
end

local answers = {pack('<I7', now)}
local function report(ask, instead)
    answers[#answers + 1] = pack('<I1I7', ask.banned and 1 or 0, ask.banned_for)
    for _, limit in ipairs(ask.limits) do
        local a = limit.answer
        if instead then
            answers[#answers + 1] = answer(instead, 0, 0, 0, 0)
        else
            answers[#answers + 1] = answer(a[1], a[4], a[5], a[6], a[7])
        end
    end
end

local next_key = 1
for i = 2, #ARGV do
    local args = ARGV[i]
    local mode, count, at = unpack('<I1I2', args)
    local asks, allowed, instead, taken = {}, true, nil, {}
    for j = 1, count do
        asks[j], at = read_ask(args, at, KEYS[next_key], mode)
        next_key = next_key + 1
        local key, before = asks[j].key, 0
        if asks[j].plain then
            before = taken[key] or 0
            taken[key] = before + asks[j].cost
        end
        local whole, passes, unknown = pcall(look, args, asks[j], before)
        if not whole then passes, unknown = false, FAILED end -- a damaged value
        allowed = allowed and passes
        instead = instead or unknown
    end
    if mode ~= LOOK and not instead then
        -- Plain counters first: a user who may not write them ends the call here.
        for _, ask in ipairs(asks) do
            if ask.plain then settle(args, ask, allowed and mode == TAKE) end
        end
        for _, ask in ipairs(asks) do
            if not ask.plain then settle(args, ask, allowed and mode == TAKE) end
        end
    end
    for _, ask in ipairs(asks) do report(ask, instead) end
end
return concat(answers)
