-- Token bucket; the same as src/core/token_bucket.hpp. Debts are whole us and a
-- rest in 1/n us, so that only sums and comparisons are needed here.
--
-- limit:  flags (1) · n (7) · worth of the cost (7, 7) · worth of the capacity (7, 7)
-- body:   time at which it is full (7) · width (1) · rest and n, of that width
-- answer: granted · debt after it, whole us and rest · 0 · 0
local token_bucket = {}

local REST = {[0] = ''}
for width = 1, 7 do REST[width] = '<I' .. width .. 'I' .. width end

local function write(full, rest, n)
    if n == 1 then return pack('<I7I1', full, 0) end
    local width = width_of(n)
    return pack('<I7I1', full, width) .. pack(REST[width], rest, n)
end

-- Returns: the time at which the bucket is full. A rest under another n is rounded up.
local function read(body, n)
    local full, width = unpack('<I7I1', body)
    if width == 0 then return full, 0 end
    local rest, den = unpack(REST[width], body, 9)
    if den == n then return full, rest end
    return full + (rest > 0 and 1 or 0), 0
end

function token_bucket.decide(args, at, body, cost, count, mode)
    local flags, n, cost_us, cost_rest, most_us, most_rest = unpack('<I1I7I7I7I7I7', args, at)
    local debt, rest = 0, 0
    if #body >= 8 then
        local full, full_rest = read(body, n)
        if full >= now then debt, rest = full - now, full_rest end
        if debt > most_us or (debt == most_us and rest > most_rest) then debt, rest = most_us, most_rest end
    end

    local granted = 0
    if cost == 0 then
        granted = count
    elseif flags % 2 ~= NEVER then
        local next_debt, next_rest = debt, rest
        while granted < count do
            next_debt, next_rest = next_debt + cost_us, next_rest + cost_rest
            if next_rest >= n then next_debt, next_rest = next_debt + 1, next_rest - n end
            if next_debt > most_us or (next_debt == most_us and next_rest > most_rest) then break end
            granted = granted + 1
            if mode == TAKE then
                debt, rest = next_debt, next_rest
            elseif granted == 1 then
                break -- a look asks for one
            end
        end
    end
    local charged = mode == TAKE and granted > 0 and cost > 0
    if mode == CHARGE or (mode == TAKE and granted == 0 and flags >= COUNT_DENIED) then
        debt, rest = debt + cost_us, rest + cost_rest
        if rest >= n then debt, rest = debt + 1, rest - n end
        if debt > most_us or (debt == most_us and rest > most_rest) then debt, rest = most_us, most_rest end
        charged = true
    end
    local full = now + debt
    return granted, charged and write(full, rest, n) or nil, full + (rest > 0 and 1 or 0), debt, rest, 0, 0
end

-- Takes off what is still owed of one decision; see TokenBucket::refund. Both
-- worths come from the caller: of what the decision took, and of the time that
-- is left of it, which needs a product: `moment - now` us are that many us.
function token_bucket.refund(args, at, body, moment, units)
    local _, n, cost_us, cost_rest = unpack('<I1I7I7I7', args, at)
    if #body < 8 then return nil end
    local full, rest = read(body, n)
    if now >= moment or full < now then return nil end
    local worth, worth_rest = cost_us, cost_rest
    if moment - now <= worth then worth, worth_rest = moment - now, 0 end
    local debt = full - now - worth
    rest = rest - worth_rest
    if rest < 0 then debt, rest = debt - 1, rest + n end
    if debt < 0 then debt, rest = 0, 0 end
    return write(now + debt, rest, n), now + debt + (rest > 0 and 1 or 0)
end
