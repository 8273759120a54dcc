-- Sliding window; the same as src/core/sliding_window.hpp. A timeline of parts.
-- A part counts until (part + parts + 1) * part_us.
--
-- limit:  flags (1) · limit (7) · length of a part (7) · parts (2)
-- answer: granted · used after it · time until the newest part leaves · part of the grant · wait
local sliding_window = {}

local WEIGHTED = 4 -- flag

-- Returns: floor(a * b / d) and the remainder. Requires: b <= d < 2^52.
local function multiply_divide(a, b, d)
    if a * b < 2 ^ 53 then
        local remainder = a * b % d
        return (a * b - remainder) / d, remainder
    end
    local quotient, remainder, bit = 0, 0, 2 ^ 52
    while bit >= 1 do
        quotient, remainder = quotient * 2, remainder * 2
        if remainder >= d then quotient, remainder = quotient + 1, remainder - d end
        if a >= bit then
            a = a - bit
            remainder = remainder + b
            if remainder >= d then quotient, remainder = quotient + 1, remainder - d end
        end
        bit = bit / 2
    end
    return quotient, remainder
end

local function read(body, part_us, parts)
    local as_new_us = timeline.as_new(body)
    return as_new_us and timeline.read(body, as_new_us / part_us - parts - 1)
end

-- Returns: the wait until a cost of `limit - room` fits. Requires: units from pair `first` on exceed `room`.
local function wait(line, first, room, part_us, parts, weighted, t)
    local i = timeline.after_leaving(line, first, timeline.units_from(line, first) - room)
    local place = timeline.pair(line, i)
    local gone = (place + parts + 1) * part_us - t
    if not weighted then return gone end
    local younger = timeline.units_from(line, i + 1)
    local count = timeline.units_from(line, i) - younger
    local kept = room - younger
    if kept >= count then return gone - part_us end
    -- floor(kept * part_us / count), part_us being larger than count or not
    local rest = part_us % count
    local whole = (part_us - rest) / count
    return gone - kept * whole - multiply_divide(kept, rest, count)
end

function sliding_window.decide(args, at, body, cost, count, mode)
    local flags, limit, part_us, parts = unpack('<I1I7I7I2', args, at)
    local weighted = flags >= WEIGHTED
    if weighted then flags = flags - WEIGHTED end
    local line, t = read(body, part_us, parts), now
    if line then t = max(now, line.newest * part_us) end
    local passed = t % part_us
    local part = (t - passed) / part_us
    local oldest = part - parts
    local first = line and timeline.first_from(line, oldest) or 1

    local function used_from(i)
        if not line or i > line.count then return 0 end
        local units = timeline.units_from(line, i)
        if not weighted or timeline.pair(line, i) ~= oldest then return units end
        local younger = timeline.units_from(line, i + 1)
        local share, remainder = multiply_divide(units - younger, part_us - passed, part_us)
        return younger + share + (remainder > 0 and 1 or 0)
    end

    local used = used_from(first)
    local granted, units = grant(flags, limit, used, cost, count, mode)

    local next
    if units > 0 then
        local held = 0
        if line and line.newest == part then held = timeline.units_from(line, line.count) end
        local added = min(units, COUNT_MAX - held)
        if added > 0 then
            next = timeline.add(line, first, 0, part, added, width_of(parts), width_of(limit),
                (part + parts + 1) * part_us)
            line = timeline.read(next, part)
            first = 1
            used = used_from(first)
        end
    end
    local reset = line and max(0, (line.newest + parts + 1) * part_us - t) or 0
    local retry = 0
    if (granted < count or mode == CHARGE) and flags % 2 ~= NEVER and used + cost > limit then
        retry = wait(line, first, limit - cost, part_us, parts, weighted, t)
    end
    return granted, next, (part + parts + 1) * part_us, used, reset, part, retry
end

function sliding_window.refund(args, at, body, moment, units)
    local _, _, part_us, parts = unpack('<I1I7I7I2', args, at)
    local line = read(body, part_us, parts)
    if not line then return nil end
    return timeline.remove(line, moment, units, function(part) return (part + parts + 1) * part_us end)
end
