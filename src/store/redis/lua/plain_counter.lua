-- Plain counter: a fixed window as the classic script keeps it (INCR, and EXPIRE
-- when the count is 1), so that services which call that share the count. The
-- value is the count in decimal digits; how long its window lasts is the key's
-- time to live, so that all times are whole milliseconds.
--
-- limit:  flags (1) · limit (7) · period (7) · 0 (1)
-- body:   count (7) · time until the window ends (7)
-- next:   the count (7) · what was added to it (7) · time to live in ms (7), 0: as it is
-- answer: granted · used after it · time until the window ends · end · wait
local plain_counter = {}

-- A key is still there in the millisecond at which it expires, so that one more
-- is waited, and one less given.
local function ttl_of(period)
    return max(1, ceil(period / 1000) - 1)
end
local function left_of(ttl_ms)
    return (ttl_ms + 1) * 1000
end

-- Returns: the body of the key, '' if it has none; nil if it is no counter.
-- A key that lost its time to live would deny for ever; nobody knows any more
-- when its window began, so that a whole one begins now, or if `looks` whenever it is asked.
function plain_counter.load(key, args, at, looks)
    local text = redis_pcall('GET', key)
    if text == false then return '' end
    if type(text) ~= 'string' or #text > 15 then return nil end
    if text ~= '0' and not string.find(text, '^[1-9]%d*$') then return nil end
    local left_ms = redis_call('PTTL', key)
    if left_ms == -1 then
        local _, _, period = unpack('<I1I7I7', args, at)
        left_ms = ttl_of(period)
        if not looks then redis_call('PEXPIRE', key, format('%.0f', left_ms)) end
    end
    return pack('<I7I7', tonumber(text), left_of(left_ms))
end

-- Returns: the body as if `units` more were used.
function plain_counter.after(body, units)
    if body == '' then return pack('<I7I7', units, 0) end
    local used, left = unpack('<I7I7', body)
    return pack('<I7I7', used + units, left)
end

function plain_counter.save(key, next)
    local used, units, ttl_ms = unpack('<I7I7I7', next)
    if ttl_ms > 0 then
        redis_call('SET', key, format('%.0f', used), 'PX', format('%.0f', ttl_ms))
    else
        redis_call('INCRBY', key, format('%.0f', units))
    end
end

function plain_counter.decide(args, at, body, cost, count, mode)
    local flags, limit, period = unpack('<I1I7I7', args, at)
    local used, left = 0, 0
    if body ~= '' then used, left = unpack('<I7I7', body) end
    if used == 0 then left = 0 end
    local granted, units = grant(flags, limit, used, cost, count, mode)
    units = min(units, max(0, COUNT_MAX - used))
    local next
    if units > 0 then
        local ttl_ms = 0
        if used == 0 then
            ttl_ms = ttl_of(period)
            left = left_of(ttl_ms)
        end
        used = used + units
        next = pack('<I7I7I7', used, units, ttl_ms)
    end
    return granted, next, 0, used, left, used > 0 and now + left or 0, left
end

-- Gives back units of the window that ends at `moment`, give or take what whole
-- milliseconds hide. Returns: whether it is still there.
function plain_counter.refund(key, args, at, moment, units)
    local body = plain_counter.load(key, args, at, false)
    if not body or body == '' then return false end
    local used, left = unpack('<I7I7', body)
    if used == 0 or math.abs(now + left - moment) > 2000 then return false end
    if used <= units then
        redis_call('DEL', key)
    else
        redis_call('DECRBY', key, format('%.0f', units))
    end
    return true
end
